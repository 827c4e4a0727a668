// SPDX-License-Identifier: MIT
/*
 * Walks all descendants of this process. It is their subreaper, so every live process is below it; the walk
 * reads the list of children of every thread, from here downwards. A list is exact only while the process
 * does not run: so all are stopped before any is killed, and the walk repeats until two in a row find none.
 * Each process is signalled through a pidfd whose parent was checked, so a reused pid is never hit.
 */
#include "base/os.h"

#include "enforce/process_tree.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/standstill.h"
#include "linux/process/proc_stat.h"

/* The next walk finds the rest. */
#define FOUND_MAX 4096
/* Processes that fork without pause may outrun stopping; after so many walks they are killed anyway. */
#define STOP_WALKS 8
/* A process of another user cannot be killed, but may be about to exit. */
#define REFUSED_MS 500
/* Walks without any progress before giving up. */
#define IDLE_WALKS 400

struct found_process {
	pid_t pids[FOUND_MAX], parents[FOUND_MAX];
	int count;
	const struct tree_spare *spare;
};

int
process_tree_inherit(bool on)
{
	int before = 0;

	if (prctl(PR_GET_CHILD_SUBREAPER, &before, 0, 0, 0) < 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0, 0, 0, 0) < 0)
		return -1;
	return before != 0;
}

static bool
is_spared(const struct tree_spare *spare, pid_t pid)
{
	for (size_t i = 0; spare != NULL && i < spare->count; i++)
		if (spare->pids[i] == pid)
			return true;
	return false;
}

static bool
is_unfiltered(const struct tree_spare *spare, pid_t pid)
{
	return spare != NULL && spare->is_filtered && proc_filters(pid) <= spare->filters;
}

/* ---- scan ---- */

static bool
add_found(void *context, pid_t parent, pid_t child)
{
	struct found_process *found = context;

	if (found->count == FOUND_MAX)
		return false;
	found->pids[found->count] = child;
	found->parents[found->count++] = parent;
	return true;
}

static bool
add_own(void *context, pid_t parent, pid_t child)
{
	struct found_process *found = context;

	return is_spared(found->spare, child) || is_unfiltered(found->spare, child) ||
	       add_found(found, parent, child);
}

static bool
add_spare(void *context, pid_t parent, pid_t child)
{
	struct tree_spare *spare = context;

	(void)parent;
	if (spare->count == sizeof spare->pids / sizeof spare->pids[0])
		return false;
	spare->pids[spare->count++] = child;
	return true;
}

int
process_tree_note_children(struct tree_spare *ret_spare)
{
	*ret_spare = (struct tree_spare){0};
	return proc_children(getpid(), 0, add_spare, ret_spare);
}

void
process_tree_exclude_older(struct tree_spare *spare, pid_t first)
{
	struct proc_stat stat;

	if (proc_stat_read(first, &stat))
		spare->older = stat.started;
}

bool
process_tree_is_lone(void)
{
	struct proc_stat own;

	return proc_stat_read(getpid(), &own) && own.threads == 1;
}

bool
process_tree_exclude_others(struct tree_spare *spare, bool is_filtered)
{
	struct proc_stat first;

	if (spare->is_lone)
		return true;
	/* an exited main thread inherits no orphans */
	spare->first_only = proc_stat_read(getpid(), &first) && first.state != 'Z';
	spare->is_filtered = is_filtered;
	spare->filters = proc_filters(getpid());
	return is_filtered;
}

/* ---- one process ---- */

enum found_state {
	FOUND_SAME,   /* the process that was listed */
	FOUND_GONE,   /* exited, or the pid was reused */
	FOUND_UNKNOWN /* could not be examined */
};

/*
 * Opens a pidfd and checks the parent: the listed one, or this process if the parent has died. Any other
 * parent means that the pid was reused.
 */
static enum found_state
open_found(const struct found_process *found, int at, int *ret_fd, struct proc_stat *ret_stat)
{
	pid_t pid = found->pids[at];
	auto_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return errno == ESRCH ? FOUND_GONE : FOUND_UNKNOWN;
	if (!proc_stat_read(pid, ret_stat))
		return errno == ESRCH || errno == ENOENT ? FOUND_GONE : FOUND_UNKNOWN;
	if (ret_stat->parent != found->parents[at] && ret_stat->parent != getpid())
		return FOUND_GONE;
	/* still alive, so the data read belongs to this process */
	if (syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0 && errno != EPERM)
		return FOUND_GONE;
	*ret_fd = fd;
	fd = -1;
	return FOUND_SAME;
}

/* A process whose main thread has exited looks like a zombie while other threads live. */
static bool
is_dead(const struct proc_stat *stat)
{
	return (stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1;
}

static bool
is_stopped(const struct proc_stat *stat)
{
	return stat->state == 'T' || stat->state == 't';
}

static bool
is_older(const struct tree_spare *spare, const struct proc_stat *stat)
{
	return spare != NULL && stat->started < spare->older;
}

/*
 * Lets the process fork no more if another process continues it. Only for a stopped process: rlimits are
 * set by pid, and a stopped process does not exit. No effect on root.
 */
static void
clamp(pid_t pid)
{
	static const struct rlimit none = {0, 0};

	prlimit(pid, RLIMIT_NPROC, &none, NULL);
}

/* ---- traced threads ---- */

/* Only threads traced by this process can be waited for. */
static bool
reap_thread(void *context, pid_t process, pid_t thread)
{
	int *reaped = context, status;

	if (thread != process && waitpid(thread, &status, WNOHANG | __WALL) > 0 &&
	    !WIFSTOPPED(status))
		++*reaped;
	return true;
}

int
process_tree_reap_threads(pid_t pid)
{
	int reaped = 0;

	proc_threads(pid, reap_thread, &reaped);
	return reaped;
}

/* ---- walks ---- */

struct process_walk {
	struct found_process found;
	int alive;   /* without zombies */
	int reaped;  /* zombies reaped */
	int killed;  /* those of them killed by this process */
	int sent;    /* signals delivered */
	int refused; /* processes of another user, such as sudo */
	bool blind;  /* something could not be read */
};

static void
signal_one(struct process_walk *walk, int at, int fd, const struct proc_stat *stat, int signal)
{
	walk->alive++;
	if (signal == SIGSTOP && is_stopped(stat)) {
		clamp(walk->found.pids[at]);
		return;
	}
	if (signal == 0)
		return;
	if (syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) == 0)
		walk->sent++;
	else if (errno == EPERM)
		walk->refused++;
}

/* Signals before listing children: a stopped or dying process forks no more. */
static void
visit(struct process_walk *walk, int at, int signal)
{
	struct proc_stat stat;
	auto_fd int fd = -1;
	enum found_state state = open_found(&walk->found, at, &fd, &stat);

	if (state == FOUND_UNKNOWN)
		walk->blind = true;
	if (state != FOUND_SAME || is_dead(&stat) || is_older(walk->found.spare, &stat))
		return;
	if (stat.state == 'Z')
		walk->reaped += process_tree_reap_threads(walk->found.pids[at]);
	signal_one(walk, at, fd, &stat, signal);
	/* if they do not fit, or the process has just ended, the next walk finds them */
	proc_children(walk->found.pids[at], stat.threads, add_found, &walk->found);
}

/* Reaps listed children only: other children belong to the caller. */
static bool
reap_one(struct process_walk *walk, pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG | __WALL) <= 0 || WIFSTOPPED(status))
		return false;
	walk->reaped++;
	walk->killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	return true;
}

static void
reap_listed(struct process_walk *walk)
{
	struct found_process *found = &walk->found;
	int kept = 0;

	for (int i = 0; i < found->count; i++) {
		if (reap_one(walk, found->pids[i]))
			continue;
		found->pids[kept] = found->pids[i];
		found->parents[kept++] = found->parents[i];
	}
	found->count = kept;
}

/* A walk without a signal only checks whether any process lives: one is enough. */
static bool
is_known(const struct process_walk *walk, int signal)
{
	return signal == 0 && walk->alive > 0;
}

/*
 * Signals every process below, parents first; signal 0 only checks. Starts with the newest children: while
 * processes fork without pause, the newest survive.
 */
static void
walk_all(struct process_walk *walk, const struct tree_spare *spare, int signal)
{
	struct found_process *found = &walk->found;
	int own;

	found->count = walk->alive = walk->sent = walk->refused = walk->reaped = 0;
	found->spare = spare;
	walk->blind = proc_children(getpid(), spare != NULL && spare->first_only ? 1 : 0, add_own,
				    found) < 0;
	/* only at the end: earlier the exit status may still be wanted */
	if (signal == SIGSTOP || signal == SIGKILL)
		reap_listed(walk);
	own = found->count;
	for (int i = own - 1; i >= 0 && !is_known(walk, signal); i--)
		visit(walk, i, signal);
	for (int i = own; i < found->count && !is_known(walk, signal); i++)
		visit(walk, i, signal);
}

/* ---- interface ---- */

static bool
is_empty_below(const struct tree_spare *spare)
{
	struct process_walk walk;
	int count;

	walk_all(&walk, spare, 0);
	count = walk.found.count;
	if (walk.alive > 0 || walk.blind)
		return false;
	/* a process that forks and exits repeatedly is never seen alive, but its zombies add up */
	walk_all(&walk, spare, 0);
	return walk.alive == 0 && !walk.blind && walk.found.count == count;
}

bool
process_tree_is_empty(const struct tree_spare *spare)
{
	/* without children there are no descendants */
	return os_has_no_child() || is_empty_below(spare);
}

void
process_tree_terminate(const struct tree_spare *spare)
{
	struct process_walk walk;

	walk.killed = 0;
	walk_all(&walk, spare, SIGTERM);
	/* a stopped process would not handle SIGTERM */
	walk_all(&walk, spare, SIGCONT);
}

static void
stop_all(struct process_walk *walk, const struct tree_spare *spare)
{
	for (int i = 0; i < STOP_WALKS; i++) {
		walk_all(walk, spare, SIGSTOP);
		if (walk->sent == 0 && walk->reaped == 0)
			return;
	}
}

static void
name_survivors(const struct found_process *found, struct tree_end *to)
{
	for (int i = 0; i < found->count; i++) {
		struct proc_stat stat;
		auto_fd int fd = -1;

		if (open_found(found, i, &fd, &stat) != FOUND_SAME || is_dead(&stat) ||
		    is_older(found->spare, &stat))
			continue;
		if (to->left < TREE_SURVIVORS) {
			to->survivors[to->left].pid = found->pids[i];
			memcpy(to->survivors[to->left].name, stat.name, sizeof stat.name);
		}
		to->left++;
	}
	/* too fast, or unreadable: this does not prove that none is left */
	if (to->left == 0) {
		to->left = 1;
		to->survivors[0] = (struct tree_survivor){0, "unknown"};
	}
}

/* Continue while anything dies: giving up would leave all others alive. */
static bool
is_hopeless(struct standstill *still, const struct process_walk *walk, int deadline_ms)
{
	bool is_another_users = walk->refused == walk->alive && walk->reaped == 0 && !walk->blind;

	standstill_note(still, walk->reaped > 0);
	if (is_another_users && deadline_ms > REFUSED_MS)
		return standstill_lasts(still, 0, REFUSED_MS);
	return standstill_lasts(still, IDLE_WALKS, deadline_ms);
}

/*
 * Done when a walk finds no child, neither alive nor zombie: a zombie reaped now may have left a live
 * child to this process after the list was read.
 */
bool
process_tree_kill(const struct tree_spare *spare, int deadline_ms, struct tree_end *ret_end)
{
	struct standstill still = {0};
	struct process_walk walk;
	long pause = 50;
	int quiet = 0;

	*ret_end = (struct tree_end){0};
	walk.killed = 0;
	stop_all(&walk, spare);
	while (quiet < 2) {
		walk_all(&walk, spare, SIGKILL);
		ret_end->ended = walk.killed;
		quiet = walk.alive == 0 && walk.reaped == 0 && !walk.blind ? quiet + 1 : 0;
		if (quiet > 0)
			continue;
		if (is_hopeless(&still, &walk, deadline_ms)) {
			name_survivors(&walk.found, ret_end);
			return false;
		}
		/* give dying processes a moment, running ones none */
		if (walk.reaped > 0)
			pause = 50;
		else
			clock_sleep_us(pause *= pause < 10000 ? 2 : 1);
	}
	return true;
}
