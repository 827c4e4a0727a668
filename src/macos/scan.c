// SPDX-License-Identifier: MIT
/*
 * One look: every process of the user, by effective and by real id; zombies are none. A process is
 * signalled only if it started at the same moment before and after it was recognised, so a number
 * that was given away meanwhile never hits a stranger. What is forked between a look and the signal is
 * found by the next look; that is why there are always two more.
 */
#include "macos/scan.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/proc.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "macos/libsystem.h"

/* More than these are found by the next look. */
#define LIST_MAX 8192 /* of both lists together */
#define DESCENT_MAX 64
#define PAUSE_US 5000

struct seen {
	pid_t pid, parent, group;
	uint64_t started; /* microseconds */
	char name[16];
};

/* What one look saw, by number. */
struct look {
	pid_t found[LIST_MAX];
	uint64_t started[LIST_MAX];
	int count;
	bool complete;	/* everything was listed, and nobody changed while being looked at */
	int sent;	/* signals that were taken */
	int refused;	/* another user's: sudo's, say */
	bool has_group; /* one of them is in the command's group */
};

/* ---- looking ---- */

static int
list(uint32_t kind, uid_t user, pid_t *to, int room, bool *complete)
{
	int bytes = proc_listpids(kind, (uint32_t)user, to, room * (int)sizeof *to);
	int count = bytes <= 0 ? 0 : bytes / (int)sizeof *to;

	/* a full buffer: there may be more */
	if (bytes <= 0 || count >= room)
		*complete = false;
	return count;
}

static int
by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* The user's processes, each once. A program that changed its effective id is still ours. */
static int
list_own(pid_t *to, bool *complete)
{
	int half = LIST_MAX / 2, kept = 0;
	int count = list(PROC_UID_ONLY, geteuid(), to, half, complete);

	count += list(PROC_RUID_ONLY, getuid(), to + count, half, complete);
	qsort(to, (size_t)count, sizeof *to, by_number);
	for (int i = 0; i < count; i++)
		if (to[i] > 0 && (kept == 0 || to[kept - 1] != to[i]))
			to[kept++] = to[i];
	return kept;
}

/* False for what is gone or a zombie. */
static bool
read_process(pid_t pid, struct seen *ret)
{
	struct proc_bsdinfo info;

	if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, sizeof info) != (int)sizeof info ||
	    info.pbi_status == SZOMB)
		return false;
	*ret = (struct seen){
		.pid = pid,
		.parent = (pid_t)info.pbi_ppid,
		.group = (pid_t)info.pbi_pgid,
		.started = info.pbi_start_tvsec * 1000000 + info.pbi_start_tvusec,
	};
	memcpy(ret->name, info.pbi_comm, sizeof ret->name);
	ret->name[sizeof ret->name - 1] = '\0';
	return true;
}

static bool
is_spared(const struct scan_mark *mark, pid_t pid)
{
	for (size_t i = 0; mark->spare != NULL && i < mark->spare->count; i++)
		if (mark->spare->pids[i] == pid)
			return true;
	return false;
}

/* Is it below us? Not by way of a child that was there before. */
static bool
descends(const struct scan_mark *mark, const struct seen *process)
{
	struct seen at = *process;

	for (int i = 0; i < DESCENT_MAX && at.pid > 1; i++) {
		if (at.parent == getpid())
			return !is_spared(mark, at.pid);
		if (!read_process(at.parent, &at))
			return false;
	}
	return false;
}

static bool
is_ours(const struct scan_mark *mark, const struct seen *process)
{
	if (process->pid == getpid() || process->pid == getppid() || process->pid <= 1)
		return false;
	if (mark->fingerprint != NULL)
		return fingerprint_matches(mark->fingerprint, process->pid);
	if (mark->spare != NULL && process->started < mark->spare->older)
		return false;
	if (mark->group > 1 && mark->group != getpgrp() && process->group == mark->group)
		return true;
	return descends(mark, process);
}

static void
look_at(const struct scan_mark *mark, pid_t pid, struct look *look)
{
	struct seen process;

	if (!read_process(pid, &process) || !is_ours(mark, &process))
		return;
	look->has_group = look->has_group || process.group == mark->group;
	look->started[look->count] = process.started;
	look->found[look->count++] = pid;
}

/* Nobody is signalled meanwhile: who loses a parent is no descendant any more. */
static void
look_around(const struct scan_mark *mark, struct look *look)
{
	pid_t listed[LIST_MAX];
	int count;

	look->count = look->sent = look->refused = 0;
	look->complete = true;
	look->has_group = false;
	count = list_own(listed, &look->complete);
	for (int i = 0; i < count; i++)
		look_at(mark, listed[i], look);
}

/* ---- signalling ---- */

/* False when it is gone, or the number is somebody else's now. */
static bool
signal_one(struct look *look, int at, int signal)
{
	struct seen process;

	if (!read_process(look->found[at], &process) || process.started != look->started[at])
		return false;
	if (kill(process.pid, signal) == 0)
		look->sent++;
	else if (errno == EPERM)
		look->refused++;
	else
		return false;
	return true;
}

/* One signal to everything that was found. Those that went by themselves are left out. */
static void
signal_found(struct look *look, int signal)
{
	int kept = 0;

	for (int i = 0; i < look->count; i++) {
		if (!signal_one(look, i, signal)) {
			look->complete = false;
			continue;
		}
		look->started[kept] = look->started[i];
		look->found[kept++] = look->found[i];
	}
	look->count = kept;
}

static void
signal_all(const struct scan_mark *mark, int signal, struct look *look)
{
	look_around(mark, look);
	signal_found(look, signal);
}

/* Only what was found: other children of ours are not ours to wait for. */
static void
reap(const struct look *look)
{
	for (int i = 0; i < look->count; i++)
		waitpid(look->found[i], NULL, WNOHANG);
}

bool
scan_is_empty(const struct scan_mark *mark)
{
	struct look look;

	look_around(mark, &look);
	return look.count == 0 && look.complete;
}

void
scan_ask(const struct scan_mark *mark)
{
	struct look look;

	signal_all(mark, SIGTERM, &look);
	/* what is stopped would never hear of it */
	signal_all(mark, SIGCONT, &look);
}

/*
 * A group can be told at once, if one of ours is seen in it: a number without that may have gone to
 * strangers. EPERM means that one of them could not be told, or is a zombie; the looks will show. The
 * rest of the same look is told one by one: without its parent it may not be recognised again. How many
 * were ended.
 */
static int
kill_group(const struct scan_mark *mark, struct look *look)
{
	int found;

	look_around(mark, look);
	found = look->count;
	if (!look->has_group || mark->group <= 1 || mark->group == getpgrp()) {
		signal_found(look, SIGKILL);
		return look->count;
	}
	killpg(mark->group, SIGKILL);
	signal_found(look, SIGKILL);
	return found;
}

static void
name_survivors(const struct scan_mark *mark, const struct look *look, struct tree_end *to)
{
	for (int i = 0; i < look->count; i++) {
		struct seen process;

		if (!read_process(look->found[i], &process) || !is_ours(mark, &process))
			continue;
		if (to->left < TREE_SURVIVORS) {
			struct tree_survivor *survivor = &to->survivors[to->left];

			survivor->pid = process.pid;
			memcpy(survivor->name, process.name, sizeof survivor->name);
		}
		to->left++;
	}
}

/* Those in this look that were not in the last one. Both are sorted. */
static int
count_new(const struct look *look, const struct look *last)
{
	int fresh = 0, k = 0;

	for (int i = 0; i < look->count; i++) {
		while (k < last->count && last->found[k] < look->found[i])
			k++;
		fresh += k == last->count || last->found[k] != look->found[i];
	}
	return fresh;
}

bool
scan_kill(const struct scan_mark *mark, int deadline_ms, struct tree_end *ret_end)
{
	int64_t until = clock_ms() + deadline_ms;
	struct look look, last = {.count = 0};
	int quiet = 0;

	*ret_end = (struct tree_end){0};
	ret_end->ended = kill_group(mark, &last);
	reap(&last);
	while (quiet < 2) {
		signal_all(mark, SIGKILL, &look);
		ret_end->ended += count_new(&look, &last);
		reap(&look);
		quiet = look.count == 0 && look.complete ? quiet + 1 : 0;
		/* what nobody may signal will not be gone by waiting */
		if (quiet == 0 &&
		    (clock_ms() >= until || (look.complete && look.refused == look.count))) {
			name_survivors(mark, &look, ret_end);
			ret_end->ended -= ret_end->left;
			return ret_end->left == 0 && look.complete;
		}
		memcpy(&last, &look, sizeof last);
		if (quiet == 0)
			clock_sleep_us(PAUSE_US);
	}
	return true;
}
