// SPDX-License-Identifier: MIT
/*
 * The guard's loop, which watches the command. It ends the session when the command has ended, when a
 * limit is reached, when it is ordered to, and when the supervisor dies. Job control is in the tables of
 * job_control.c.
 */
#include "base/os_process.h"

#include <limits.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "enforce/process_id.h"
#include "session/guard/guard.h"

static _Noreturn void
end_for(struct guard_state *watch, enum session_cause cause, int64_t grace_ms)
{
	watch->cause = cause;
	watch->grace_ms = grace_ms;
	guard_teardown(watch, NEWS_DONE, NULL);
}

/* With --leave, processes of the command live on: the supervisor exits, the guard stays. */
static void
command_ended(struct guard_state *watch, int status, const struct rusage *used)
{
	struct guard_news news = {.kind = NEWS_LEFT, .status = status};

	job_control_command(&watch->command_state, COMMAND_ENDS);
	watch->status = status;
	watch->cause = limits_cause(status, used, watch->task->child.limits[LIMIT_CPU_TIME].value);
	watch->grace_ms = watch->task->grace_ms;
	news.cause = watch->cause;
	if (!watch->task->leave || guard_is_over(watch))
		guard_teardown(watch, NEWS_DONE, NULL);
	guard_report_end(watch, &news);
	job_control_report(&watch->report, REPORT_LEAVES);
}

/* ---- job control ---- */

/* With a pty the whole process group gets the signal, as from a terminal. */
static void
signal_command(const struct guard_state *watch, int signal)
{
	if (watch->command_state != COMMAND_ENDED)
		kill(watch->terminal >= 0 ? -watch->command : watch->command, signal);
}

static void
change_command(struct guard_state *watch, enum command_event event)
{
	if (job_control_command(&watch->command_state, event) == JOB_CONTINUE_COMMAND)
		signal_command(watch, SIGCONT);
}

static bool
is_stopped(const struct guard_state *watch)
{
	return watch->command_state == COMMAND_STOPPED ||
	       watch->command_state == COMMAND_STOPPED_AGAIN;
}

static void
change_report(struct guard_state *watch, enum report_event event)
{
	enum job_action action = job_control_report(&watch->report, event);
	struct guard_news news = {.kind = NEWS_STOPPED, .status = watch->stops};

	if (action == JOB_REPORT_STAYS)
		news = (struct guard_news){.kind = NEWS_STAYS, .status = WSTOPSIG(watch->status)};
	if (action != JOB_NOTHING)
		channel_send(watch->channel, &news, sizeof news);
}

static void
report_stop(struct guard_state *watch)
{
	if (is_stopped(watch))
		change_report(watch, REPORT_COMMAND_IS_STOPPED);
}

static void
child_stopped(struct guard_state *watch, pid_t pid, int status)
{
	if (guard_untrace(watch, pid, status) || pid != watch->command ||
	    !channel_signal_stops_job(WSTOPSIG(status)))
		return;
	/* a command stopped the spawner, which must run to enforce time limits */
	if (watch->task->child.spawner != NULL) {
		kill(pid, SIGCONT);
		return;
	}
	watch->stops++;
	watch->status = status;
	change_command(watch, COMMAND_STOPS);
	report_stop(watch);
}

static void
look_at_children(struct guard_state *watch)
{
	const int which = WNOHANG | WUNTRACED | WCONTINUED | COMPAT_WAIT_ALL;
	struct rusage used;
	int status;
	pid_t pid;

	/* SIGCHLD is read once, so a wait that fails is repeated */
	while ((pid = wait4(-1, &status, which, &used)) > 0 || (pid < 0 && errno != ECHILD)) {
		if (pid > 0 && WIFSTOPPED(status))
			child_stopped(watch, pid, status);
		else if (pid != watch->command)
			continue;
		else if (WIFCONTINUED(status))
			change_command(watch, COMMAND_IS_CONTINUED);
		else
			command_ended(watch, status, &used);
	}
	if (pid < 0 && errno == ECHILD && watch->command_state == COMMAND_ENDED &&
	    (watch->group.kind != TRACKED_BY_MARK || guard_is_over(watch)))
		guard_teardown(watch, NEWS_DONE, NULL);
}

static void
read_signals(struct guard_state *watch)
{
	struct compat_signal got;

	while (os_signal_read(watch->signals, &got)) {
		if (got.number == SIGCHLD)
			look_at_children(watch);
		/* `cordon kill`: a terminal does not queue signals, and the sandbox lets none out */
		else if (got.number == SIGTERM && got.is_queued && got.uid == getuid())
			end_for(watch, SESSION_KILLED,
				got.value > 0 ? got.value : record_grace(&watch->record));
		else if (getppid() != watch->supervisor && watch->report != REPORT_SUPERVISOR_LEFT)
			end_for(watch, SESSION_KILLED, 0);
	}
}

/* ---- orders ---- */

/*
 * A SIGCONT to the process group continues the command as well, and it may have stopped again since.
 * wait() does not report that for a command that is dying, so process_id_is_running() is checked.
 */
static bool
is_still_stopped(struct guard_state *watch, int stop)
{
	look_at_children(watch);
	if (is_stopped(watch) && process_id_is_running(watch->command))
		change_command(watch, COMMAND_IS_CONTINUED);
	return is_stopped(watch) && watch->stops == stop;
}

static void
forward_signal(struct guard_state *watch, int signal)
{
	if (signal != SIGCONT) {
		signal_command(watch, signal);
		return;
	}
	look_at_children(watch);
	change_command(watch, COMMAND_GETS_SIGCONT);
}

static void
confirm_stop(struct guard_state *watch, int stop)
{
	bool is_same = is_still_stopped(watch, stop);

	change_report(watch, is_same ? REPORT_CONFIRM_SAME : REPORT_CONFIRM_OTHER);
	if (!is_same)
		report_stop(watch);
}

/* Stop 0: the supervisor did not stop; only the foreground of its terminal changed. */
static void
continue_command(struct guard_state *watch, const struct guard_order *order)
{
	bool is_same = is_still_stopped(watch, order->value);

	/* without a change, keep the foreground process group that the command set */
	if (watch->terminal >= 0 && watch->command_state != COMMAND_ENDED &&
	    (is_same || order->front != watch->in_front))
		tcsetpgrp(watch->terminal, order->front ? getpgid(watch->command) : getpgrp());
	watch->in_front = order->front;
	if (order->value > 0) {
		change_report(watch, REPORT_CONTINUES);
		change_command(watch, is_same ? COMMAND_STOP_IS_OVER : COMMAND_OTHER_STOP_IS_OVER);
	}
	report_stop(watch);
}

/* A second order can only make the end earlier. */
static void
order_end(struct guard_state *watch, const struct guard_order *order)
{
	int64_t when = clock_ms() + order->ms;

	if (order->ms <= 0)
		end_for(watch, (enum session_cause)order->value, watch->task->grace_ms);
	if (watch->end_at > 0 && watch->end_at <= when)
		return;
	watch->end_at = when;
	watch->cause = (enum session_cause)order->value;
}

static void
read_order(struct guard_state *watch)
{
	struct guard_order order;

	if (channel_receive(watch->channel, &order, sizeof order)) {
		switch (order.kind) {
		case ORDER_SIGNAL:
			forward_signal(watch, order.value);
			break;
		case ORDER_CONFIRM:
			confirm_stop(watch, order.value);
			break;
		case ORDER_STOPS:
			change_report(watch, REPORT_STOPS);
			break;
		case ORDER_CONTINUE:
			continue_command(watch, &order);
			break;
		case ORDER_END:
			order_end(watch, &order);
			break;
		}
	} else if (watch->report != REPORT_SUPERVISOR_LEFT) {
		end_for(watch, SESSION_KILLED, 0);
	}
}

/* Returns the poll timeout; ends the session if a time limit or the time of ORDER_END has passed. */
static int
milliseconds_left(struct guard_state *watch)
{
	int64_t now = clock_ms(), limit = watch->task->time_ms;

	if (limit > 0 && now - watch->started >= limit)
		end_for(watch, SESSION_TIME, watch->task->grace_ms);
	if (watch->end_at > 0 && now >= watch->end_at)
		end_for(watch, watch->cause, 0);
	limit = limit > 0 ? watch->started + limit - now : INT64_MAX;
	if (watch->end_at > 0 && watch->end_at - now < limit)
		limit = watch->end_at - now;
	/* continue a stopped supervisor if the command runs again, or if the invoker has ended */
	if (watch->report == REPORT_SUPERVISOR_STOPS &&
	    (!is_stopped(watch) || watch->invoker_ended)) {
		guard_wake(watch);
		limit = limit < WAKE_MS ? limit : WAKE_MS;
	}
	if (!guard_answer(watch))
		limit = limit < LEFT_MS ? limit : LEFT_MS;
	/* orphans with a fingerprint are no children of the guard: no SIGCHLD reports their end */
	if (watch->report == REPORT_SUPERVISOR_LEFT && watch->command_state == COMMAND_ENDED &&
	    watch->group.kind == TRACKED_BY_MARK) {
		if (guard_is_over(watch))
			guard_teardown(watch, NEWS_DONE, NULL);
		limit = limit < LEFT_MS ? limit : LEFT_MS;
	}
	if (limit == INT64_MAX)
		return -1;
	return limit > INT_MAX ? INT_MAX : (int)limit;
}

/* Wakes the supervisor, which then ends the session. */
static void
invoker_ended(struct guard_state *watch)
{
	close(watch->invoker);
	watch->invoker = -1;
	watch->invoker_ended = true;
	guard_wake(watch);
}

_Noreturn void
guard_watch(struct guard_state *watch)
{
	look_at_children(watch);
	for (;;) {
		bool has_left = watch->report == REPORT_SUPERVISOR_LEFT;
		struct pollfd fds[5] = {
			{.fd = watch->signals, .events = POLLIN},
			{.fd = has_left ? -1 : watch->channel, .events = POLLIN},
			{.fd = has_left ? -1 : watch->invoker, .events = POLLIN},
			{.fd = watch->spawner, .events = POLLIN},
			{.fd = guard_kernel_log(watch), .events = POLLIN},
		};

		/* poll(2) may fail for lack of memory: then signals are read every 10 ms */
		if (poll_trim(fds, 5, milliseconds_left(watch), &watch->is_trimmed) < 0) {
			clock_sleep_us(10000);
			fds[0].revents = POLLIN;
			fds[1].revents = fds[2].revents = fds[3].revents = fds[4].revents = 0;
		}
		if (fds[0].revents)
			read_signals(watch);
		if (fds[0].revents && watch->task->child.box != NULL)
			enforce_service(watch->task->child.box);
		if (fds[1].revents)
			read_order(watch);
		if (fds[2].revents)
			invoker_ended(watch);
		if (fds[3].revents)
			guard_asked(watch);
		if (fds[4].revents)
			guard_read_kernel_log(watch, false);
	}
}
