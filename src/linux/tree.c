// SPDX-License-Identifier: MIT
/*
 * The walk over everything a process started. Orphans come to us, so whatever lives is somewhere
 * below: every task's list of children is read, from us downwards. A list is exact only for what
 * does not run, so all is stopped before anything is killed, and looked at again until two looks
 * found nothing. A process is signalled through a descriptor that was held against its parent, so
 * that a number used again by a stranger never hits the stranger.
 */
#include "enforce/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "linux/proc.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

/* More than these are found by the next look. */
#define FOUND_MAX 4096
/* A storm of forks may outrun the stopping for a while; then it is killed as it is. */
#define STOP_LOOKS 8

struct found {
	pid_t pids[FOUND_MAX], parents[FOUND_MAX];
	int count;
	const struct tree_spare *spare;
};

int
tree_inherit(bool on)
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

/* ---- looking ---- */

static bool
add_found(void *context, pid_t parent, pid_t child)
{
	struct found *found = context;

	if (found->count == FOUND_MAX)
		return false;
	found->pids[found->count] = child;
	found->parents[found->count++] = parent;
	return true;
}

static bool
add_own(void *context, pid_t parent, pid_t child)
{
	struct found *found = context;

	return is_spared(found->spare, child) || add_found(found, parent, child);
}

/* Everything below us at about this moment, parents before their children. */
static void
look(struct found *found, const struct tree_spare *spare)
{
	found->count = 0;
	found->spare = spare;
	proc_children(getpid(), add_own, found);
	for (int i = 0; i < found->count; i++)
		proc_children(found->pids[i], add_found, found);
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
tree_note_children(struct tree_spare *ret_spare)
{
	ret_spare->count = 0;
	return proc_children(getpid(), add_spare, ret_spare);
}

/* ---- one process ---- */

/*
 * Holds the process that was listed, or -1. A parent that died meanwhile has left it to us; any
 * other parent means that the number belongs to somebody else now.
 */
static int
hold(const struct found *found, int at, struct proc_stat *ret_stat)
{
	pid_t pid = found->pids[at];
	auto_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int held;

	if (fd < 0 || !proc_stat_read(pid, ret_stat))
		return -1;
	if (ret_stat->parent != found->parents[at] && ret_stat->parent != getpid())
		return -1;
	/* alive still: so it was this one that was read about */
	if (syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0 && errno != EPERM)
		return -1;
	held = fd;
	fd = -1;
	return held;
}

static bool
is_dead(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X';
}

static bool
is_stopped(const struct proc_stat *stat)
{
	return stat->state == 'T' || stat->state == 't';
}

/* It may start nothing more. Does not bind root; then only stopping helps. */
static void
clamp(pid_t pid)
{
	static const struct rlimit none = {0, 0};

	prlimit(pid, RLIMIT_NPROC, &none, NULL);
}

/* ---- rounds ---- */

struct round {
	int alive;   /* found, and not zombies */
	int sent;    /* signals that were taken */
	int running; /* were not stopped before */
	int refused; /* another user's: sudo's, say */
};

static void
signal_one(struct found *found, int at, int signal, bool storm, struct round *to)
{
	struct proc_stat stat;
	auto_fd int fd = hold(found, at, &stat);

	if (fd < 0 || is_dead(&stat))
		return;
	to->alive++;
	if (signal == SIGSTOP && is_stopped(&stat))
		return;
	if (storm)
		clamp(found->pids[at]);
	if (signal == 0)
		return;
	to->running++;
	if (syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) == 0)
		to->sent++;
	else if (errno == EPERM)
		to->refused++;
}

/* One signal to everything found now. 0: only counts. */
static struct round
signal_all(struct found *found, const struct tree_spare *spare, int signal, bool storm)
{
	struct round round = {0};

	look(found, spare);
	for (int i = 0; i < found->count; i++)
		signal_one(found, i, signal, storm, &round);
	return round;
}

/* Only what was found: the caller's other children are not ours to wait for. How many were killed. */
static int
reap(const struct found *found)
{
	int killed = 0, status;

	for (int i = 0; i < found->count; i++)
		if (waitpid(found->pids[i], &status, WNOHANG | __WALL) > 0)
			killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	return killed;
}

static void
stop_all(struct found *found, const struct tree_spare *spare)
{
	for (int i = 0; i < STOP_LOOKS; i++)
		if (signal_all(found, spare, SIGSTOP, i > 0).sent == 0)
			return;
}

static void
name_survivors(struct found *found, struct tree_end *to)
{
	for (int i = 0; i < found->count; i++) {
		struct proc_stat stat;
		auto_fd int fd = hold(found, i, &stat);
		struct tree_survivor *survivor = &to->survivors[to->left];

		if (fd < 0 || is_dead(&stat))
			continue;
		if (to->left < TREE_SURVIVORS) {
			survivor->pid = found->pids[i];
			memcpy(survivor->name, stat.name, sizeof survivor->name);
		}
		to->left++;
	}
}

bool
tree_is_empty(const struct tree_spare *spare)
{
	struct found found;

	return signal_all(&found, spare, 0, false).alive == 0;
}

void
tree_ask(const struct tree_spare *spare)
{
	struct found found;

	signal_all(&found, spare, SIGTERM, false);
	/* what is stopped would never hear of it */
	signal_all(&found, spare, SIGCONT, false);
}

bool
tree_kill(const struct tree_spare *spare, int deadline_ms, struct tree_end *ret_end)
{
	int64_t until = clock_ms() + deadline_ms;
	struct found found;
	long pause = 100;
	int quiet = 0;

	*ret_end = (struct tree_end){0};
	stop_all(&found, spare);
	while (quiet < 2) {
		struct round round = signal_all(&found, spare, SIGKILL, quiet == 0);

		ret_end->ended += reap(&found);
		quiet = round.alive == 0 ? quiet + 1 : 0;
		if (quiet == 0 && (clock_ms() >= until || round.refused == round.alive)) {
			name_survivors(&found, ret_end);
			return ret_end->left == 0;
		}
		if (quiet == 0) {
			clock_sleep_us(pause);
			pause = pause < 10000 ? pause * 2 : pause;
		}
	}
	return true;
}
