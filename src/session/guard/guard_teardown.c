// SPDX-License-Identifier: MIT
/*
 * Ends a session in the guard: kills its processes, removes cgroup, private tmp and record, and
 * reports to the supervisor. Must not allocate.
 */
#include "base/os.h"

#include "session/guard/guard.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

bool
guard_is_over(const struct guard_state *watch)
{
	const struct tree_spare all = {.group = &watch->group};

	return process_tree_is_empty(&all);
}

void
guard_asked(struct guard_state *watch)
{
	if (channel_receive(watch->spawner, &watch->question, sizeof watch->question))
		return;
	/* EOF: the spawner ended, which SIGCHLD reports */
	close(watch->spawner);
	watch->spawner = -1;
	watch->question = 0;
}

bool
guard_answer(struct guard_state *watch)
{
	const struct tree_spare but_it = {.pids = {watch->command},
					  .count = 1,
					  .group = &watch->group};

	if (watch->question == 0)
		return true;
	/* without a fingerprint all orphans are children of the spawner, which has none left */
	if (watch->group.kind == TRACKED_BY_MARK && !process_tree_is_empty(&but_it))
		return false;
	channel_send(watch->spawner, &watch->question, sizeof watch->question);
	watch->question = 0;
	return true;
}

int
guard_kernel_log(const struct guard_state *watch)
{
	struct sandbox *box = watch->task->child.box;

	return box == NULL ? -1 : enforce_kernel_log(box);
}

void
guard_read_kernel_log(struct guard_state *watch, bool is_end)
{
	if (guard_kernel_log(watch) >= 0)
		enforce_read_kernel_log(watch->task->child.box, watch->command, is_end);
}

bool
guard_untrace(const struct guard_state *watch, pid_t pid, int status)
{
	return enforce_untrace(watch->task->child.box, pid, WSTOPSIG(status));
}

/* waitpid() reports stops of a traced child even without WUNTRACED. */
static void
note_change(struct guard_state *watch, pid_t pid, int status)
{
	if (WIFSTOPPED(status)) {
		guard_untrace(watch, pid, status);
	} else if (pid == watch->command) {
		job_control_command(&watch->command_state, COMMAND_ENDS);
		watch->status = status;
	}
}

/* Reaps children, and returns true if no process is left. Stores the status of the command. */
static bool
reap(struct guard_state *watch)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | COMPAT_WAIT_ALL)) > 0)
		note_change(watch, pid, status);
	return guard_is_over(watch);
}

/* Answers the spawner, which exits if it is the last process, and serves the sandbox. */
static void
attend(struct guard_state *watch)
{
	struct pollfd spawner = {.fd = watch->spawner, .events = POLLIN};

	if (poll(&spawner, 1, 0) > 0)
		guard_asked(watch);
	guard_answer(watch);
	if (watch->task->child.box != NULL)
		enforce_service(watch->task->child.box);
}

/* Signals all processes at once (kill all), if that is possible. */
static bool
signal_all(struct guard_state *watch, int signal)
{
	struct sandbox *box = watch->task->child.box;

	return box != NULL && !os_has_no_child() && enforce_signal(box, signal);
}

static void
ask_first(struct guard_state *watch)
{
	const struct tree_spare all = {.group = &watch->group};
	int64_t until = clock_ms() + watch->grace_ms;

	if (watch->grace_ms <= 0 || reap(watch))
		return;
	/* a stopped process does not handle SIGTERM before SIGCONT */
	if (!signal_all(watch, SIGTERM) || !signal_all(watch, SIGCONT))
		process_tree_terminate(&all);
	while (!reap(watch) && clock_ms() < until) {
		attend(watch);
		clock_sleep_us(5000);
	}
}

/* Removes the session group. If it is not empty, kills processes that were moved into the cgroup. */
static void
end_group(struct guard_state *watch)
{
	watch->hit_processes = session_group_hit_processes(&watch->group);
	/* only if the command died of SIGKILL: the OOM counter includes earlier processes */
	if (watch->cause == SESSION_SIGNALLED && WIFSIGNALED(watch->status) &&
	    WTERMSIG(watch->status) == SIGKILL && session_group_hit_memory(&watch->group))
		watch->cause = SESSION_MEMORY;
	if (session_group_remove(&watch->group) < 0 &&
	    session_group_kill(&watch->group, SESSION_DEADLINE_MS))
		session_group_remove(&watch->group);
}

static bool
is_command_over(struct guard_state *watch)
{
	int status;
	pid_t pid = waitpid(watch->command, &status, WNOHANG);

	if (pid > 0)
		note_change(watch, pid, status);
	/* its exit is reported after that of its last thread; reap traced threads first */
	if (pid == 0)
		process_tree_reap_threads(watch->command);
	return watch->command_state == COMMAND_ENDED || pid < 0;
}

/* Ends the command first, so that its status is not reaped by process_tree_kill. */
static void
end_command(struct guard_state *watch)
{
	int64_t until = clock_ms() + SESSION_DEADLINE_MS;

	if (watch->command_state == COMMAND_ENDED)
		return;
	watch->status = SIGKILL;
	if (!signal_all(watch, SIGKILL))
		kill(watch->command, SIGKILL);
	while (!is_command_over(watch) && clock_ms() < until)
		clock_sleep_us(200);
	job_control_command(&watch->command_state, COMMAND_ENDS);
}

/* Kills every process, then removes cgroup, private tmp and record. */
static void
end_all(struct guard_state *watch, struct tree_end *ret_end)
{
	const struct tree_spare all = {.group = &watch->group};

	*ret_end = (struct tree_end){0};
	/* signal before listing: in a fork bomb a listing is slow and incomplete */
	if (signal_all(watch, SIGKILL) || !process_tree_is_empty(&all)) {
		/* processes with a fingerprint are killed and counted by process_tree_kill */
		if (watch->group.kind != TRACKED_BY_MARK)
			session_group_kill(&watch->group, SESSION_DEADLINE_MS);
		process_tree_kill(&all, SESSION_DEADLINE_MS, ret_end);
	}
	end_group(watch);
	if (watch->has_tmp)
		private_tmp_remove(watch->task->private_tmp);
	record_remove(&watch->record);
}

void
guard_wake(const struct guard_state *watch)
{
	if (getppid() == watch->supervisor)
		kill(watch->supervisor, SIGCONT);
}

/* Has the supervisor exited, continued, or sent another ORDER_CONFIRM instead of stopping? */
static bool
is_awake(const struct guard_state *watch)
{
	struct guard_order order;

	return !channel_receive(watch->channel, &order, sizeof order) ||
	       order.kind == ORDER_CONFIRM || (order.kind == ORDER_CONTINUE && order.value > 0);
}

/* SIGCONT is repeated: a supervisor that is about to stop would stop after the first one. */
void
guard_report_end(const struct guard_state *watch, const struct guard_news *news)
{
	struct pollfd answer = {.fd = watch->channel, .events = POLLIN};
	bool may_stop = watch->report == REPORT_CONFIRMED ||
			watch->report == REPORT_SUPERVISOR_STOPS;

	channel_send(watch->channel, news, sizeof *news);
	do {
		guard_wake(watch);
		if (may_stop && poll(&answer, 1, WAKE_MS) > 0 && is_awake(watch))
			may_stop = false;
	} while (may_stop);
}

_Noreturn void
guard_teardown(struct guard_state *watch, enum guard_news_kind kind, const struct cordon_error *why)
{
	struct guard_news news = {.kind = kind};

	if (watch->command > 0 && kind == NEWS_DONE) {
		ask_first(watch);
		end_command(watch);
	}
	end_all(watch, &news.end);
	guard_read_kernel_log(watch, true);
	news.status = watch->status;
	news.cause = watch->cause;
	news.hit_processes = watch->hit_processes;
	if (why != NULL)
		news.why = *why;
	if (watch->report != REPORT_SUPERVISOR_LEFT)
		guard_report_end(watch, &news);
	_exit(0);
}
