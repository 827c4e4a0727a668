/* SPDX-License-Identifier: MIT */
/* What the commands share: their table, the options, and ways to speak. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cordon/cordon.h>

#define EXIT_CORDON 125 /* cordon failed or was misused; never a command's own status */

/* What the options and operands of one command line came to. */
struct cli {
	const struct cli_command *command;
	struct cordon_setup *setup;
	enum cordon_format format;
	bool verbose, quiet, summary;
	bool print, yes, revoke, force, profiles, root, pty, leave, track_only, all, fingerprint;
	int status_fd;	  /* -1: none */
	int64_t grace_ms; /* -1: nothing said */
	const char *session;
	const char *ref; /* to be checked; NULL: policies are */
	char **operands;
	int operand_count;
};

struct cli_command {
	const char *name;
	int (*run)(struct cli *cli);
	const char *summary;  /* one line */
	const char *synopsis; /* operands */
	const char *help;     /* what --help says between synopsis and options */
	const char *flags;    /* its own options, by their names, separated by spaces */
	int least, most;      /* operands */
	bool setup;	      /* takes the options that say what is planned */
	bool runs;	      /* starts something, so nothing can be assumed */
	bool command;	      /* its operands are a command line: options end at the first */
};

extern const struct cli_command commands[];

int cli_run(struct cli *cli);
int cli_shell(struct cli *cli);
int cli_check(struct cli *cli);
int cli_why(struct cli *cli);
int cli_plan(struct cli *cli);
int cli_doctor(struct cli *cli);
int cli_trust(struct cli *cli);
int cli_init(struct cli *cli);
int cli_confine(struct cli *cli);
int cli_ps(struct cli *cli);
int cli_kill(struct cli *cli);
int cli_sbpl(struct cli *cli);

/* What is there before any option was read. */
#define CLI_START(which)                                                                         \
	{                                                                                        \
		.command = (which), .setup = cordon_setup_new(), .status_fd = -1, .grace_ms = -1 \
	}
/* Fills cli from arguments; 0, 1 when --help was answered, or EXIT_CORDON after a message. */
int cli_parse(struct cli *cli, int argc, char **argv);
void cli_help(const struct cli_command *command);

/*
 * Ends the program, and with it all it holds: freeing piece by piece what goes as a whole takes longer
 * than many a command. For who has nothing to say on standard output. Returns status only where
 * somebody looks for lost memory.
 */
int cli_leave(int status);

/* "cordon: TEXT" on standard error. Returns EXIT_CORDON. */
int cli_fail(const struct cordon_error *err);
/* One line on standard error, in which nothing drives or misleads a terminal. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The notices of a plan, one line each, unless -q. */
void cli_notices(const struct cli *cli, const struct cordon_plan *plan);
/* text to standard output, its first word coloured on a terminal when colour is not NULL. */
int cli_put(const char *text, const char *colour, int status);
