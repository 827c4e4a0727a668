// SPDX-License-Identifier: MIT
/*
 * The supervisor's loop. Signals are blocked and read from an fd, so that events are handled one at
 * a time. The supervisor stops when the command stops, and continues at SIGCONT. The guard ends the
 * session. If the guard is killed, its orphans are reparented to the supervisor, which kills them.
 */
#include "base/os_process.h"

#include "session/supervisor/supervise.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/channel/channel.h"
#include "session/channel/events.h"
#include "session/channel/poll_trim.h"

/* Default time for a command to exit after SIGTERM or SIGHUP. */
#define GRACE_MS 5000

/* How often a background job checks whether it is in the foreground; no signal reports that. */
#define FRONT_MS 250

/* Indices of the poll set, in the order of fill_poll. */
enum {
	AT_SIGNALS,
	AT_LINE,
	AT_CALLER,
	AT_EVENTS,
	AT_OUTPUT,
	AT_RELAY = AT_OUTPUT + 2,
	AT_COUNT = AT_RELAY + RELAY_FDS
};

static void
order_signal(const struct supervision *run, int signal)
{
	struct guard_order order = {.kind = ORDER_SIGNAL, .value = signal};

	channel_send(run->guard.line, &order, sizeof order);
}

static void
order_end(struct supervision *run, enum session_cause cause, int64_t ms)
{
	struct guard_order order = {.kind = ORDER_END, .value = (int)cause, .ms = ms};

	channel_send(run->guard.line, &order, sizeof order);
	guard_timeout_expect(run, cause,
			     ms + (run->request->grace_ms > 0 ? run->request->grace_ms : 0));
}

static void
order_confirm(struct supervision *run)
{
	struct guard_order order = {.kind = ORDER_CONFIRM, .value = run->stop};

	channel_send(run->guard.line, &order, sizeof order);
}

static void
order_stops(const struct supervision *run)
{
	struct guard_order order = {.kind = ORDER_STOPS};

	if (!run->joins)
		channel_send(run->guard.line, &order, sizeof order);
}

/*
 * Continues the command after that stop; 0: it did not stop. It is in the foreground of its pty
 * exactly when the supervisor is in the foreground of the invoker's terminal.
 */
static void
order_continue(struct supervision *run, int stop)
{
	struct guard_order order = {.kind = ORDER_CONTINUE, .value = stop};

	order.front = run->relay != NULL && pty_relay_enter(run->relay);
	channel_send(run->guard.line, &order, sizeof order);
}

/* ---- signals ---- */

/* After a signal that asks the command to exit: end the session when the grace is over. */
static void
expect_end(struct supervision *run)
{
	int64_t grace = run->request->grace_ms;

	order_end(run, SESSION_SIGNALLED, grace < 0 ? GRACE_MS : grace + 1);
}

static bool
asks_to_go(int signal)
{
	return signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP;
}

/*
 * Did the command not get the signal as well? A terminal signals the whole process group, command
 * included; kill() may reach only the supervisor. So does a terminal if the command has a pty, and
 * a hang-up, which goes to the session leader.
 */
static bool
is_for_us_alone(const struct supervision *run, const struct compat_signal *got)
{
	return got->from_process || run->relay != NULL || run->joins ||
	       (got->number == SIGHUP && getsid(0) == getpid());
}

/*
 * SIGCONT. From the guard it is about the supervisor, and so is the first after a stop. On a pty it
 * is not forwarded: the command is continued by ORDER_CONTINUE, with the new state of the terminal.
 */
static void
read_continue(struct supervision *run, const struct compat_signal *got)
{
	enum job_action action = JOB_NOTHING;

	if (got->pid != run->guard.pid) {
		action = job_control_supervisor(&run->job, SUPERVISOR_GETS_SIGCONT);
		/* while the guard was in the process group, a stop of the group stopped it too */
		if (!run->joins)
			kill(run->guard.pid, SIGCONT);
	}
	if (run->relay != NULL)
		order_continue(run, 0);
	else if (action == JOB_FORWARD_CONTINUE && is_for_us_alone(run, got))
		order_signal(run, SIGCONT);
}

static void
forward(struct supervision *run, const struct compat_signal *got)
{
	if (got->number == SIGCHLD) {
		guard_timeout_wake(run);
		return;
	}
	if (got->number == SIGCONT) {
		read_continue(run, got);
		return;
	}
	if (got->number == SIGWINCH && run->relay != NULL)
		pty_relay_resize(run->relay);
	/* the resize makes the kernel signal the foreground process group of the pty */
	if (got->number == SIGWINCH && run->relay != NULL && run->relay->in_front)
		return;
	if (is_for_us_alone(run, got))
		order_signal(run, got->number);
	if (!got->from_process && run->relay == NULL)
		run->terminal_signal[got->number] = true;
	if (got->number == SIGTERM || got->number == SIGHUP)
		expect_end(run);
	run->is_asked_to_end = run->is_asked_to_end || asks_to_go(got->number);
}

static void
read_signals(struct supervision *run)
{
	struct compat_signal got;

	while (os_signal_read(run->signals, &got))
		forward(run, &got);
}

/* The invoker ended: act as for a hang-up of the terminal. */
static void
caller_died(struct supervision *run)
{
	close(run->caller);
	run->caller = -1;
	run->is_asked_to_end = true;
	order_signal(run, SIGHUP);
	expect_end(run);
}

/*
 * Stops this process with the signal, even if the signal is ignored. Returns false if the kernel
 * did not stop it (an orphaned process group), which shows by the lack of a new SIGCONT.
 */
static bool
stop_by(int signal)
{
	struct sigaction normal = {.sa_handler = SIG_DFL}, old = normal;
	sigset_t set, mask, pending;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigaction(signal, &normal, &old);
	/* a stop signal discards a pending SIGCONT */
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(signal, &old, NULL);
	return !sigismember(&mask, SIGCONT) ||
	       (sigpending(&pending) == 0 && sigismember(&pending, SIGCONT));
}

/* The command stopped: so does the supervisor, until it gets SIGCONT. */
static void
stop_with(struct supervision *run, int signal)
{
	bool needs_terminal = signal == SIGTTIN || signal == SIGTTOU;

	if (run->relay == NULL || !needs_terminal || !pty_relay_want(run->relay)) {
		bool is_continued;

		if (run->relay != NULL)
			pty_relay_leave(run->relay);
		order_stops(run);
		is_continued = stop_by(signal);
		if (is_continued)
			job_control_supervisor(&run->job, SUPERVISOR_RESUMES);
		/* without input it would stop again and again */
		else if (run->relay != NULL && needs_terminal)
			pty_relay_cut_off(run->relay);
	}
	order_continue(run, run->stop);
}

/* A pending SIGCONT is read first: the message may be older than that, and its stop over. */
static void
change_job(struct supervision *run, enum supervisor_event event, int signal)
{
	enum job_action action;

	read_signals(run);
	action = job_control_supervisor(&run->job, event);
	if (action == JOB_CONFIRM)
		order_confirm(run);
	else if (action == JOB_STOP)
		stop_with(run, signal);
}

/* ---- the end ---- */

static bool
asked_to_end(const struct supervision *run)
{
	struct compat_signal got;

	while (os_signal_read(run->signals, &got))
		if (asks_to_go(got.number))
			return true;
	return false;
}

/*
 * Relays the rest of the output. With the writers dead, reading ends with EOF, unless there are
 * survivors. A slow reader is waited for, unless a signal asks the supervisor to exit.
 */
static void
drain_relay(struct supervision *run)
{
	struct pollfd fds[RELAY_FDS + 1];
	bool waits;

	run->relay->input_ended = true;
	while (pty_relay_has_more(run->relay)) {
		pty_relay_poll(run->relay, fds);
		fds[RELAY_FDS] = (struct pollfd){.fd = run->signals, .events = POLLIN};
		waits = fds[RELAY_OUT].fd >= 0 && !run->is_asked_to_end;
		if (poll(fds, RELAY_FDS + 1, waits ? -1 : 1000) <= 0)
			return;
		if (fds[RELAY_FDS].revents && asked_to_end(run))
			return;
		pty_relay_pump(run->relay, fds);
	}
}

/* The same for pipes: relays what is in them, and waits for a slow reader alike. */
static void
drain_output(struct supervision *run)
{
	struct pollfd fds[3];
	bool waits;

	do {
		output_poll(run->output, fds);
		waits = (fds[0].events | fds[1].events) & POLLOUT && !run->is_asked_to_end;
		fds[2] = (struct pollfd){.fd = run->signals, .events = POLLIN};
		if (poll(fds, waits ? 3 : 2, waits ? -1 : 0) <= 0)
			return;
		for (int i = 0; i < 2; i++)
			if (fds[i].revents)
				output_pump(run->output, i);
	} while (!waits || fds[2].revents == 0 || !asked_to_end(run));
}

static void
drain(struct supervision *run)
{
	if (run->output != NULL)
		drain_output(run);
	if (run->relay != NULL)
		drain_relay(run);
}

/* A pty sends SIGINT and SIGQUIT; without it the supervisor would have got them too. */
static bool
is_by_terminal(const struct supervision *run, int signal)
{
	return run->terminal_signal[signal] ||
	       (run->relay != NULL && (signal == SIGINT || signal == SIGQUIT));
}

static bool
has_error_words(const struct supervision *run)
{
	return (run->relay != NULL && run->relay->words.are_found) ||
	       (run->output != NULL &&
		(run->output->words[0].are_found || run->output->words[1].are_found));
}

static void
fill_result(struct supervision *run, const struct guard_news *news, struct session_result *to)
{
	int status = news->status;

	to->cause = news->cause;
	if (news->cause == SESSION_EXITED || news->cause == SESSION_SIGNALLED)
		to->cause = WIFSIGNALED(status) ? SESSION_SIGNALLED : SESSION_EXITED;
	/* the command may have died of SIGPIPE before ORDER_END reached the guard */
	if (run->output != NULL && run->output->exhausted && to->cause != SESSION_TIME)
		to->cause = SESSION_OUTPUT;
	to->is_signal = WIFSIGNALED(status);
	to->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	to->by_terminal = WIFSIGNALED(status) && is_by_terminal(run, to->status);
	to->left = news->kind == NEWS_LEFT;
	to->hit_processes = news->hit_processes;
	to->has_error_words = has_error_words(run);
	to->end = news->end;
	to->ms = clock_ms() - run->started;
}

/* SIGKILL comes from another process or the OOM killer; any other status is a crash. */
static enum session_cause
wait_for_guard(const struct supervision *run)
{
	int status = 0;
	pid_t pid;

	while ((pid = waitpid(run->guard.pid, &status, 0)) < 0 && errno == EINTR)
		;
	return pid < 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ? SESSION_KILLED
									       : SESSION_CRASHED;
}

static bool
is_filtered(const struct session_request *request)
{
	return request->plan != NULL && request->plan->facts.values[FACT_SECCOMP_FILTER] > 0;
}

/*
 * The guard was killed and its children were reparented: kill them here. If the channel was to a
 * spawner, its session has ended and its own guard cleans up.
 */
static void
replace_guard(struct supervision *run, struct guard_news *ret_news)
{
	*ret_news =
		(struct guard_news){.kind = NEWS_DONE, .cause = SESSION_KILLED, .status = SIGKILL};
	if (run->joins)
		return;
	run->guard_state = GUARD_LOST;
	/* orphans of earlier children of this process are older than the guard */
	process_tree_exclude_older(&run->spare, run->guard.pid);
	ret_news->cause = wait_for_guard(run);
	if (run->stuck >= LATE_LOOKS)
		ret_news->cause = run->due_cause;
	run->spare.group = run->group;
	if (run->group->kind != TRACKED_BY_MARK)
		session_group_kill(run->group, SESSION_DEADLINE_MS);
	if (process_tree_exclude_others(&run->spare, is_filtered(run->request)))
		process_tree_kill(&run->spare, SESSION_DEADLINE_MS, &ret_news->end);
	else
		ret_news->end = (struct tree_end){.left = 1, .survivors = {{0, "unknown"}}};
}

/* Returns true at the end of the session, with its result in *ret_news. */
static bool
read_news(struct supervision *run, struct guard_news *ret_news)
{
	if (!channel_receive(run->guard.line, ret_news, sizeof *ret_news)) {
		replace_guard(run, ret_news);
		return true;
	}
	switch (ret_news->kind) {
	case NEWS_STOPPED:
		run->stop = ret_news->status;
		change_job(run, SUPERVISOR_READS_STOPPED, 0);
		return false;
	case NEWS_STAYS:
		/* the spawner is in the sandbox: it must not choose any other signal */
		if (channel_signal_stops_job(ret_news->status))
			change_job(run, SUPERVISOR_READS_STAYS, ret_news->status);
		return false;
	case NEWS_LEFT:
		return true;
	default:
		run->guard_state = run->joins ? GUARD_RUNS : GUARD_ENDING;
		return true;
	}
}

/* ---- the loop ---- */

static void
pump(struct supervision *run, const struct pollfd *fds)
{
	bool was_exhausted = run->output != NULL && run->output->exhausted;

	/* a hang-up of the pty signals only the session leader, which is the guard */
	if (run->relay != NULL && !pty_relay_pump(run->relay, fds + AT_RELAY))
		order_signal(run, SIGHUP);
	for (int i = 0; i < 2; i++)
		if (fds[AT_OUTPUT + i].revents != 0)
			output_pump(run->output, i);
	if (run->output != NULL && run->output->exhausted && !was_exhausted)
		order_end(run, SESSION_OUTPUT, 0);
}

static void
fill_poll(const struct supervision *run, struct pollfd fds[AT_COUNT])
{
	const int numbers[AT_OUTPUT] = {run->signals, run->guard.line, run->caller,
					run->event_source->ours};

	for (int i = 0; i < AT_COUNT; i++)
		fds[i] = (struct pollfd){.fd = i < AT_OUTPUT ? numbers[i] : -1, .events = POLLIN};
	if (run->output != NULL)
		output_poll(run->output, fds + AT_OUTPUT);
	if (run->relay != NULL)
		pty_relay_poll(run->relay, fds + AT_RELAY);
}

/* Returns true at the end of the session. */
static bool
wait_for_something(struct supervision *run, struct guard_news *ret_news)
{
	bool waits = run->relay != NULL && pty_relay_waits_for_front(run->relay);
	struct pollfd fds[AT_COUNT];

	fill_poll(run, fds);
	guard_timeout_press(run);
	/* if poll fails, signals cannot be forwarded: wait for the guard's last message */
	if (poll_trim(fds, AT_COUNT, guard_timeout_left(run, waits ? FRONT_MS : -1),
		      &run->is_trimmed) < 0)
		return errno != EINTR && errno != EAGAIN && read_news(run, ret_news);
	if (waits && pty_relay_enter(run->relay))
		order_continue(run, 0);
	if (fds[AT_SIGNALS].revents)
		read_signals(run);
	if (fds[AT_CALLER].revents)
		caller_died(run);
	if (fds[AT_EVENTS].revents)
		events_drain(run->event_source, run->request);
	pump(run, fds);
	return fds[AT_LINE].revents && read_news(run, ret_news);
}

int
supervise(struct supervision *run, struct session_result *ret_result, struct cordon_error *err)
{
	int64_t limit = (int64_t)run->request->limits[LIMIT_TIME].value * 1000;
	struct guard_news news;

	if (run->joins && limit != 0)
		order_end(run, SESSION_TIME, limit);
	else if (limit != 0)
		guard_timeout_expect(run, SESSION_TIME,
				     limit + (run->request->grace_ms > 0 ? run->request->grace_ms
									 : 0));
	while (!wait_for_something(run, &news))
		;
	drain(run);
	close(run->guard.line);
	run->guard.line = -1;
	if (news.kind != NEWS_FAILED) {
		fill_result(run, &news, ret_result);
		return 0;
	}
	if (err != NULL)
		*err = news.why;
	return -news.why.code;
}
