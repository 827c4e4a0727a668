// SPDX-License-Identifier: MIT
/*
 * cordon run, and what cordon --sandbox-exec does after its record is read. cordon prints nothing on stdout
 * while a command runs;
 * the exit status is that of the command.
 */
#include "base/os_process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/fd.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/shell_prompt.h"

#define EXIT_TIME 124
#define REFUSED 1 /* the reason was printed already */

/* One line per guarantee: how this run enforces it. */
static void
say_guarantees(const struct cordon_plan *plan)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	const char *part;

	if (cordon_plan_print(plan, CORDON_TEXT, 0, &text, &err) < 0)
		return;
	part = strstr(text, "\nguarantees\n");
	fputs(part == NULL ? text : part + 1, stderr);
}

/* There is no session to report events, so tell the reader of the status fd that there will be none. */
static void
tell_unplanned(const struct cli *cli, const char *why)
{
	auto_str struct str line = {0};
	char when[32] = "";
	time_t now = time(NULL);
	struct tm utc;

	if (cli->status_fd < 0)
		return;
	if (gmtime_r(&now, &utc) != NULL)
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
	str_printf(&line,
		   "{\"v\": 1, \"time\": \"%s\", \"event\": \"end\", \"cause\": \"not started\", ",
		   when);
	str_add(&line, "\"error\": ");
	str_json(&line, why);
	str_add(&line, "}\n");
	if (line.failed || fd_write_line(cli->status_fd, line.text, line.length) < 0)
		fputs("cordon: cannot write to the status descriptor\n", stderr);
}

/* Prints every gap with reason and remedy; the command is not started. */
static void
refuse_gaps(const struct cli *cli, const struct cordon_plan *plan)
{
	auto_str struct str all = {0};
	const char *gap;

	for (size_t i = 0; (gap = cordon_plan_gap(plan, i)) != NULL; i++) {
		cli_say(cli, "cannot enforce %s", gap);
		str_printf(&all, "%scannot enforce %s", i == 0 ? "" : "\n", gap);
	}
	tell_unplanned(cli, all.failed || all.text == NULL ? "cannot enforce every guarantee"
							   : all.text);
}

static int
not_started(const struct cli *cli, const struct cordon_error *err)
{
	cli_fail(cli, err);
	return err->sys == 126 || err->sys == 127 ? err->sys : EXIT_CORDON;
}

/* Prints each line after word; returns the number of lines. */
static int
say_lines(const struct cli *cli, const char *word, const char lines[][CORDON_LINE], int count)
{
	int i;

	for (i = 0; i < count && *lines[i] != '\0'; i++)
		cli_say(cli, "%s: %s", word, lines[i]);
	return i;
}

/* Autorun files that changed: the next build, test run or push executes them. */
static void
say_changes(const struct cli *cli, const struct cordon_run *run)
{
	int said = say_lines(cli, "runs later", run->changes, COUNT(run->changes));

	if (run->changed > said)
		cli_say(cli, "runs later: and %d more", run->changed - said);
}

/*
 * A command can make writes to the terminal or pipe that it shares with us fail (O_NONBLOCK) or wait (TCOOFF).
 * What the caller has set itself stays: O_NONBLOCK by the flags from before, ^S is not undone by TCOON.
 */
static void
restore_stderr(int flags)
{
	int now = fcntl(STDERR_FILENO, F_GETFL);

	if (flags >= 0 && !(flags & O_NONBLOCK) && now >= 0 && (now & O_NONBLOCK))
		fcntl(STDERR_FILENO, F_SETFL, now & ~O_NONBLOCK);
	if (tcgetpgrp(STDERR_FILENO) == getpgrp())
		tcflow(STDERR_FILENO, TCOON);
}

static void
explain_refusals(const struct cli *cli, const struct cordon_run *run)
{
	say_lines(cli, "refused", run->refusals, COUNT(run->refusals));
	if (*run->refusals_policy != '\0')
		cli_say(cli, "in a policy: %s", run->refusals_policy);
	if (*run->refusals[0] != '\0' && run->refusals_advice != NULL)
		cli_say(cli, "the policy says: %s", run->refusals_advice);
	if (run->refusals_more > 0)
		cli_say(cli, "and %d more: cordon why --last", run->refusals_more);
}

/* After a failure, what was refused and what to type; after a success, only that something was. */
static void
say_refusals(const struct cli *cli, const struct cordon_run *run)
{
	/* a shell ends with the status of its last command, and showed the refusals when they happened */
	bool failed = cli->prompt == NULL &&
		      (run->status != 0 || run->signal != 0 || (run->refused_daemon && !cli->pty));

	if (failed) {
		explain_refusals(cli, run);
		if (run->unseen)
			cli_say(cli, "reads that the kernel refuses are not seen: run it again "
				     "with --trace");
	} else if (run->refused_only_here > 0)
		cli_say(cli, "%d refused; cordon why --last", run->refused_only_here);
}

/* An editor reads refusals from the status fd; the terminal of its user gets them only if asked for. */
static bool
shows_refusals(const struct cli *cli)
{
	return !cli->quiet && (!cli_is_wrapper(cli) || cli->verbose || cli->hints_given);
}

/* Messages about the end of a session, other than a plain exit. */
static void
say_end(const struct cli *cli, const struct cordon_run *run)
{
	static const char *const words[CORDON_CAUSES] = {
		[CORDON_ENDED_TIME] = "the time limit ended it",
		[CORDON_ENDED_OUTPUT] = "the output limit ended it",
		[CORDON_ENDED_MEMORY] = "the memory limit ended it",
		[CORDON_ENDED_KILLED] = "it was ended from outside",
		[CORDON_ENDED_CPU_TIME] = "the limit of CPU time ended it",
		[CORDON_ENDED_CRASHED] = "its guard crashed, and it was ended; this is a fault of "
					 "cordon, please report it",
	};

	/* the terminal's settings may stop a background process that writes (tostop) */
	signal(SIGTTOU, SIG_IGN);
	if (words[run->cause] != NULL)
		cli_say(cli, "%s", words[run->cause]);
	if (cli->hints == HINTS_TEXT && shows_refusals(cli))
		say_refusals(cli, run);
	/* the kernel gives no other hint of SIGSYS */
	if ((run->signal == SIGSYS || run->status == 128 + SIGSYS) && !cli->track_only &&
	    shows_refusals(cli))
		fputs("cordon: it made a system call that the sandbox blocks (SIGSYS): programs "
		      "of another architecture, such as 32-bit ones, do not run inside\n",
		      stderr);
	if (cli->verbose || cli->summary)
		say_changes(cli, run);
	if (run->left > 0)
		cli_say(cli, "%d %s not end: %s", run->left,
			run->left == 1 ? "process did"
				       : "processes "
					 "did",
			run->survivors);
	if (*run->notice != '\0' && !cli->quiet)
		cli_say(cli, "%s", run->notice);
	/* always, and last: the command cannot write after it, so an agent need not believe any other line */
	if (cli->hints == HINTS_JSON)
		fprintf(stderr, "%s\n", run->refusals_json);
}

/* The terminal's ^C reached cordon too: die of it, so that a waiting shell sees it. */
static int
end_as(const struct cordon_run *run)
{
	if (run->cause == CORDON_ENDED_TIME)
		return EXIT_TIME;
	if (run->cause == CORDON_ENDED_OUTPUT)
		return 128 + SIGPIPE;
	if (run->signal == 0)
		return run->status;
	if (run->by_terminal) {
		struct rlimit none = {0, 0};

		/* cordon itself must not leave a core file */
		setrlimit(RLIMIT_CORE, &none);
		signal(run->signal, SIG_DFL);
		raise(run->signal);
	}
	return 128 + run->signal;
}

/* Opens /dev/null for any closed fd among 0 to 2, or cordon's own fds would get that number. */
static int
reserve_standard(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
			return -1;
	return 0;
}

/*
 * Makes cordon undumpable: its memory has variables withheld from the command. After planning, which probes
 * whether a child's memory can be read. Not by RLIMIT_CORE, which a tracked command inherits.
 */
static int
hide(struct cordon_error *err)
{
	if (os_no_core() == 0)
		return 0;
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot hide the launcher's memory");
}

/* Runs the command unless the plan has gaps. */
static int
run_by_plan(struct cli *cli, const struct cordon_command *command, struct cordon_plan **ret_plan,
	    struct cordon_run *ret_run, struct cordon_error *err)
{
	int rc = cordon_plan_new(cli->setup, ret_plan, err);
	struct cordon_plan *plan = *ret_plan;

	if (rc < 0) {
		tell_unplanned(cli, err->text);
		return rc;
	}
	cli_notices(cli, plan);
	if (cordon_plan_gaps(plan) > 0) {
		refuse_gaps(cli, plan);
		return REFUSED;
	}
	if (cli->verbose)
		say_guarantees(plan);
	rc = hide(err);
	return rc < 0 ? rc : cordon_run(plan, command, ret_run, err);
}

static int
track(struct cli *cli, const struct cordon_command *command, struct cordon_run *ret_run,
      struct cordon_error *err)
{
	int rc = hide(err);

	return rc < 0 ? rc : cordon_track(cli->setup, command, ret_run, err);
}

int
cli_run_words(struct cli *cli, char **argv, bool login)
{
	struct cordon_command command = {.argv = argv,
					 .login = login,
					 .pty = cli->pty,
					 .leave = cli->leave,
					 .fingerprint = cli->fingerprint,
					 .session = cli->session,
					 .status_fd = cli->status_fd,
					 .grace_ms = cli->grace_ms,
					 .refused = cli->prompt == NULL ? NULL : shell_prompt_add,
					 .refused_context = cli->prompt};
	struct cordon_plan *plan = NULL;
	struct cordon_error err = {0};
	struct cordon_run run = {0};
	int rc, flags, status = EXIT_CORDON;

	if (reserve_standard() < 0) {
		fputs("cordon: cannot open /dev/null\n", stderr);
		return EXIT_CORDON;
	}
	flags = fcntl(STDERR_FILENO, F_GETFL);
	rc = cli->track_only ? track(cli, &command, &run, &err)
			     : run_by_plan(cli, &command, &plan, &run, &err);
	restore_stderr(flags);
	if (cli->prompt != NULL)
		shell_prompt_end(cli->prompt);
	if (rc == 0) {
		say_end(cli, &run);
		status = end_as(&run);
	} else if (rc != REFUSED) {
		status = not_started(cli, &err);
	}
	status = cli_leave(status);
	cordon_plan_free(plan);
	return status;
}

int
cli_run(struct cli *cli)
{
	return cli_run_words(cli, cli->operands, false);
}
