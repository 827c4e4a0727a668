/* SPDX-License-Identifier: MIT */
/* Declarations shared by the commands: command table, options, output. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <cordon/cordon.h>

#define EXIT_CORDON 125	    /* cordon failed or was misused; differs from statuses of commands */
#define EXIT_HOOK_REFUSES 2 /* agents take it for a refusal, and any other failure for none */

#define CLI_SHELL_NAME "cordon-shell" /* a link of that name to cordon is a shell */

struct shell_prompt;
struct str;

/* What standard error gets after a command to which something was refused. */
enum cli_hints { HINTS_TEXT, HINTS_JSON };

/* Parsed options and operands of a command line. */
struct cli {
	const struct cli_command *command;
	struct cordon_setup *setup;
	enum cordon_format format;
	bool verbose, quiet, summary;
	enum cli_hints hints;
	bool hints_given;
	bool print, yes, revoke, force, profiles, root, pty, leave, track_only, all, fingerprint;
	int status_fd;	  /* -1: none */
	int64_t grace_ms; /* -1: default */
	const char *session;
	bool follow, last, refused, open, diff;
	const char *out;			/* file for the result; NULL: standard output */
	const char *since, *until, *of_project; /* of the log */
	const char *ref;			/* git ref to check; NULL: check policies */
	const char *record, *record_fd;		/* of an editor's wrapper, by one of two options */
	bool has_dashes;			/* "--" stands before the operands */
	bool remove;				/* of setup */
	bool login, interactive;		/* of shell */
	bool has_history;			/* --env HISTFILE=... */
	bool has_prompt;			/* --env PROMPT_COMMAND=... */
	struct shell_prompt *prompt; /* shows refusals while the shell runs; NULL: none */
	const char *shell_command;   /* of shell; NULL: a terminal */
	const char *program;	     /* the first word of the command line */
	char **operands;
	int operand_count;
};

struct cli_command {
	const char *name;
	int (*run)(struct cli *cli);
	const char *summary;
	const char *synopsis;
	const char *help;  /* text of --help between synopsis and options */
	const char *flags; /* names of its own options, separated by spaces */
	int least, most;   /* number of operands */
	bool setup;	   /* accepts policy options */
	bool runs;	   /* starts a command, so it accepts no assumed facts */
	bool command;	   /* operands are a command line: options end at the first */
};

extern const struct cli_command commands[];

int cli_run(struct cli *cli);
int cli_shell(struct cli *cli);
int cli_wrapper(struct cli *cli);
int cli_record(struct cli *cli);
/* Is this the call of an editor? Its user sees the terminal of the command, and the editor the status fd. */
bool cli_is_wrapper(const struct cli *cli);
int cli_check(struct cli *cli);
int cli_why(struct cli *cli);
int cli_plan(struct cli *cli);
int cli_doctor(struct cli *cli);
int cli_trust(struct cli *cli);
int cli_init(struct cli *cli);
int cli_confine(struct cli *cli);
int cli_ps(struct cli *cli);
int cli_kill(struct cli *cli);
int cli_log(struct cli *cli);
int cli_learn(struct cli *cli);
int cli_report(struct cli *cli);
int cli_sbpl(struct cli *cli);
int cli_hook(struct cli *cli);
int cli_setup(struct cli *cli);
int cli_mcp(struct cli *cli);
int cli_version(struct cli *cli);

/* Returns NULL if there is no such command. */
const struct cli_command *cli_command(const char *name);
/* Runs argv in a sandbox, and ends as it ended. */
int cli_run_words(struct cli *cli, char **argv, bool login);

/* Initial values. */
#define CLI_START(which)                                                                         \
	{                                                                                        \
		.command = (which), .setup = cordon_setup_new(), .status_fd = -1, .grace_ms = -1 \
	}
/* Fills cli from arguments. Returns 0, 1 after --help, or EXIT_CORDON after a message. */
int cli_parse(struct cli *cli, int argc, char **argv);
void cli_help(const struct cli_command *command);
/* Would `cordon run` take these words, up to NULL, and all as options? Returns 0, or EXIT_CORDON after a message. */
int cli_check_run_options(char *const *words);

/* Is there a program of that name, in PATH if it has no slash? */
bool cli_is_program(const char *name);
bool cli_find_program(const char *name, char ret_path[PATH_MAX]);
/* The absolute path of cordon itself, which was called by this name. */
int cli_find_self(const char *name, char ret_path[PATH_MAX], struct cordon_error *err);
/* Prints the lines in which two texts differ. */
void cli_diff(const char *before, const char *after, struct str *to);

/*
 * Exits without freeing memory, which takes longer than many commands run. Not for callers with buffered
 * output. Returns status only in a build that looks for leaks.
 */
int cli_leave(int status);

/* Prints "cordon: TEXT" on stderr, or with the option of the editors' wrapper. Returns EXIT_CORDON. */
int cli_fail(const struct cli *cli, const struct cordon_error *err);
/* Prints one line on stderr likewise, with control characters escaped. */
void cli_say(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_usage(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the notices of a plan, unless -q. */
void cli_notices(const struct cli *cli, const struct cordon_plan *plan);
/* Writes a file that is not there yet, or replaces it with force. */
int cli_write_new(const char *path, const char *text, bool force, struct cordon_error *err);
/* Prints text on stdout. On a terminal the first word gets colour unless that is NULL. */
int cli_put(const char *text, const char *colour, int status);
