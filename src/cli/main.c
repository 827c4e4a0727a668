// SPDX-License-Identifier: MIT
/* main(): finds the command, parses its options, runs it and returns its status. */
#include "base/os.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cli.h"

const struct cli_command commands[] = {
	{"run", cli_run, "run a command in a sandbox", "[--] COMMAND [ARG...]",
	 "Exit status: the command's own; 128+N when signal N ended it; 124 time limit;\n"
	 "125 cordon failed or was misused; 126 not executable; 127 not found.\n",
	 "verbose pty leave session track-only fingerprint grace status-fd summary hints", 1,
	 INT_MAX, true, true, true},
	{"shell", cli_shell, "start a shell in a sandbox", "[-c COMMAND [ARG...]]",
	 "Starts the user's shell with the profile terminal, on the terminal or with -c. A\n"
	 "link cordon-shell to this program does so, too. Exit status as in run.\n",
	 "verbose pty grace status-fd summary hints command login interactive", 0, INT_MAX, true,
	 true, true},
	{"why", cli_why, "show whether something is allowed, and by which rule",
	 "RIGHT PATH|connect HOST:PORT|socket PATH|env NAME",
	 "RIGHT is read, write, create, delete, execute, or letters of rwcdx. PATH need\n"
	 "not exist. Exit status 0 allowed, 1 denied. Without them, with --last or\n"
	 "--session: what a session was refused, and what would allow it; 1 if anything.\n",
	 "json last of-session", 0, 2, true, false, false},
	{"plan", cli_plan, "print what would be enforced on this host, and how", "",
	 "Exit status 0, or 1 when `cordon run` would not start: a guarantee cannot be\n"
	 "enforced and was not accepted, or a path that was granted is missing.\n",
	 "json verbose profiles", 0, 0, true, false, false},
	{"doctor", cli_doctor, "test what this host can enforce", "",
	 "Tries each guarantee the policy needs: something that must fail and something\n"
	 "that must work. Exit status 0, or 1 when the policy cannot be enforced here.\n",
	 "json", 0, 0, true, false, false},
	{"check", cli_check, "check and print policies", "[FILE]",
	 "Without FILE: every source that would apply here. FILE may be zed:FILE,\n"
	 "flow:FILE, clash:FILE or clash:FILE#NAME. With --ref: what a checkout of REF\n"
	 "brings that no command may make. Exit status 0, or 1 when there are warnings.\n",
	 "json print ref", 0, 1, true, false, false},
	{"trust", cli_trust, "list and approve what a project requests", "",
	 "Lists what the project's policy asks for beyond what it may have. Exit status 0,\n"
	 "or 1 when something is not approved.\n",
	 "json yes revoke", 0, 0, true, false, false},
	{"setup", cli_setup, "make an agent or an editor run its commands in a sandbox",
	 "PROGRAM [OPTION...]",
	 "PROGRAM is claude, codex, gemini, zed, vscode, devcontainer or github. Shows\n"
	 "what it would change, asks, and writes it; --remove takes it back.\n"
	 "Its commands get the options of `cordon run` behind the name.\n",
	 "yes remove", 1, INT_MAX, false, false, true},
	{"hook", cli_hook, "answer an agent's hook", "claude|codex|gemini [OPTION...]",
	 "Reads what the agent says before and after a shell command, and answers with\n"
	 "the command in a sandbox, with these options of `cordon run`. Exit status 0, or\n"
	 "2: the agent must not run the command.\n",
	 "", 1, INT_MAX, false, false, true},
	{"mcp", cli_mcp, "serve tools of the Model Context Protocol", "",
	 "On standard input and output: run, why, plan and log, by the policy of this\n"
	 "command line.\n",
	 "", 0, 0, true, true, false},
	{"init", cli_init, "write a starter policy for this project", "",
	 "Looks at the project and writes .cordon.json with comments.\n", "print force", 0, 0, true,
	 false, false},
	{"confine", cli_confine, "resolve a path inside a root, or report that it leads out",
	 "ROOT PATH", "Prints where PATH leads. Exit status 0 inside ROOT, 1 when it leads out.\n",
	 "json root", 2, 2, false, false, false},
	{"ps", cli_ps, "list live sessions", "",
	 "Lists the sessions of this user that are alive.\n", "json", 0, 0, false, false, false},
	{"kill", cli_kill, "end sessions", "ID|NAME...",
	 "Ends every process in them. ID may be the first characters of an id. Exit\n"
	 "status 0, or 1 when there is no such session.\n",
	 "all grace", 0, INT_MAX, false, false, false},
	{"log", cli_log, "show the log of sessions", "",
	 "Prints what sessions did and were refused, oldest first. TIME is 2026-01-31,\n"
	 "\"2026-01-31 12:00\", today, yesterday, or an age: 10m, 2h, 3d.\n",
	 "json since until of-session of-project last refused follow", 0, 0, false, false, false},
	{"learn", cli_learn, "run a command and write the policy that it needs",
	 "[--] COMMAND [ARG...]",
	 "Runs it by the policy, asks about what it was refused, and runs it again with what\n"
	 "was confirmed, until it succeeds. Exit status: the command's own.\n",
	 "open out diff yes force", 1, INT_MAX, true, true, true},
	{"report", cli_report, "write a page of HTML about a session", "[SESSION]",
	 "What the log knows of the session that started last, or of SESSION, an id or the\n"
	 "beginning of one: refusals, files, a timeline, connections, limits, guarantees.\n",
	 "out force", 0, 1, true, false, false},
	{"sbpl", cli_sbpl, "print the macOS profile of a policy and its parameters", "",
	 "For macOS, on any system. --home and -C name folders of a Mac, which need not be\n"
	 "here. What a session adds (private tmp, fingerprint, proxy) is not shown.\n",
	 "json", 0, 0, true, false, false},
	{"record", cli_record, "print the record that an editor's settings mean", "[SETTINGS...]",
	 "For --sandbox-exec and --config-fd. SETTINGS are files of Zed's settings; a later\n"
	 "one overrides key by key. Exit status 0, or 1 when they are off or leave out the\n"
	 "command (--for): then nothing is printed.\n",
	 "project for system home track-only", 0, INT_MAX, false, false, false},
	{"--sandbox-exec", cli_wrapper, "", "-- [COMMAND [ARG...]]",
	 "The call of an editor's terminal. Exit status as in run. Refusals are written to\n"
	 "--status-fd and the log; to the terminal only with -v or --hints.\n",
	 "sandbox-exec config-fd verbose pty leave session fingerprint grace status-fd summary "
	 "hints",
	 0, INT_MAX, true, true, true},
	{"--version", cli_version, "", "",
	 "With -v: how this program was built, and what this host can do.\n", "json verbose", 0, 0,
	 false, false, false},
	{0},
};

const struct cli_command *
cli_command(const char *name)
{
	for (const struct cli_command *c = commands; c->name != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static int
unknown(const char *name)
{
	const char *names[COUNT(commands)] = {0};
	auto_str struct str visible = {0};
	const char *nearest, *shown;
	size_t count = 0;

	for (const struct cli_command *c = commands; c->name != NULL; c++)
		if (*c->summary != '\0')
			names[count++] = c->name;
	nearest = str_nearest_word(name, names, count);
	str_visible(&visible, name);
	shown = visible.failed || visible.text == NULL ? "" : visible.text;
	if (cli_is_program(name))
		fprintf(stderr, "cordon: \"%s\" is a program; did you mean `cordon run %s`?\n",
			shown, shown);
	else if (*name == '-')
		fprintf(stderr,
			"cordon: \"%s\" stands before a command; options follow it, as in "
			"`cordon run --read PATH make`\n",
			shown);
	else
		fprintf(stderr,
			"cordon: there is no command \"%s\"%s%s%s; `cordon --help` lists them, "
			"`cordon run` runs programs\n",
			shown, nearest == NULL ? "" : " (did you mean \"",
			nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?)");
	return EXIT_CORDON;
}

static int
help(void)
{
	printf("cordon: run a command in a sandbox that reaches only what you allow\n\n"
	       "usage: cordon COMMAND [options] ...\n"
	       "       cordon -- PROGRAM [ARG...]     as `cordon run`, without options\n\n");
	for (const struct cli_command *c = commands; c->name != NULL; c++)
		if (*c->summary != '\0')
			printf("  %-8s %s\n", c->name, c->summary);
	printf("\n`cordon COMMAND --help` explains a command; manuals: cordon(1), "
	       "cordon.json(5).\n");
	return cli_put("", NULL, 0);
}

static int
help_about(const char *name)
{
	const struct cli_command *command = cli_command(name);

	if (command == NULL)
		return unknown(name);
	cli_help(command);
	return cli_put("", NULL, 0);
}

static int
run_command(const struct cli_command *command, const char *program, int argc, char **argv)
{
	struct cli cli = CLI_START(command);
	int status;

	if (cli.setup == NULL) {
		fputs("cordon: out of memory\n", stderr);
		return EXIT_CORDON;
	}
	cli.program = program;
	/* the default; an explicit other system fails with "no such profile" */
	if (command->run == cli_sbpl)
		cordon_setup_set(cli.setup, CORDON_OPT_SYSTEM, "macos", NULL);
	status = cli_parse(&cli, argc, argv);
	if (status == 0)
		status = command->run(&cli);
	else if (status == 1)
		status = cli_put("", NULL, 0);
	cordon_setup_free(cli.setup);
	return status != 0 && command->run == cli_hook ? EXIT_HOOK_REFUSES : status;
}

/* Does the call begin with an option of the editors' wrapper? Other options may stand before it. */
static bool
is_wrapper_call(int argc, char **argv)
{
	static const char *const names[] = {"--sandbox-exec", "--config-fd"};

	for (int i = 1; i < argc && *argv[1] == '-' && strcmp(argv[i], "--") != 0; i++)
		for (size_t n = 0; n < COUNT(names); n++)
			if (str_starts(argv[i], names[n]) &&
			    strchr("=", argv[i][strlen(names[n])]) != NULL)
				return true;
	return false;
}

/* A login program calls its shell with a "-" before the name. */
static bool
is_shell_name(const char *name)
{
	return strcmp(path_last(name + (*name == '-')), CLI_SHELL_NAME) == 0;
}

int
main(int argc, char **argv)
{
	const struct cli_command *command;

	os_malloc_short_lived();
	if (argc > 0 && is_shell_name(argv[0]))
		return run_command(cli_command("shell"), argv[0], argc - 1, argv + 1);
	if (argc < 2) {
		fputs("usage: cordon COMMAND [options] ...\n"
		      "try `cordon run make`, `cordon shell` or `cordon plan`; `cordon --help` "
		      "lists the commands\n",
		      stderr);
		return EXIT_CORDON;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return argc == 2 ? help() : help_about(argv[2]);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return run_command(cli_command("--version"), argv[0], argc - 2, argv + 2);
	if (strcmp(argv[1], "--") == 0)
		return run_command(cli_command("run"), argv[0], argc - 1, argv + 1);
	if (is_wrapper_call(argc, argv))
		return run_command(cli_command("--sandbox-exec"), argv[0], argc - 1, argv + 1);
	command = cli_command(argv[1]);
	return command == NULL ? unknown(argv[1])
			       : run_command(command, argv[0], argc - 2, argv + 2);
}
