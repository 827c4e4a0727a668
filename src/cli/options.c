// SPDX-License-Identifier: MIT
/*
 * Options: one table for all commands. An option is either passed on to the library's setup, or sets a flag
 * of the program.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"
#include "cli/cli.h"

struct cli_option {
	char letter; /* short option, or 0 */
	const char *name;
	const char *value; /* name of the value for --help; NULL: takes none */
	int setup;	   /* enum cordon_option, or -1 for a flag */
	size_t flag;	   /* offset in struct cli: of a bool, or of a text if there is a value */
	const char *help;
	const char *
		flag_name; /* in struct cli_command, where commands mean different things; or NULL */
};

#define SETUP(letter, name, value, option, help)                        \
	{                                                               \
		letter, name, value, CORDON_OPT_##option, 0, help, NULL \
	}
#define FLAG(letter, name, help)                                                \
	{                                                                       \
		letter, #name, NULL, -1, offsetof(struct cli, name), help, NULL \
	}
#define TEXT(flag_name, name, value, member, help)                                \
	{                                                                         \
		0, name, value, -1, offsetof(struct cli, member), help, flag_name \
	}
#define OTHER(name, value, help)                  \
	{                                         \
		0, name, value, -1, 0, help, NULL \
	}

static const struct cli_option table[] = {
	SETUP('p', "policy", "FILE|PROFILE", POLICY, "add a policy file or a profile (repeatable)"),
	SETUP(0, "policy-json", "TEXT", POLICY_JSON, "add a policy given as text"),
	SETUP('C', "project", "DIR", PROJECT, "the project, instead of finding it upwards"),
	SETUP(0, "read", "PATH", READ, "may be read"),
	SETUP(0, "write", "PATH", WRITE, "may be read, changed, created, deleted"),
	SETUP(0, "execute", "PATH", EXECUTE, "may be read and run"),
	SETUP(0, "deny", "PATH", DENY, "nothing at all"),
	SETUP(0, "protect", "PATH", PROTECT, "never changed, not even created"),
	SETUP(0, "net", "MODE", NET, "none, localhost, localhost:PORT,..., domains, all"),
	SETUP(0, "udp", NULL, UDP, "UDP and unix datagrams, with --net localhost"),
	SETUP(0, "domain", "NAME", DOMAIN, "a domain to reach; *.NAME for those below it"),
	SETUP(0, "port", "N", PORT, "one more port for the domains"),
	SETUP(0, "opaque-port", "N", OPAQUE_PORT, "one more, for any protocol"),
	SETUP(0, "private", "RANGE", PRIVATE, "private addresses that a domain may resolve to"),
	SETUP(0, "resolver", "ADDRESS:PORT", RESOLVER, "where names are looked up"),
	SETUP(0, "socket", "PATH", SOCKET, "a unix socket, or ssh-agent, docker, ..."),
	SETUP(0, "env", "NAME[=VALUE]", ENV, "a variable that passes, or is set"),
	SETUP(0, "tmp", "WHICH", TMP, "the temporary folder: private, shared"),
	SETUP(0, "ipc", "KIND", IPC, "none, or sysv: System V queues and memory"),
	SETUP(0, "time", "LIMIT", TIME, "end everything after 90s, 10m, 2h"),
	SETUP(0, "output", "LIMIT", OUTPUT, "end everything after 16M of output"),
	SETUP(0, "processes", "N", PROCESSES, "no more processes than that"),
	SETUP(0, "memory", "LIMIT", MEMORY, "no more memory than 2G, over all processes"),
	SETUP(0, "file-size", "LIMIT", FILE_SIZE, "no file larger than 1G"),
	SETUP(0, "cpu-time", "LIMIT", CPU_TIME, "end a process after 10m of CPU time"),
	SETUP(0, "open-files", "N", OPEN_FILES, "no process opens more files than that"),
	SETUP(0, "accept", "GAP", ACCEPT, "run without this guarantee"),
	SETUP(0, "no-project-policy", NULL, NO_PROJECT_POLICY, "ignore the project's own policy"),
	SETUP(0, "for", "run|shell", COMMAND, "whose default profile applies (run)"),
	SETUP(0, "system", "linux|macos", SYSTEM, "plan for this system"),
	SETUP(0, "home", "DIR", HOME, "what ~ stands for"),
	SETUP(0, "facts", "FILE", FACTS, "what the host can do, instead of probing"),
	SETUP(0, "trace", NULL, TRACE, "report reads and programs, too; slower"),
	FLAG(0, pty, "a terminal of its own"),
	{0, "track-only", NULL, -1, offsetof(struct cli, track_only),
	 "restrict nothing, only end all processes at the end", NULL},
	FLAG(0, fingerprint, "track by a profile that restricts nothing (macOS)"),
	FLAG(0, leave, "let what it leaves behind run until `cordon kill`"),
	TEXT("session", "session", "NAME", session, "join the session of that name, or start it"),
	TEXT("of-session", "session", "ID", session,
	     "of this session: its id, or the beginning of it"),
	TEXT("of-project", "project", "DIR", of_project, "of sessions in this folder"),
	TEXT("since", "since", "TIME", since, "not older"),
	TEXT("until", "until", "TIME", until, "only older"),
	FLAG(0, last, "of the session that started last"),
	FLAG(0, refused, "only what was refused"),
	FLAG(0, open, "confirm all that may be suggested, in a copy of the project"),
	{'o', "out", "FILE", -1, offsetof(struct cli, out), "write it to this file", NULL},
	FLAG(0, diff, "only what the policy lacks"),
	FLAG(0, follow, "keep printing new events until interrupted"),
	OTHER("grace", "TIME", "send SIGTERM, and SIGKILL after 2s or 500ms"),
	OTHER("status-fd", "N", "JSON lines about the session on this descriptor"),
	OTHER("hints", "FORM", "what was refused, at the end: text, json"),
	FLAG(0, summary, "list changed files that other programs run later"),
	FLAG('v', verbose, "say everything"),
	FLAG('q', quiet, "no notices"),
	TEXT("ref", "ref", "REF", ref, "what a checkout of this ref would bring"),
	FLAG(0, print, "print the policy on standard output"),
	{'c', "command", "COMMAND", -1, offsetof(struct cli, shell_command),
	 "run this by the shell, and no terminal", "command"},
	FLAG('l', login, "as a login shell, also with -c"),
	FLAG('i', interactive, "as an interactive shell, also with -c"),
	FLAG(0, yes, "approve what is listed"),
	FLAG(0, remove, "take back what was set up"),
	FLAG(0, revoke, "revoke the approval"),
	FLAG(0, force, "replace a policy that is there"),
	FLAG(0, profiles, "list the profiles"),
	FLAG(0, root, "the root itself counts as inside"),
	FLAG(0, all, "all of them"),
	TEXT(NULL, "sandbox-exec", "JSON", record, "the record of an editor: policy and project"),
	TEXT(NULL, "config-fd", "N", record_fd, "the same, read from this descriptor"),
	OTHER("json", NULL, "JSON instead of words"),
};

static bool
is_json(const struct cli_option *option)
{
	return strcmp(option->name, "json") == 0;
}

static bool
in_list(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = strstr(list, name); at != NULL; at = strstr(at + 1, name))
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

/* Assumed facts are for planning only, never for running. */
static bool
is_for_planning(int setup)
{
	return setup == CORDON_OPT_COMMAND || setup == CORDON_OPT_SYSTEM ||
	       setup == CORDON_OPT_FACTS;
}

static bool
belongs(const struct cli_command *command, const struct cli_option *option)
{
	if (option->setup >= 0 && in_list(command->flags, option->name))
		return true;
	if (option->setup >= 0)
		return command->setup && !(command->runs && is_for_planning(option->setup));
	if (strcmp(option->name, "quiet") == 0)
		return true;
	return in_list(command->flags,
		       option->flag_name == NULL ? option->name : option->flag_name);
}

void
cli_help(const struct cli_command *command)
{
	printf("usage: cordon %s [options]%s%s\n\n%s\n", command->name,
	       *command->synopsis == '\0' ? "" : " ", command->synopsis, command->help);
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct cli_option *o = &table[i];
		char left[48];

		if (!belongs(command, o))
			continue;
		snprintf(left, sizeof left, "%c%c --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->name, o->value ? " " : "",
			 o->value ? o->value : "");
		printf("  %-26s %s\n", left, o->help);
	}
}

int
cli_usage(const struct cli *cli, const char *format, ...)
{
	auto_str struct str shown = {0};
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	str_visible(&shown, text);
	fprintf(stderr, "cordon %s: %s%s `cordon %s --help` says more\n", cli->command->name,
		shown.failed ? "out of memory" : shown.text,
		shown.length > 0 && shown.text[shown.length - 1] == '?' ? "" : ";",
		cli->command->name);
	return EXIT_CORDON;
}

/* Names that people bring from other programs, and what does the same here. */
static const struct {
	const char *name, *instead;
} foreign[] = {{"debug", "-v says more, `cordon log` what happened"},
	       {"log", "`cordon log` is a command"},
	       {"dry-run", "`cordon plan` shows what would be enforced"},
	       {"allow-read", "--read PATH grants reading"},
	       {"allow-write", "--write PATH grants changes"},
	       {"allow-net", "--domain NAME grants a host, --net all everything"},
	       {"allow-run", "--execute PATH grants running"},
	       {"allow-env", "--env NAME passes a variable"},
	       {"network", "--net MODE chooses the network"},
	       {"no-network", "--net none is the default of run"},
	       {"unshare-net", "--net none is the default of run"},
	       {"share-net", "--net all opens the network"},
	       {"bind", "--write PATH grants a folder; nothing is mounted"},
	       {"ro-bind", "--read PATH grants a folder; nothing is mounted"},
	       {"volume", "--read PATH and --write PATH grant folders; nothing is mounted"},
	       {"mount", "--read PATH and --write PATH grant folders; nothing is mounted"},
	       {"workdir", "the command starts in the working directory; -C DIR names the project"},
	       {"cwd", "the command starts in the working directory; -C DIR names the project"},
	       {"chdir", "the command starts in the working directory; -C DIR names the project"},
	       {"setenv", "--env NAME=VALUE sets a variable"},
	       {"env-file", "--env NAME=VALUE sets a variable"},
	       {"timeout", "--time LIMIT ends the command"},
	       {"profile", "-p PROFILE adds a profile"},
	       {"config", "-p FILE adds a policy"}};

static const char *
find_foreign(const char *argument)
{
	const char *name = argument + strspn(argument, "-");
	size_t length = strcspn(name, "=");

	for (size_t i = 0; i < COUNT(foreign); i++)
		if (strlen(foreign[i].name) == length &&
		    strncmp(foreign[i].name, name, length) == 0)
			return foreign[i].instead;
	return NULL;
}

static int
unknown_option(const struct cli *cli, const char *argument)
{
	const char *names[COUNT(table)] = {0}, *nearest, *instead = find_foreign(argument);
	size_t count = 0;

	if (instead != NULL && argument[1] == '-')
		return cli_usage(cli, "there is no option %s: %s", argument, instead);

	for (size_t i = 0; i < COUNT(table); i++)
		if (belongs(cli->command, &table[i]))
			names[count++] = table[i].name;
	nearest = str_nearest_word(argument + strspn(argument, "-"), names, count);
	if (nearest != NULL)
		return cli_usage(cli, "there is no option %s; did you mean --%s?", argument,
				 nearest);
	return cli_usage(cli, "there is no option %s", argument);
}

/* Finds the option of an argument, and its value if it is in the same argument. */
static const struct cli_option *
find_option(const struct cli *cli, const char *argument, const char **ret_value)
{
	bool is_long = argument[1] == '-';
	size_t length = is_long ? strcspn(argument + 2, "=") : 1;

	*ret_value = NULL;
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct cli_option *o = &table[i];

		if (!belongs(cli->command, o))
			continue;
		if (is_long ? strlen(o->name) != length ||
				      strncmp(argument + 2, o->name, length) != 0
			    : o->letter == '\0' || o->letter != argument[1])
			continue;
		if (is_long && argument[2 + length] == '=')
			*ret_value = argument + 3 + length;
		else if (!is_long && argument[2] != '\0')
			*ret_value = argument + 2;
		return o;
	}
	return NULL;
}

static int
set_status_fd(struct cli *cli, const char *value)
{
	uint64_t fd;

	if (!str_number(value, INT_MAX, &fd) || fcntl((int)fd, F_GETFD) < 0)
		return cli_usage(cli, "--status-fd: \"%s\" is not an open descriptor", value);
	cli->status_fd = (int)fd;
	return 0;
}

static int
set_grace(struct cli *cli, const char *value)
{
	static const struct {
		const char *name;
		int64_t ms;
	} units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}};
	const int64_t day = 86400000;
	const char *unit;
	uint64_t number;

	if (str_digits(value, (uint64_t)day, &number, &unit)) {
		for (size_t i = 0; i < COUNT(units); i++) {
			if (strcmp(unit, units[i].name) != 0 || (int64_t)number > day / units[i].ms)
				continue;
			cli->grace_ms = (int64_t)number * units[i].ms;
			return 0;
		}
	}
	return cli_usage(cli, "--grace: \"%s\" is not a time such as 2s or 500ms, up to a day",
			 value);
}

static int
set_hints(struct cli *cli, const char *value)
{
	cli->hints_given = true;
	cli->hints = strcmp(value, "json") == 0 ? HINTS_JSON : HINTS_TEXT;
	if (cli->hints == HINTS_JSON || strcmp(value, "text") == 0)
		return 0;
	return cli_usage(cli, "--hints: \"%s\" is neither text nor json", value);
}

static int
set_text(struct cli *cli, const struct cli_option *option, const char *value)
{
	*(const char **)((char *)cli + option->flag) = value;
	return *value == '\0'
		       ? cli_usage(cli, "--%s: an empty argument is not a name", option->name)
		       : 0;
}

static int
apply(struct cli *cli, const struct cli_option *option, const char *value)
{
	struct cordon_error err = {0};

	if (option->setup >= 0) {
		if (cordon_setup_set(cli->setup, (enum cordon_option)option->setup,
				     value == NULL ? "" : value, &err) < 0)
			return cli_fail(cli, &err);
		if (option->setup == CORDON_OPT_ENV && strncmp(value, "HISTFILE=", 9) == 0)
			cli->has_history = true;
		if (option->setup == CORDON_OPT_ENV && strncmp(value, "PROMPT_COMMAND=", 15) == 0)
			cli->has_prompt = true;
		return 0;
	}
	if (strcmp(option->name, "status-fd") == 0)
		return set_status_fd(cli, value);
	if (strcmp(option->name, "grace") == 0)
		return set_grace(cli, value);
	if (strcmp(option->name, "hints") == 0)
		return set_hints(cli, value);
	if (is_json(option))
		cli->format = CORDON_JSON;
	else if (option->value != NULL)
		return set_text(cli, option, value);
	else
		*(bool *)((char *)cli + option->flag) = true;
	return 0;
}

/* Takes a letter without a value off the front: -lc is -l -c. Returns false if it stands alone. */
static bool
take_letter(const struct cli_option *option, const char *value, char **argument)
{
	if (option->value != NULL || value == NULL || (*argument)[1] == '-')
		return false;
	++*argument;
	**argument = '-';
	return true;
}

/* Parses the option at argv[*at]; moves *at past its value. */
static int
parse_option(struct cli *cli, int argc, char **argv, int *at)
{
	const struct cli_option *option;
	const char *value;
	bool more;
	int status;

	do {
		option = find_option(cli, argv[*at], &value);
		if (option == NULL)
			return unknown_option(cli, argv[*at]);
		more = take_letter(option, value, &argv[*at]);
		status = more ? apply(cli, option, NULL) : 0;
	} while (more && status == 0);
	if (status != 0)
		return status;
	if (option->value == NULL && value != NULL)
		return cli_usage(cli, "--%s takes no value", option->name);
	if (option->value != NULL && value == NULL) {
		/* the value is forgotten, and the command would become part of the options */
		if (*at + 1 >= argc || strcmp(argv[*at + 1], "--") == 0)
			return cli_usage(cli, "--%s needs a value: %s", option->name,
					 option->value);
		value = argv[++*at];
	}
	return apply(cli, option, value);
}

static int
check_operands(const struct cli *cli)
{
	if (cli->operand_count < cli->command->least)
		return cli_usage(cli, "missing argument: cordon %s %s", cli->command->name,
				 cli->command->synopsis);
	if (cli->operand_count > cli->command->most)
		return cli_usage(cli, "\"%s\" is an unexpected argument",
				 cli->operands[cli->command->most]);
	for (int i = 0; !cli->command->command && i < cli->operand_count; i++)
		if (*cli->operands[i] == '\0')
			return cli_usage(cli, "an empty argument is not a name");
	return 0;
}

int
cli_parse(struct cli *cli, int argc, char **argv)
{
	bool options = true;

	cli->operands = argv;
	for (int i = 0; i < argc; i++) {
		int status;

		if (options && strcmp(argv[i], "--") == 0) {
			options = false;
			cli->has_dashes = true;
		} else if (options &&
			   (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
			cli_help(cli->command);
			return 1;
		} else if (options && argv[i][0] == '-' && argv[i][1] != '\0') {
			status = parse_option(cli, argc, argv, &i);
			if (status != 0)
				return status;
		} else if (cli->command->command) {
			/* the rest belongs to the command, including options */
			cli->operands = argv + i;
			cli->operand_count = argc - i;
			break;
		} else {
			/* operands move to the front, over arguments already parsed */
			cli->operands[cli->operand_count++] = argv[i];
		}
	}
	return check_operands(cli);
}

/* One more word follows as the command: an option that lacks its value would take it. */
int
cli_check_run_options(char *const *words)
{
	struct cli run = CLI_START(cli_command("run"));
	auto_arena struct arena arena = {0};
	int count = 0, status = EXIT_CORDON;
	char **copy;

	while (words[count] != NULL)
		count++;
	copy = arena_alloc(&arena, ((size_t)count + 2) * sizeof *copy, NULL);
	for (int i = 0; copy != NULL && i < count; i++)
		copy[i] = arena_strdup(&arena, words[i], NULL);
	if (copy != NULL && run.setup != NULL) {
		copy[count] = (char *)"true";
		status = cli_parse(&run, count + 1, copy);
	}
	if (status == 0 &&
	    (run.operand_count != 1 || (count > 0 && strcmp(words[count - 1], "--") == 0)))
		status = cli_usage(
			&run, "\"%s\" is no option",
			words[run.operand_count > 1 ? count + 1 - run.operand_count : count - 1]);
	cordon_setup_free(run.setup);
	return status == 0 ? 0 : EXIT_CORDON;
}
