// SPDX-License-Identifier: MIT
/*
 * The walk over everything a process started. Orphans come to us, so whatever lives is somewhere
 * below: every task's list of children is read, from us downwards. A list is exact only for what
 * does not run, so all is stopped before anything is killed, and looked at again until two looks
 * found nothing. A process is signalled through a descriptor that was held against its parent, so
 * that a number used again by a stranger never hits the stranger.
 */
#include "base/os.h"

#include "enforce/process_tree.h"

#include <errno.h>
#include <fcntl.h>
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
#include "linux/seccomp/syscalls.h"

/* More than these are found by the next walk. */
#define FOUND_MAX 4096
/* A storm of forks may outrun the stopping for a while; then it is killed as it is. */
#define STOP_WALKS 8
/* Another user's process cannot be killed, but may be about to end. */
#define REFUSED_MS 500
/* So often nothing became less. */
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

/* ---- looking ---- */

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
	/* one that has ended inherits nothing */
	spare->first_only = proc_stat_read(getpid(), &first) && first.state != 'Z';
	spare->is_filtered = is_filtered;
	spare->filters = proc_filters(getpid());
	return is_filtered;
}

/* ---- one process ---- */

enum held_process {
	HELD,	/* it is the one that was listed */
	GONE,	/* it is not there any more, or the number is somebody else's now */
	UNKNOWN /* it could not be looked at */
};

/*
 * A parent that died meanwhile has left it to us; any other parent than the one it was listed under
 * means that the number belongs to somebody else.
 */
static enum held_process
hold(const struct found_process *found, int at, int *ret_fd, struct proc_stat *ret_stat)
{
	pid_t pid = found->pids[at];
	auto_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return errno == ESRCH ? GONE : UNKNOWN;
	if (!proc_stat_read(pid, ret_stat))
		return errno == ESRCH || errno == ENOENT ? GONE : UNKNOWN;
	if (ret_stat->parent != found->parents[at] && ret_stat->parent != getpid())
		return GONE;
	/* there still: so it was this one that was read about */
	if (syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0 && errno != EPERM)
		return GONE;
	*ret_fd = fd;
	fd = -1;
	return HELD;
}

/* One whose first thread has ended looks dead as long as others live. */
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
 * It may start nothing more, should another let it go on. Only what is stopped, because a limit is
 * set by number: it will not go away and leave the number to somebody else. Does not bind root.
 */
static void
clamp(pid_t pid)
{
	static const struct rlimit none = {0, 0};

	prlimit(pid, RLIMIT_NPROC, &none, NULL);
}

/* ---- threads that are waited for ---- */

/* A traced one is a child of its tracer to wait; all others are none of ours. */
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
	int alive;   /* and not zombies */
	int reaped;  /* dead children of ours, taken away */
	int killed;  /* of these, by us */
	int sent;    /* signals that were taken */
	int refused; /* another user's: sudo's, say */
	bool blind;  /* something could not be looked at */
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

/* Signalled before its children are listed: what is stopped or dying starts no more of them. */
static void
visit(struct process_walk *walk, int at, int signal)
{
	struct proc_stat stat;
	auto_fd int fd = -1;
	enum held_process holding = hold(&walk->found, at, &fd, &stat);

	if (holding == UNKNOWN)
		walk->blind = true;
	if (holding != HELD || is_dead(&stat) || is_older(walk->found.spare, &stat))
		return;
	if (stat.state == 'Z')
		walk->reaped += process_tree_reap_threads(walk->found.pids[at]);
	signal_one(walk, at, fd, &stat, signal);
	/* more than fit, or one that has just ended: the next walk will tell */
	proc_children(walk->found.pids[at], stat.threads, add_found, &walk->found);
}

/* Our dead are taken away, and only those listed: the caller's other children are not ours. */
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

/* Who sends nothing wants to know whether anybody lives: one is enough. */
static bool
is_known(const struct process_walk *walk, int signal)
{
	return signal == 0 && walk->alive > 0;
}

/*
 * One signal to everything below us, parents before their children. 0: only looks. The latest of
 * our own are the first: in a storm, whoever comes last is the one that lives.
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
	/* only when all is over: before, somebody may want to know how it ended */
	if (signal == SIGSTOP || signal == SIGKILL)
		reap_listed(walk);
	own = found->count;
	for (int i = own - 1; i >= 0 && !is_known(walk, signal); i--)
		visit(walk, i, signal);
	for (int i = own; i < found->count && !is_known(walk, signal); i++)
		visit(walk, i, signal);
}

/* ---- what others call ---- */

static bool
is_empty_below(const struct tree_spare *spare)
{
	struct process_walk walk;
	int count;

	walk_all(&walk, spare, 0);
	count = walk.found.count;
	if (walk.alive > 0 || walk.blind)
		return false;
	/* one that forks and ends, again and again, is never seen alive; but the dead become more */
	walk_all(&walk, spare, 0);
	return walk.alive == 0 && !walk.blind && walk.found.count == count;
}

bool
process_tree_is_empty(const struct tree_spare *spare)
{
	/* whoever has no child at all has nothing below */
	return os_has_no_child() || is_empty_below(spare);
}

void
process_tree_terminate(const struct tree_spare *spare)
{
	struct process_walk walk;

	walk.killed = 0;
	walk_all(&walk, spare, SIGTERM);
	/* what is stopped would never hear of it */
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

		if (hold(found, i, &fd, &stat) != HELD || is_dead(&stat) ||
		    is_older(found->spare, &stat))
			continue;
		if (to->left < TREE_SURVIVORS) {
			to->survivors[to->left].pid = found->pids[i];
			memcpy(to->survivors[to->left].name, stat.name, sizeof stat.name);
		}
		to->left++;
	}
	/* too fast, or not to be looked at: that is no proof that nothing is there */
	if (to->left == 0) {
		to->left = 1;
		to->survivors[0] = (struct tree_survivor){0, "unknown"};
	}
}

/* Whatever dies is a reason to go on: who gives up leaves all the others alive. */
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
 * Nothing is left when a walk finds neither a living nor a dead child: a dead one that was reaped
 * may have left us a living one after the list was read.
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
		/* those that die need a moment; those that run must not get one */
		if (walk.reaped > 0)
			pause = 50;
		else
			clock_sleep_us(pause *= pause < 10000 ? 2 : 1);
	}
	return true;
}
