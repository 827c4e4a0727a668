// SPDX-License-Identifier: MIT
/*
 * The supervisor: makes everything ready, forks, and then only waits. Signals are blocked and read
 * from a descriptor, so that the loop handles one thing at a time. It stops when the command stops and goes
 * on when the caller says so; to the caller it behaves like the command itself.
 */
#include "base/compat.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "session/session.h"

struct running {
	const struct session_request *request;
	struct arena arena;
	struct relay relay;
	bool has_relay;
	struct guard guard;
	const char *private_tmp;
	int signals; /* where blocked signals arrive; -1: not yet */
	sigset_t old_mask;
	pid_t command;
	double started;
	bool timed_out;
	bool terminal_signal[NSIG];
};

static const int handled[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGTSTP,  SIGTTIN,
			      SIGTTOU, SIGCONT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD};
#define HANDLED_COUNT (sizeof handled / sizeof handled[0])

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Blocked and read, never handled: what the caller ignores (nohup) stays ignored by itself. */
static int
catch_signals(struct running *run, struct cordon_error *err)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < HANDLED_COUNT; i++)
		sigaddset(&set, handled[i]);
	sigprocmask(SIG_BLOCK, &set, &run->old_mask);
	run->signals = compat_signal_fd(&set);
	if (run->signals < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot receive signals");
	return 0;
}

static void
restore_signals(struct running *run)
{
	if (run->signals < 0)
		return;
	close(run->signals);
	sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
}

/* ---- starting ---- */

/* EOF: the exec happened. Anything else is the reason why it did not. */
static int
read_report(int report, struct cordon_error *err)
{
	struct cordon_error why;
	ssize_t n;

	do
		n = read(report, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	if (n != (ssize_t)sizeof why || why.code <= 0)
		return cordon_fail(err, CORDON_E_SYSTEM, n < 0 ? errno : 0,
				   "the command was not started, and the reason got lost");
	why.text[sizeof why.text - 1] = '\0';
	if (err != NULL)
		*err = why;
	return -why.code;
}

static int
start(struct running *run, const struct box *box, const struct command_line *command,
      struct cordon_error *err)
{
	struct child child = {
		.box = box,
		.command = command,
		.limits = run->request->plan->settings.limits,
		.terminal = run->has_relay ? run->relay.slave : -1,
		.parent = getpid(),
	};
	auto_fd int report = -1;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	report = ends[0];
	child.report = ends[1];
	run->command = fork();
	if (run->command == 0)
		child_main(&child);
	close(ends[1]);
	if (run->command < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot start a process");
	rc = read_report(report, err);
	if (rc < 0) {
		while (waitpid(run->command, NULL, 0) < 0 && errno == EINTR)
			;
		run->command = 0;
	}
	return rc;
}

/* ---- waiting ---- */

/* The command stopped: so do we, by the same signal, until the caller lets us go on. */
static void
stop_with(struct running *run, int signal)
{
	sigset_t set, mask;

	if (run->has_relay)
		relay_suspend(&run->relay);
	sigemptyset(&set);
	sigaddset(&set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (run->has_relay)
		relay_resume(&run->relay);
	kill(run->command, SIGCONT);
}

/* True when the command has ended; *ret_status is its wait status. */
static bool
look_at_command(struct running *run, int *ret_status)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(run->command, &status, WNOHANG | WUNTRACED)) > 0 ||
	       (pid < 0 && errno == EINTR)) {
		if (pid < 0)
			continue;
		if (WIFSTOPPED(status)) {
			stop_with(run, WSTOPSIG(status));
			continue;
		}
		*ret_status = status;
		return true;
	}
	return false;
}

/* The terminal tells the whole group, the command included; a process tells only us. */
static void
forward(struct running *run, int signal, bool from_process)
{
	if (signal == SIGCHLD)
		return;
	if (signal == SIGWINCH) {
		if (run->has_relay)
			relay_resize(&run->relay);
		return;
	}
	if (from_process || run->has_relay || signal == SIGCONT)
		kill(run->command, signal);
	else
		run->terminal_signal[signal] = true;
}

static void
read_signals(struct running *run)
{
	bool from_process;
	int signal;

	while ((signal = compat_signal_read(run->signals, &from_process)) > 0)
		forward(run, signal, from_process);
}

static int
milliseconds_left(const struct running *run)
{
	uint64_t limit = run->request->plan->settings.limits[LIMIT_TIME].value;
	double left;

	if (limit == 0 || run->timed_out)
		return -1;
	left = (double)limit - (now() - run->started);
	return left <= 0 ? 0 : left > 1e6 ? 1000000000 : (int)(left * 1000) + 1;
}

static void
wait_for_something(struct running *run)
{
	bool relay = run->has_relay;
	struct pollfd fds[3] = {
		{.fd = run->signals, .events = POLLIN},
		{.fd = relay && !run->relay.input_done ? 0 : -1, .events = POLLIN},
		{.fd = relay ? run->relay.master : -1, .events = POLLIN},
	};
	int left = milliseconds_left(run);

	if (left == 0) {
		run->timed_out = true;
		kill(run->command, SIGKILL);
		left = -1;
	}
	if (poll(fds, 3, left) <= 0)
		return;
	if (fds[0].revents)
		read_signals(run);
	if (relay && (fds[1].revents || fds[2].revents) &&
	    !relay_pump(&run->relay, fds[1].revents != 0, fds[2].revents != 0))
		run->has_relay = false;
}

static void
drain_relay(struct running *run)
{
	struct pollfd fd = {.fd = run->relay.master, .events = POLLIN};

	while (run->has_relay && poll(&fd, 1, 0) > 0 && (fd.revents & POLLIN))
		if (!relay_pump(&run->relay, false, true))
			break;
}

static void
wait_for_end(struct running *run, struct session_result *to)
{
	int status = 0;

	if (run->has_relay) {
		close(run->relay.slave);
		run->relay.slave = -1;
		relay_resume(&run->relay);
	}
	while (!look_at_command(run, &status))
		wait_for_something(run);
	drain_relay(run);
	to->seconds = now() - run->started;
	to->cause = run->timed_out	  ? SESSION_TIME
		    : WIFSIGNALED(status) ? SESSION_SIGNALLED
					  : SESSION_EXITED;
	to->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	to->by_terminal = WIFSIGNALED(status) && run->terminal_signal[to->status];
}

/* ---- the whole ---- */

static int
prepare(struct running *run, struct box **ret_box, struct command_line *ret_command,
	struct cordon_error *err)
{
	const struct plan *plan = run->request->plan;
	struct box_options options = {0};
	int rc = 0;

	if (plan->settings.tmp == TMP_PRIVATE)
		rc = tmp_make(&run->arena, plan->host, &run->private_tmp, err);
	options.private_tmp = run->private_tmp;
	if (rc == 0)
		rc = command_prepare(&run->arena, run->request, run->private_tmp, ret_command, err);
	if (rc == 0)
		rc = enforce_compile(plan, &options, ret_box, err);
	if (rc == 0 && run->private_tmp != NULL)
		rc = guard_start(run->private_tmp, &run->guard, err);
	if (rc == 0 && run->request->pty) {
		rc = relay_open(&run->arena, &run->relay, err);
		run->has_relay = rc == 0;
	}
	return rc;
}

static void
clean_up(struct running *run)
{
	if (run->relay.saved != NULL)
		relay_close(&run->relay);
	if (run->private_tmp != NULL)
		tmp_remove(run->private_tmp);
	guard_dismiss(&run->guard);
	restore_signals(run);
	arena_free(&run->arena);
}

int
session_run(const struct session_request *request, struct session_result *ret_result,
	    struct cordon_error *err)
{
	struct running run = {.request = request, .signals = -1};
	struct command_line command;
	struct box *box = NULL;
	int rc = prepare(&run, &box, &command, err);

	run.started = now();
	if (rc == 0)
		rc = catch_signals(&run, err);
	if (rc == 0)
		rc = start(&run, box, &command, err);
	enforce_free(box);
	if (rc == 0)
		wait_for_end(&run, ret_result);
	clean_up(&run);
	return rc;
}
