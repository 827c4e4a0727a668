// SPDX-License-Identifier: MIT
/* main(): finds the command, parses its options, runs it and returns its status. */
#include "base/os.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/str.h"
#include "cli/cli.h"

#define RECORD_MAX ((size_t)4 << 20) /* the limit of any policy */

const struct cli_command commands[] = {
	{"run", cli_run, "run a command in a sandbox", "[--] COMMAND [ARG...]",
	 "Exit status: the command's own; 128+N when signal N ended it; 124 time limit;\n"
	 "125 cordon failed or was misused; 126 not executable; 127 not found.\n",
	 "verbose pty leave session track-only fingerprint grace status-fd summary hints", 1,
	 INT_MAX, true, true, true},
	{"shell", cli_shell, "start a login shell in a sandbox", "",
	 "Starts the user's shell with the profile terminal. Exit status as in run.\n",
	 "verbose pty grace status-fd summary hints", 0, 0, true, true, false},
	{"why", cli_why, "say whether something is allowed, and by which rule",
	 "RIGHT PATH|connect HOST:PORT|socket PATH|env NAME",
	 "RIGHT is read, write, create, delete, execute, or letters of rwcdx. PATH need\n"
	 "not exist. Exit status 0 allowed, 1 denied. Without them, with --last or\n"
	 "--session: what a session was refused, and what would allow it; 1 if anything.\n",
	 "json last of-session", 0, 2, true, false, false},
	{"plan", cli_plan, "print what would be enforced on this host, and how", "",
	 "Exit status 0, or 1 when a guarantee cannot be kept and was not accepted.\n",
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
	{"init", cli_init, "write a starter policy for this project", "",
	 "Looks at the project and writes .cordon.json with comments.\n", "print force", 0, 0, true,
	 false, false},
	{"confine", cli_confine, "resolve a path inside a root, or say that it leads out",
	 "ROOT PATH", "Prints where PATH leads. Exit status 0 inside ROOT, 1 when it leads out.\n",
	 "json root", 2, 2, false, false, false},
	{"ps", cli_ps, "list live sessions", "",
	 "Lists the sessions of this user that are alive.\n", "json", 0, 0, false, false, false},
	{"kill", cli_kill, "end sessions", "ID|NAME...",
	 "Ends everything in them. ID may be the beginning of one. Exit status 0, or 1\n"
	 "when there is no such session.\n",
	 "all grace", 0, INT_MAX, false, false, false},
	{"log", cli_log, "show the log of sessions", "",
	 "Prints what sessions did and were refused, oldest first. TIME is 2026-01-31,\n"
	 "\"2026-01-31 12:00\", today, yesterday, or an age: 10m, 2h, 3d.\n",
	 "json since until of-session of-project last refused follow", 0, 0, false, false, false},
	{"sbpl", cli_sbpl, "print the macOS profile of a policy and its parameters", "",
	 "For macOS, on any system. --home and -C name folders of a Mac, which need not be\n"
	 "here. What a session adds (private tmp, fingerprint, proxy) is not shown.\n",
	 "json", 0, 0, true, false, false},
	{0},
};

static const struct cli_command *
find_command(const char *name)
{
	for (const struct cli_command *c = commands; c->name != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static bool
is_executable(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

/* Would `cordon run` find it? */
static bool
is_program(const char *name)
{
	const char *at = strchr(name, '/') == NULL ? getenv("PATH") : NULL;
	bool found = at == NULL && is_executable(name);

	while (at != NULL && !found) {
		size_t length = strcspn(at, ":");
		auto_str struct str path = {0};

		str_printf(&path, "%.*s/%s", (int)length, at, name);
		at = at[length] == ':' ? at + length + 1 : NULL;
		found = !path.failed && *path.text == '/' && is_executable(path.text);
	}
	return found;
}

static int
unknown(const char *name)
{
	const char *names[COUNT(commands)] = {0};
	auto_str struct str visible = {0};
	const char *near, *shown;
	size_t count = 0;

	for (const struct cli_command *c = commands; c->name != NULL; c++)
		names[count++] = c->name;
	near = str_nearest_word(name, names, count);
	str_visible(&visible, name);
	shown = visible.failed || visible.text == NULL ? "" : visible.text;
	if (is_program(name))
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
			shown, near == NULL ? "" : " (did you mean \"", near == NULL ? "" : near,
			near == NULL ? "" : "\"?)");
	return EXIT_CORDON;
}

static int
help(void)
{
	printf("cordon: run a command in a sandbox that reaches only what you allow\n\n"
	       "usage: cordon COMMAND [options] ...\n"
	       "       cordon -- PROGRAM [ARG...]     as `cordon run`, without options\n\n");
	for (const struct cli_command *c = commands; c->name != NULL; c++)
		printf("  %-8s %s\n", c->name, c->summary);
	printf("\n`cordon COMMAND --help` says more; cordon(1) and cordon.json(5) say everything.\n");
	return cli_put("", NULL, 0);
}

static int
help_about(const char *name)
{
	const struct cli_command *command = find_command(name);

	if (command == NULL)
		return unknown(name);
	cli_help(command);
	return cli_put("", NULL, 0);
}

static int
run_command(const struct cli_command *command, int argc, char **argv)
{
	struct cli cli = CLI_START(command);
	int status;

	if (cli.setup == NULL) {
		fputs("cordon: out of memory\n", stderr);
		return EXIT_CORDON;
	}
	/* the default; an explicit other system fails with "no such profile" */
	if (command->run == cli_sbpl)
		cordon_setup_set(cli.setup, CORDON_OPT_SYSTEM, "macos", NULL);
	status = cli_parse(&cli, argc, argv);
	if (status == 0)
		status = command->run(&cli);
	else if (status == 1)
		status = cli_put("", NULL, 0);
	cordon_setup_free(cli.setup);
	return status;
}

/*
 * The editors' wrapper: --sandbox-exec JSON -- COMMAND ARG... The record has the whole policy; without a
 * command it runs the user's shell as a login shell.
 */
static int
run_record(struct cli *cli, const char *record, int argc, char **argv)
{
	struct cordon_error err = {0};

	if (cordon_setup_set(cli->setup, CORDON_OPT_RECORD, record, &err) < 0)
		return cli_fail(&err);
	cli->track_only = cordon_setup_tracks(cli->setup);
	if (argc == 0)
		return cli_shell(cli);
	cli->operands = argv;
	cli->operand_count = argc;
	return cli_run(cli);
}

/* Reads the record and closes the fd: the command must not read the policy there or write to it. */
static int
take_record(const char *number, char **ret_record)
{
	struct cordon_error err = {0};
	uint64_t fd;
	int rc;

	if (!str_number(number, INT_MAX, &fd) || fcntl((int)fd, F_GETFD) < 0) {
		fputs("cordon: --config-fd is not the number of an open descriptor\n", stderr);
		return EXIT_CORDON;
	}
	rc = fd_read_text((int)fd, RECORD_MAX, ret_record, &err);
	close((int)fd);
	return rc < 0 ? cli_fail(&err) : 0;
}

/* --sandbox-exec shows the record in the process list; --config-fd does not. */
static int
sandbox_exec(int argc, char **argv)
{
	struct cli cli = CLI_START(find_command("run"));
	auto_free char *taken = NULL;
	bool by_fd = strcmp(argv[0], "--config-fd") == 0;
	int status = EXIT_CORDON;

	if (cli.setup == NULL || argc < 2 || (argc > 2 && strcmp(argv[2], "--") != 0))
		fprintf(stderr, "cordon: usage: cordon %s -- COMMAND [ARG...]\n",
			by_fd ? "--config-fd N" : "--sandbox-exec JSON");
	else if (!by_fd || (status = take_record(argv[1], &taken)) == 0)
		status = run_record(&cli, by_fd ? taken : argv[1], argc < 3 ? 0 : argc - 3,
				    argv + 3);
	cordon_setup_free(cli.setup);
	return status;
}

int
main(int argc, char **argv)
{
	const struct cli_command *command;

	os_malloc_short_lived();
	if (argc < 2) {
		fputs("usage: cordon COMMAND [options] ...\n"
		      "try `cordon run make`, `cordon shell` or `cordon plan`; `cordon --help` lists the commands\n",
		      stderr);
		return EXIT_CORDON;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return argc == 2 ? help() : help_about(argv[2]);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return cli_put("cordon " CORDON_VERSION "\n", NULL, 0);
	if (strcmp(argv[1], "--") == 0)
		return run_command(find_command("run"), argc - 1, argv + 1);
	if (strcmp(argv[1], "--sandbox-exec") == 0 || strcmp(argv[1], "--config-fd") == 0)
		return sandbox_exec(argc - 1, argv + 1);
	command = find_command(argv[1]);
	return command == NULL ? unknown(argv[1]) : run_command(command, argc - 2, argv + 2);
}
