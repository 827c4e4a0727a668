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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/proc.h>
#include <sys/sysctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "enforce/group.h"
#include "macos/libsystem.h"

/* More than these are found by the next look. */
#define LIST_MAX 8192 /* of both lists together */
#define DESCENT_MAX 64
#define PAUSE_US 5000
/* Arguments and environment of a process are never longer. */
#define ARGUMENTS_MAX (1 << 20)

struct seen {
	pid_t pid, parent, group, session;
	uint64_t started; /* microseconds */
	char name[16];
};

/* What one look saw, by number. */
struct look {
	pid_t found[LIST_MAX];
	uint64_t started[LIST_MAX];
	int count;
	bool complete; /* everything was listed, and nobody changed while being looked at */
	int sent;      /* signals that were taken */
	int refused;   /* another user's: sudo's, say */
};

/* A look on its way. */
struct looking {
	const struct scan_mark *mark;
	const struct look *last; /* the one before, whose processes may have ended since; or NULL */
	struct look *to;
	pid_t listed[LIST_MAX];
	bool taken[LIST_MAX];
	int count;
	bool is_first;	 /* nothing that was told once is asked again */
	char *arguments; /* room for those of one process; NULL: not needed */
};

/* ---- marks ---- */

/* In place of a folder, where nothing is confined; the session's id follows. */
#define ENVIRONMENT "/environment/cordon-"

bool
scan_is_marker(const char *path)
{
	size_t length = sizeof ENVIRONMENT - 1;

	return strncmp(path, ENVIRONMENT, length) == 0 && strlen(path + length) == 16 &&
	       path[length + strspn(path + length, "0123456789abcdef")] == '\0';
}

void
scan_marker_name(const char *id, char *to, size_t size)
{
	snprintf(to, size, ENVIRONMENT "%s", id);
}

bool
scan_mark_of(const char *path, struct scan_mark *ret_mark)
{
	*ret_mark = (struct scan_mark){0};
	if (scan_is_marker(path)) {
		ret_mark->marker = path + sizeof ENVIRONMENT - 1;
		return true;
	}
	if (!fingerprint_is_one(path) || !fingerprint_at(path, &ret_mark->room))
		return false;
	ret_mark->fingerprint = &ret_mark->room;
	return true;
}

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
		.session = getsid(pid),
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

/* The strings behind a count and the program's path: arguments, then the environment. */
static bool
has_marker(const char *at, const char *end, const char *marker)
{
	static const char name[] = GROUP_MARKER "=";
	int arguments = 0;

	if (end - at <= (ptrdiff_t)sizeof arguments)
		return false;
	memcpy(&arguments, at, sizeof arguments);
	at += sizeof arguments;
	at += strnlen(at, (size_t)(end - at));
	/* the path is filled up to a multiple of the size of a pointer */
	while (at < end && *at == '\0')
		at++;
	for (; at < end; at += strnlen(at, (size_t)(end - at)) + 1) {
		if (arguments-- > 0 || strncmp(at, name, sizeof name - 1) != 0)
			continue;
		return strstr(at, marker) != NULL;
	}
	return false;
}

/* macOS keeps the environment of its own programs to itself: those are found by the other ways. */
static bool
is_marked(const struct looking *looking, pid_t pid)
{
	int name[] = {CTL_KERN, KERN_PROCARGS2, pid};
	size_t length = ARGUMENTS_MAX;

	if (looking->arguments == NULL ||
	    sysctl(name, 3, looking->arguments, &length, NULL, 0) != 0 || length >= ARGUMENTS_MAX)
		return false;
	looking->arguments[length] = '\0';
	return has_marker(looking->arguments, looking->arguments + length, looking->mark->marker);
}

static int
find_number(const pid_t *numbers, int count, pid_t number)
{
	const pid_t *found = bsearch(&number, numbers, (size_t)count, sizeof number, by_number);

	return found == NULL ? -1 : (int)(found - numbers);
}

/* A guard had no children before the session; a supervisor may be anything else besides. */
static bool
is_guards(const struct tree_spare *spare)
{
	return spare == NULL || (spare->count == 0 && spare->older == 0);
}

/*
 * A group or session whose leader is ours, or was ours and has ended: a number stays its own as long as
 * anyone is in it.
 */
static bool
is_led_by_ours(const struct looking *looking, pid_t leader)
{
	int at = find_number(looking->listed, looking->count, leader);

	if (leader <= 1 || leader == getpgrp())
		return false;
	/* a guard leads the session of a command that has a terminal of its own */
	if (leader == getpid())
		return looking->mark->descent && is_guards(looking->mark->spare);
	if (at >= 0)
		return looking->taken[at];
	/* nobody has the number now, not another user either */
	return looking->last != NULL &&
	       find_number(looking->last->found, looking->last->count, leader) >= 0 &&
	       kill(leader, 0) < 0 && errno == ESRCH;
}

static bool
is_candidate(const struct scan_mark *mark, const struct seen *process)
{
	return process->pid != getpid() && process->pid != getppid() && process->pid > 1 &&
	       (mark->spare == NULL || process->started >= mark->spare->older);
}

static bool
is_ours(const struct looking *looking, const struct seen *process)
{
	const struct scan_mark *mark = looking->mark;

	if (!is_candidate(mark, process) || is_spared(mark, process->pid))
		return false;
	return is_led_by_ours(looking, process->group) ||
	       is_led_by_ours(looking, process->session) ||
	       (looking->is_first && ((mark->fingerprint != NULL &&
				       fingerprint_matches(mark->fingerprint, process->pid)) ||
				      (mark->descent && descends(mark, process)) ||
				      (mark->marker != NULL && is_marked(looking, process->pid))));
}

/* True when one more was found: others may be in its group. */
static bool
look_once(struct looking *looking)
{
	bool more = false;

	for (int i = 0; i < looking->count; i++) {
		struct seen process;

		if (looking->taken[i] || !read_process(looking->listed[i], &process) ||
		    !is_ours(looking, &process))
			continue;
		looking->taken[i] = more = true;
		looking->to->started[i] = process.started;
	}
	looking->is_first = false;
	return more;
}

static void
collect(struct looking *looking)
{
	struct look *to = looking->to;

	for (int i = 0; i < looking->count; i++) {
		if (!looking->taken[i])
			continue;
		to->started[to->count] = to->started[i];
		to->found[to->count++] = looking->listed[i];
	}
}

/* Nobody is signalled meanwhile: who loses a parent is no descendant any more. */
static void
look_around(const struct scan_mark *mark, const struct look *last, struct look *look)
{
	struct looking looking = {.mark = mark, .last = last, .to = look, .is_first = true};
	void *room = MAP_FAILED;

	*look = (struct look){.complete = true};
	if (mark->marker != NULL)
		room = mmap(NULL, ARGUMENTS_MAX + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON,
			    -1, 0);
	looking.arguments = room == MAP_FAILED ? NULL : room;
	looking.count = list_own(looking.listed, &look->complete);
	while (look_once(&looking))
		;
	collect(&looking);
	if (room != MAP_FAILED)
		munmap(room, ARGUMENTS_MAX + 1);
	look->complete = look->complete && (mark->marker == NULL || room != MAP_FAILED);
}

/* ---- signalling ---- */

/* Or is it gone, and the number somebody else's now? */
static bool
is_still(const struct look *look, int at)
{
	struct seen process;

	return read_process(look->found[at], &process) && process.started == look->started[at];
}

static bool
leads_group(pid_t pid)
{
	struct seen process;

	return pid != getpgrp() && read_process(pid, &process) && process.group == pid;
}

/* False when it is gone. */
static bool
signal_one(struct look *look, int at, int signal)
{
	if (!is_still(look, at))
		return false;
	if (kill(look->found[at], signal) == 0)
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
signal_all(const struct scan_mark *mark, int signal, const struct look *last, struct look *look)
{
	look_around(mark, last, look);
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

	look_around(mark, NULL, &look);
	return look.count == 0 && look.complete;
}

bool
scan_measure(const struct scan_mark *mark, struct process_usage *ret_usage)
{
	struct process_usage usage = {0};
	struct look look;

	look_around(mark, NULL, &look);
	usage.processes = look.count;
	for (int i = 0; i < look.count; i++) {
		struct proc_taskinfo info;

		if (proc_pidinfo(look.found[i], PROC_PIDTASKINFO, 0, &info, sizeof info) ==
		    (int)sizeof info)
			usage.memory += info.pti_resident_size;
	}
	*ret_usage = usage;
	return look.complete;
}

void
scan_ask(const struct scan_mark *mark)
{
	struct look look;

	signal_all(mark, SIGTERM, NULL, &look);
	/* what is stopped would never hear of it */
	signal_found(&look, SIGCONT);
}

/*
 * A group can be told at once, if one of ours leads it: it was made by ours then. EPERM means that one
 * of them could not be told, or is a zombie; the looks will show. The rest of the same look is told one
 * by one: without its parent it may not be recognised again. How many were ended.
 */
static int
kill_groups(const struct scan_mark *mark, struct look *look)
{
	int kept = 0;

	look_around(mark, NULL, look);
	for (int i = 0; i < look->count; i++) {
		if (!is_still(look, i))
			continue;
		look->started[kept] = look->started[i];
		look->found[kept++] = look->found[i];
	}
	look->count = kept;
	for (int i = 0; i < look->count; i++)
		if (is_still(look, i) && leads_group(look->found[i]))
			killpg(look->found[i], SIGKILL);
	for (int i = 0; i < look->count; i++)
		signal_one(look, i, SIGKILL);
	return kept;
}

static void
name_survivors(const struct look *look, struct tree_end *to)
{
	for (int i = 0; i < look->count; i++) {
		struct seen process;

		if (!read_process(look->found[i], &process) || process.started != look->started[i])
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
	ret_end->ended = kill_groups(mark, &last);
	reap(&last);
	while (quiet < 2) {
		signal_all(mark, SIGKILL, &last, &look);
		ret_end->ended += count_new(&look, &last);
		reap(&look);
		quiet = look.count == 0 && look.complete ? quiet + 1 : 0;
		/* what nobody may signal will not be gone by waiting */
		if (quiet == 0 &&
		    (clock_ms() >= until || (look.complete && look.refused == look.count))) {
			name_survivors(&look, ret_end);
			ret_end->ended -= ret_end->left;
			return ret_end->left == 0 && look.complete;
		}
		memcpy(&last, &look, sizeof last);
		if (quiet == 0)
			clock_sleep_us(PAUSE_US);
	}
	return true;
}
