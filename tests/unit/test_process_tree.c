// SPDX-License-Identifier: MIT
/*
 * The walk over processes, by itself. Each case runs in a process of its own, which is the heir of
 * what it starts; it says by its status whether all was well.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "child.h"
#include "enforce/process_tree.h"
#include "linux/process/proc_stat.h"
#include "tap.h"

#define DEADLINE_MS 60000

/* Inside a case: what does not hold is the status, and the line is told. */
#define must(condition)                                                                    \
	do {                                                                               \
		if (!(condition)) {                                                        \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			fflush(stdout);                                                    \
			return 1;                                                          \
		}                                                                          \
	} while (0)

/* ---- processes to look for ---- */

static pid_t
start_idler(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	/* the longest it could ever be left */
	alarm(300);
	for (;;)
		pause();
}

/* A child of ours with a child of its own; *ret_inner is that one. */
static pid_t
start_pair(pid_t *ret_inner)
{
	int ends[2];
	pid_t outer;

	if (pipe(ends) < 0)
		_exit(CHILD_BROKEN);
	outer = fork();
	if (outer == 0) {
		pid_t inner = start_idler();

		if (write(ends[1], &inner, sizeof inner) != (ssize_t)sizeof inner)
			_exit(CHILD_BROKEN);
		alarm(300);
		for (;;)
			pause();
	}
	if (read(ends[0], ret_inner, sizeof *ret_inner) != (ssize_t)sizeof *ret_inner)
		_exit(CHILD_BROKEN);
	close(ends[0]);
	close(ends[1]);
	return outer;
}

/* A grandchild in a session of its own, whose parent has ended and was waited for. */
static pid_t
start_orphan(void)
{
	int ends[2];
	pid_t orphan, child;

	if (pipe(ends) < 0)
		_exit(CHILD_BROKEN);
	child = fork();
	if (child == 0) {
		pid_t inner = fork();

		if (inner != 0)
			_exit(write(ends[1], &inner, sizeof inner) != (ssize_t)sizeof inner);
		setsid();
		alarm(300);
		for (;;)
			pause();
	}
	child_wait(child);
	if (read(ends[0], &orphan, sizeof orphan) != (ssize_t)sizeof orphan)
		_exit(CHILD_BROKEN);
	close(ends[0]);
	close(ends[1]);
	return orphan;
}

static bool
is_alive(pid_t pid)
{
	struct proc_stat stat;

	return proc_stat_read(pid, &stat) && stat.state != 'Z';
}

/* ---- cases ---- */

static int
look_at_nothing(const void *none)
{
	struct tree_end end;

	(void)none;
	must(process_tree_is_empty(NULL));
	must(process_tree_kill(NULL, DEADLINE_MS, &end));
	must(end.ended == 0 && end.left == 0);
	return 0;
}

static void
a_tree_without_processes_is_empty(void)
{
	check_int(child_run(AS_USER, look_at_nothing, NULL), 0);
}

static int
look_at_zombie(const void *none)
{
	siginfo_t info;
	pid_t child = fork();

	(void)none;
	if (child == 0)
		_exit(0);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	must(process_tree_is_empty(NULL));
	must(waitpid(child, NULL, 0) == child);
	return 0;
}

static void
a_zombie_is_not_alive(void)
{
	check_int(child_run(AS_USER, look_at_zombie, NULL), 0);
}

static int
inherit(const void *none)
{
	(void)none;
	must(process_tree_inherit(true) == 0);
	must(process_tree_inherit(true) == 1);
	must(process_tree_inherit(false) == 1);
	must(process_tree_inherit(true) == 0);
	return 0;
}

static void
becoming_a_subreaper_reports_the_previous_state(void)
{
	check_int(child_run(AS_USER, inherit, NULL), 0);
}

static int
kill_orphan_and_pair(const void *none)
{
	pid_t inner, outer, orphan;
	struct tree_end end;

	(void)none;
	process_tree_inherit(true);
	orphan = start_orphan();
	outer = start_pair(&inner);
	must(!process_tree_is_empty(NULL));
	must(process_tree_kill(NULL, DEADLINE_MS, &end));
	must(end.ended == 3 && end.left == 0);
	must(!is_alive(orphan) && !is_alive(outer) && !is_alive(inner));
	must(process_tree_is_empty(NULL));
	must(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
	return 0;
}

static void
children_grandchildren_and_orphans_are_ended_and_reaped(void)
{
	check_int(child_run(AS_USER, kill_orphan_and_pair, NULL), 0);
	check_int(child_run(AS_ROOT, kill_orphan_and_pair, NULL), 0);
}

static int
kill_all_but_spare(const void *none)
{
	struct tree_spare spare;
	struct tree_end end;
	pid_t inner, outer, later, orphan;

	(void)none;
	process_tree_inherit(true);
	outer = start_pair(&inner);
	must(process_tree_note_children(&spare) == 0 && spare.count == 1);
	must(process_tree_is_empty(&spare));
	later = start_idler();
	orphan = start_orphan();
	must(!process_tree_is_empty(&spare));
	must(process_tree_kill(&spare, DEADLINE_MS, &end));
	must(end.ended == 2 && end.left == 0);
	must(!is_alive(later) && !is_alive(orphan));
	must(is_alive(outer) && is_alive(inner));
	process_tree_kill(NULL, DEADLINE_MS, &end);
	return 0;
}

static void
spared_children_keep_their_descendants(void)
{
	check_int(child_run(AS_USER, kill_all_but_spare, NULL), 0);
}

/* Times are counted in hundredths of a second: one that is later must have a later number. */
static pid_t
start_later_than(pid_t other)
{
	struct proc_stat before, after;

	if (!proc_stat_read(other, &before))
		_exit(CHILD_BROKEN);
	for (;;) {
		pid_t pid = start_idler();

		if (!proc_stat_read(pid, &after))
			_exit(CHILD_BROKEN);
		if (after.started > before.started)
			return pid;
		kill(pid, SIGKILL);
		child_wait(pid);
		clock_sleep_us(5000);
	}
}

static int
kill_all_but_older(const void *none)
{
	struct tree_spare spare = {0};
	struct tree_end end;
	pid_t older = start_orphan(), first = start_later_than(older), last = start_idler();

	(void)none;
	process_tree_exclude_older(&spare, first);
	must(process_tree_kill(&spare, DEADLINE_MS, &end));
	must(end.ended == 2);
	must(is_alive(older) && !is_alive(first) && !is_alive(last));
	process_tree_kill(NULL, DEADLINE_MS, &end);
	must(!is_alive(older));
	return 0;
}

static int
inherit_then_kill_all_but_older(const void *none)
{
	process_tree_inherit(true);
	return kill_all_but_older(none);
}

static void
older_children_can_be_spared(void)
{
	check_int(child_run(AS_USER, inherit_then_kill_all_but_older, NULL), 0);
}

static int
note_too_many(const void *none)
{
	struct tree_spare spare;
	struct tree_end end;

	(void)none;
	for (int i = 0; i < 64; i++)
		must(start_idler() > 0);
	must(process_tree_note_children(&spare) == 0 && spare.count == 64);
	must(start_idler() > 0);
	/* whatever went wrong before */
	errno = ENOENT;
	must(process_tree_note_children(&spare) < 0);
	must(process_tree_kill(NULL, DEADLINE_MS, &end) && end.ended == 65);
	must(process_tree_note_children(&spare) == 0 && spare.count == 0);
	return 0;
}

static void
more_children_than_can_be_noted_are_an_error(void)
{
	check_int(child_run(AS_USER, note_too_many, NULL), 0);
}

static int
kill_in_no_time(const void *none)
{
	struct tree_end end;

	(void)none;
	for (int i = 0; i < 64; i++)
		must(start_idler() > 0);
	must(process_tree_kill(NULL, 0, &end) && end.ended == 64 && end.left == 0);
	return 0;
}

/* In a storm the walks themselves take longer than anybody meant to wait. */
static void
the_deadline_counts_from_the_last_death(void)
{
	check_int(child_run(AS_USER, kill_in_no_time, NULL), 0);
}

static int
ask_stopped(const void *none)
{
	pid_t child = start_idler();
	siginfo_t info;

	(void)none;
	must(kill(child, SIGSTOP) == 0);
	must(waitid(P_PID, (id_t)child, &info, WSTOPPED) == 0);
	process_tree_terminate(NULL);
	/* the status is the caller's to read */
	must(child_wait(child) == -SIGTERM);
	return 0;
}

static void
sigterm_reaches_stopped_processes(void)
{
	check_int(child_run(AS_USER, ask_stopped, NULL), 0);
}

/* A child of root's below an ordinary user, whom the kernel does not let kill it. */
static int
kill_anothers(const void *none)
{
	struct tree_end end;
	pid_t child = start_idler();

	(void)none;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	child_become(AS_USER);
	must(!process_tree_is_empty(NULL));
	must(!process_tree_kill(NULL, DEADLINE_MS, &end));
	must(end.left == 1 && end.ended == 0);
	must(end.survivors[0].pid == child);
	must(strcmp(end.survivors[0].name, "test_process_tr") == 0);
	must(is_alive(child));
	return 0;
}

/* The parent, still root, ends what was left. */
static int
kill_anothers_and_clean_up(const void *none)
{
	struct tree_end end;
	int status;
	pid_t child;

	process_tree_inherit(true);
	child = fork();
	if (child == 0)
		_exit(kill_anothers(none));
	status = child_wait(child);
	process_tree_kill(NULL, DEADLINE_MS, &end);
	must(end.ended == 1);
	return status;
}

static void
a_process_that_cannot_be_killed_is_reported(void)
{
	/* needs a process that we may not kill */
	if (child_can_be_root())
		check_int(child_run(AS_ROOT, kill_anothers_and_clean_up, NULL), 0);
}

int
main(void)
{
	run(a_tree_without_processes_is_empty);
	run(a_zombie_is_not_alive);
	run(becoming_a_subreaper_reports_the_previous_state);
	run(children_grandchildren_and_orphans_are_ended_and_reaped);
	run(spared_children_keep_their_descendants);
	run(older_children_can_be_spared);
	run(more_children_than_can_be_noted_are_an_error);
	run(the_deadline_counts_from_the_last_death);
	run(sigterm_reaches_stopped_processes);
	run(a_process_that_cannot_be_killed_is_reported);
	return tap_end();
}
