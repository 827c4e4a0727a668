// SPDX-License-Identifier: MIT
/*
 * The guard: parent of the command and heir of every orphan below it. It ends the session when the
 * command has ended, when a limit is reached, when it is told to, and when the supervisor dies. It
 * is a copy of the supervisor that may have had threads, so it allocates nothing. Every signal is
 * blocked and read; once the command runs it holds nothing of the caller's, so nobody waits for it.
 */
#include "base/os.h"

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "enforce/process_id.h"
#include "session/guard/guard.h"

/* ---- starting the command ---- */

/* EOF: the exec happened. Anything else is the reason why it did not. */
static bool
read_report(int report, struct cordon_error *ret_why)
{
	ssize_t n;

	do
		n = read(report, ret_why, sizeof *ret_why);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return true;
	if (n != (ssize_t)sizeof *ret_why || ret_why->code <= 0)
		cordon_fail(ret_why, CORDON_E_SYSTEM, n < 0 ? errno : 0,
			    "the command was not started, and the reason got lost");
	ret_why->text[sizeof ret_why->text - 1] = '\0';
	return false;
}

static void
run_child(const void *child)
{
	child_main(child);
}

/* What the child will have as 0 to 2 once it has taken what is there for it. */
static void
find_standard(const struct child *child, int to[3])
{
	for (int fd = 0; fd < 3; fd++) {
		to[fd] = fd;
		if (child->terminal >= 0 && (child->terminal_is_all || isatty(fd)))
			to[fd] = child->terminal;
		if (fd > 0 && child->output[fd - 1] >= 0)
			to[fd] = child->output[fd - 1];
	}
}

static bool
start_command(struct guard_state *watch, struct cordon_error *ret_why)
{
	struct child child = watch->task->child;
	struct enforce_main main = {run_child, &child, child.spawner != NULL, NULL};
	int ends[2], standard[3];
	bool started;

	if (os_pipe(ends) < 0) {
		cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot make a pipe");
		return false;
	}
	child.report = ends[1];
	child.parent = getpid();
	find_standard(&child, standard);
	main.standard = child.spawner == NULL ? standard : NULL;
	/* it shares our memory until exec: nothing is copied, and we wait for it; a porter stays */
	watch->command = child.track_only ? session_group_spawn(&watch->group, run_child, &child)
					  : enforce_start(child.box, &watch->group, &main);
	if (watch->command < 0)
		cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot start a process");
	close(ends[1]);
	started = watch->command > 0 && read_report(ends[0], ret_why);
	close(ends[0]);
	return started;
}

/* Only now, as the group: before, a killed supervisor would leave it behind. */
static bool
make_tmp(struct guard_state *watch, struct cordon_error *ret_why)
{
	const struct guard_task *task = watch->task;

	if (task->private_tmp == NULL)
		return true;
	watch->has_tmp = private_tmp_make(task->private_tmp, ret_why) == 0;
	return watch->has_tmp &&
	       enforce_grant_tmp(task->child.box, task->private_tmp, ret_why) == 0;
}

/* With a terminal of its own the command lives in a session that we lead. */
static bool
lead_terminal(int terminal, struct cordon_error *ret_why)
{
	if (terminal < 0 || (setsid() >= 0 && ioctl(terminal, TIOCSCTTY, 0) >= 0))
		return true;
	cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot take the new terminal");
	return false;
}

/*
 * SIGCONT, because we may be stopped then: until let_go we are in the command's group, and who stops
 * that and wakes it later wakes all but us.
 */
static bool
become_subreaper(const struct guard_state *watch, struct cordon_error *ret_why)
{
	if (process_tree_inherit(true) >= 0 && os_die_with_parent(SIGCONT) == 0 &&
	    getppid() == watch->supervisor)
		return true;
	cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot become the heir of orphans");
	return false;
}

/*
 * A caller that reads our output to its end must not wait for us. The command's own terminal stays
 * open on 0, or it would seem to end whenever the command closes it.
 */
static void
let_go(struct guard_state *watch)
{
	struct sandbox *box = watch->task->child.box;
	struct enforce_needs needs = {-1, -1, -1, -1, {-1, -1}};
	int *const own[] = {&watch->line,	  &watch->signals,    &watch->record.fd,
			    &watch->group.folder, &needs.listener,    &needs.line,
			    &needs.events,	  &needs.names,	      &watch->spawner,
			    &needs.terminals[0],  &needs.terminals[1]};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (box != NULL)
		needs = enforce_fds(box);
	if (needs.listener >= 0)
		needs.names = record_names(&watch->record);
	if (watch->terminal >= 0)
		dup2(watch->terminal, 0);
	for (int fd = watch->terminal >= 0 ? 1 : 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	watch->terminal = watch->terminal >= 0 ? 0 : -1;
	fd_keep_only(own, sizeof own / sizeof own[0]);
	if (box != NULL)
		enforce_serve(box, &needs);
	/* whoever keeps it is the supervisor's child */
	watch->group.procs_fd = watch->group.hold = -1;
	watch->group.keeper = 0;
	/* who kills the whole group must not kill us with the supervisor; fails where we lead one */
	if (setsid() < 0)
		errno = 0;
	/* the folder we were started in must not stay busy */
	if (chdir("/") < 0)
		return;
}

/* ---- waiting ---- */

static _Noreturn void
end_for(struct guard_state *watch, enum session_cause cause, int64_t grace_ms)
{
	watch->cause = cause;
	watch->grace_ms = grace_ms;
	guard_finish(watch, NEWS_DONE, NULL);
}

/* What it left may live on: the supervisor goes, we stay until nothing is left. */
static void
command_ended(struct guard_state *watch, int status, const struct rusage *used)
{
	struct guard_news news = {.kind = NEWS_LEFT, .status = status};

	watch->exited = true;
	watch->status = status;
	watch->cause = limits_cause(status, used, watch->task->child.limits[LIMIT_CPU_TIME].value);
	watch->grace_ms = watch->task->grace_ms;
	news.cause = watch->cause;
	if (!watch->task->leave || guard_is_over(watch))
		guard_finish(watch, NEWS_DONE, NULL);
	channel_send(watch->line, &news, sizeof news);
	watch->supervisor_left = true;
}

/* A named session belongs to nobody: whoever started it may go at once. */
static void
stay_alone(struct guard_state *watch)
{
	struct guard_news news = {.kind = NEWS_LEFT};

	channel_send(watch->line, &news, sizeof news);
	watch->supervisor_left = true;
}

/* Not by us, or it would not be known as stopped any more: then the supervisor goes on as well. */
static void
command_continued(struct guard_state *watch)
{
	watch->went_on = watch->went_on || watch->stopped;
	watch->stopped = false;
}

/* One at a time: a command that is stopped and woken without end must not fill the line. */
static void
tell_stop(struct guard_state *watch)
{
	struct guard_news news = {.kind = NEWS_STOPPED, .status = watch->stops};

	if (!watch->stop_reported && watch->stopped && !watch->exited)
		watch->stop_reported = channel_send(watch->line, &news, sizeof news);
}

static void
command_stopped(struct guard_state *watch, int status)
{
	watch->stopped = true;
	watch->stops++;
	watch->status = status;
	tell_stop(watch);
}

static void
child_stopped(struct guard_state *watch, pid_t pid, int status)
{
	if (guard_untrace(watch, pid, status) || pid != watch->command ||
	    !channel_signal_stops_job(WSTOPSIG(status)))
		return;
	/* a porter keeps the time of its commands, and one of them stopped it */
	if (watch->task->child.spawner != NULL)
		kill(pid, SIGCONT);
	else
		command_stopped(watch, status);
}

static void
look_at_children(struct guard_state *watch)
{
	const int which = WNOHANG | WUNTRACED | WCONTINUED | COMPAT_WAIT_ALL;
	struct rusage used;
	int status;
	pid_t pid;

	/* a signal is told once: whatever fails here must be tried again */
	while ((pid = wait4(-1, &status, which, &used)) > 0 || (pid < 0 && errno != ECHILD)) {
		if (pid > 0 && WIFSTOPPED(status))
			child_stopped(watch, pid, status);
		else if (pid != watch->command)
			continue;
		else if (WIFCONTINUED(status))
			command_continued(watch);
		else
			command_ended(watch, status, &used);
	}
	if (pid < 0 && errno == ECHILD && watch->exited &&
	    (watch->group.kind != TRACKED_BY_MARK || guard_is_over(watch)))
		guard_finish(watch, NEWS_DONE, NULL);
}

static void
read_signals(struct guard_state *watch)
{
	struct compat_signal got;

	while (os_signal_read(watch->signals, &got)) {
		if (got.number == SIGCHLD)
			look_at_children(watch);
		/* an order: never from a terminal, and never from inside, where signals cannot leave */
		else if (got.number == SIGTERM && got.is_queued && got.uid == getuid())
			end_for(watch, SESSION_KILLED,
				got.value > 0 ? got.value : record_grace(&watch->record));
		else if (getppid() != watch->supervisor && !watch->supervisor_left)
			end_for(watch, SESSION_KILLED, 0);
	}
}

/* A terminal of its own tells the whole group, and so do we. */
static void
signal_command(struct guard_state *watch, int signal)
{
	if (!watch->exited)
		kill(watch->terminal >= 0 ? -watch->command : watch->command, signal);
	if (signal == SIGCONT)
		watch->stopped = false;
}

/* Who sent SIGCONT to the supervisor's group has woken the command as well: once is enough. */
static void
pass_on(struct guard_state *watch, int signal)
{
	bool has_it = false;

	if (signal == SIGCONT) {
		look_at_children(watch);
		has_it = watch->went_on;
		watch->went_on = false;
	}
	if (!has_it)
		signal_command(watch, signal);
}

/*
 * Who sends SIGCONT to a group wakes the command as well, and it may have stopped anew since. One
 * that was woken and dies is not told as woken, and its end only when it is over.
 */
static bool
is_still_stopped(struct guard_state *watch, int stop)
{
	look_at_children(watch);
	if (watch->stopped && !watch->exited && process_is_running(watch->command))
		command_continued(watch);
	return watch->stopped && watch->stops == stop && !watch->exited;
}

static void
confirm_stop(struct guard_state *watch, const struct guard_order *order)
{
	struct guard_news news = {.kind = NEWS_STAYS};

	watch->stays = false;
	if (is_still_stopped(watch, order->value)) {
		news.status = WSTOPSIG(watch->status);
		watch->stays = channel_send(watch->line, &news, sizeof news);
		return;
	}
	watch->stop_reported = false;
	tell_stop(watch);
}

static void
continue_command(struct guard_state *watch, const struct guard_order *order)
{
	bool stopped = is_still_stopped(watch, order->value);

	if (order->value > 0)
		watch->stays = watch->waiting = watch->stop_reported = watch->went_on = false;
	/* a job of the command's keeps what it was given, as long as nothing changes */
	if (watch->terminal >= 0 && !watch->exited && (stopped || order->front != watch->in_front))
		tcsetpgrp(watch->terminal, order->front ? getpgid(watch->command) : getpgrp());
	watch->in_front = order->front;
	if (stopped)
		signal_command(watch, SIGCONT);
	tell_stop(watch);
}

/* Whoever says it again gives no more time. */
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

	if (channel_receive(watch->line, &order, sizeof order)) {
		switch (order.kind) {
		case ORDER_SIGNAL:
			pass_on(watch, order.value);
			break;
		case ORDER_CONFIRM:
			confirm_stop(watch, &order);
			break;
		case ORDER_STOPS:
			watch->waiting = true;
			break;
		case ORDER_CONTINUE:
			continue_command(watch, &order);
			break;
		case ORDER_END:
			order_end(watch, &order);
			break;
		}
	} else if (!watch->supervisor_left) {
		end_for(watch, SESSION_KILLED, 0);
	}
}

/* The time that is up first: the limit, or an end that was ordered. */
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
	/* it stopped with a command that goes on, or nobody is left who could wake it */
	if (watch->waiting && (!watch->stopped || watch->caller_ended)) {
		guard_wake(watch);
		limit = limit < WAKE_MS ? limit : WAKE_MS;
	}
	if (!guard_answer(watch))
		limit = limit < LEFT_MS ? limit : LEFT_MS;
	/* orphans that are known by a mark are nobody's children */
	if (watch->supervisor_left && watch->exited && watch->group.kind == TRACKED_BY_MARK) {
		if (guard_is_over(watch))
			guard_finish(watch, NEWS_DONE, NULL);
		limit = limit < LEFT_MS ? limit : LEFT_MS;
	}
	if (limit == INT64_MAX)
		return -1;
	return limit > INT_MAX ? INT_MAX : (int)limit;
}

/* The supervisor does the rest, unless somebody stopped it. */
static void
caller_ended(struct guard_state *watch)
{
	close(watch->caller);
	watch->caller = -1;
	watch->caller_ended = true;
	guard_wake(watch);
}

static _Noreturn void
watch_command(struct guard_state *watch)
{
	look_at_children(watch);
	for (;;) {
		struct pollfd fds[4] = {
			{.fd = watch->signals, .events = POLLIN},
			{.fd = watch->supervisor_left ? -1 : watch->line, .events = POLLIN},
			{.fd = watch->supervisor_left ? -1 : watch->caller, .events = POLLIN},
			{.fd = watch->spawner, .events = POLLIN},
		};

		/* then signals are asked for now and then: the end of the command is one */
		if (poll_trim(fds, 4, milliseconds_left(watch), &watch->is_trimmed) < 0) {
			clock_sleep_us(10000);
			fds[0].revents = POLLIN;
			fds[1].revents = fds[2].revents = fds[3].revents = 0;
		}
		if (fds[0].revents)
			read_signals(watch);
		if (fds[0].revents && watch->task->child.box != NULL)
			enforce_service(watch->task->child.box);
		if (fds[1].revents)
			read_order(watch);
		if (fds[2].revents)
			caller_ended(watch);
		if (fds[3].revents)
			guard_asked(watch);
	}
}

static _Noreturn void
guard_main(const struct guard_task *task, pid_t supervisor, int line)
{
	struct guard_state watch = {
		.task = task,
		.group = task->group,
		.supervisor = supervisor,
		.line = line,
		.record = {.fd = -1},
		.caller = -1,
		.spawner = task->spawner,
		.terminal = task->child.terminal,
		.in_front = task->child.in_front,
		.started = clock_ms(),
	};
	struct cordon_error why = {0};
	sigset_t all;

	if (task->record != NULL)
		watch.record = *task->record;
	sigfillset(&all);
	watch.signals = os_signal_fd(&all);
	if (os_no_core() < 0)
		cordon_fail(&why, CORDON_E_SYSTEM, errno, "cannot hide the guard's memory");
	else if (watch.signals < 0 || (task->child.track_only && os_wake_every(AWAKE_MS) < 0))
		cordon_fail(&why, CORDON_E_SYSTEM, errno, "cannot receive signals");
	else if (become_subreaper(&watch, &why) && session_group_make(&watch.group, &why) == 0 &&
		 make_tmp(&watch, &why) && lead_terminal(task->child.terminal, &why) &&
		 start_command(&watch, &why)) {
		let_go(&watch);
		if (task->caller > 0)
			watch.caller = os_process_fd(task->caller);
		if (task->child.spawner != NULL)
			stay_alone(&watch);
		watch_command(&watch);
	}
	guard_finish(&watch, NEWS_FAILED, &why);
}

int
guard_start(const struct guard_task *task, struct guard *ret_guard, struct cordon_error *err)
{
	pid_t supervisor = getpid();
	sigset_t all, old = {0};
	int ends[2], sys;
	pid_t pid;

	if (os_line(ends) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a socket pair");
	/* blocked before it is born: a signal must not end the guard before it can read it */
	sigfillset(&all);
	pid = sigprocmask(SIG_SETMASK, &all, &old) < 0 ? -1 : fork();
	if (pid == 0) {
		close(ends[0]);
		guard_main(task, supervisor, ends[1]);
	}
	sys = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return cordon_fail(err, CORDON_E_SYSTEM, sys, "cannot start the guard");
	}
	*ret_guard = (struct guard){pid, ends[0]};
	return 0;
}
