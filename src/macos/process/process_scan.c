// SPDX-License-Identifier: MIT
/*
 * One scan over every process of the user, by effective and real uid, without zombies. A process is of the
 * session if it has the session's mark, descends from this process, or is in a group or session led by one
 * of those.
 */
#include "macos/process/process_scan.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/proc.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include "enforce/session_group.h"
#include "macos/process/libsystem.h"

#define DESCENT_MAX 64
/* ARG_MAX of the kernel: arguments and environment are never longer. */
#define ARGUMENTS_MAX (1 << 20)

/* State of a scan. */
struct scan_state {
	const struct scan_criteria *criteria;
	const struct process_scan
		*last; /* the previous scan, whose processes may have ended since; or NULL */
	struct process_scan *to;
	pid_t listed[LOOK_MAX];
	bool taken[LOOK_MAX];
	int count;
	bool is_first;	 /* first pass: later ones do not repeat queries */
	char *arguments; /* buffer for one process; NULL: not needed */
};

static int
list(uint32_t kind, uid_t user, pid_t *to, int room, bool *complete)
{
	int bytes = proc_listpids(kind, (uint32_t)user, to, room * (int)sizeof *to);
	int count = bytes <= 0 ? 0 : bytes / (int)sizeof *to;

	/* buffer is full: there may be more */
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

/* Lists the user's processes, each once. One that changed its effective uid is included. */
static int
list_own(pid_t *to, bool *complete)
{
	int half = LOOK_MAX / 2, kept = 0;
	int count = list(PROC_UID_ONLY, geteuid(), to, half, complete);

	count += list(PROC_RUID_ONLY, getuid(), to + count, half, complete);
	qsort(to, (size_t)count, sizeof *to, by_number);
	for (int i = 0; i < count; i++)
		if (to[i] > 0 && (kept == 0 || to[kept - 1] != to[i]))
			to[kept++] = to[i];
	return kept;
}

bool
process_scan_one(pid_t pid, struct scan_seen *ret)
{
	struct proc_bsdinfo info;

	if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, sizeof info) != (int)sizeof info ||
	    info.pbi_status == SZOMB)
		return false;
	*ret = (struct scan_seen){
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
is_spared(const struct scan_criteria *criteria, pid_t pid)
{
	for (size_t i = 0; criteria->spare != NULL && i < criteria->spare->count; i++)
		if (criteria->spare->pids[i] == pid)
			return true;
	return false;
}

/* Does it descend from this process, not through a spared child? */
static bool
descends(const struct scan_criteria *criteria, const struct scan_seen *process)
{
	struct scan_seen at = *process;

	for (int i = 0; i < DESCENT_MAX && at.pid > 1; i++) {
		if (at.parent == getpid())
			return !is_spared(criteria, at.pid);
		if (!process_scan_one(at.parent, &at))
			return false;
	}
	return false;
}

/* Searches the strings behind argc and the path: arguments, then environment. */
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
	/* the path is padded to a multiple of the pointer size */
	while (at < end && *at == '\0')
		at++;
	for (; at < end; at += strnlen(at, (size_t)(end - at)) + 1) {
		if (arguments-- > 0 || strncmp(at, name, sizeof name - 1) != 0)
			continue;
		return strstr(at, marker) != NULL;
	}
	return false;
}

/* macOS hides the environment of its own programs; the other criteria find those. */
static bool
is_marked(const struct scan_state *looking, pid_t pid)
{
	int name[] = {CTL_KERN, KERN_PROCARGS2, pid};
	size_t length = ARGUMENTS_MAX;

	if (looking->arguments == NULL ||
	    sysctl(name, 3, looking->arguments, &length, NULL, 0) != 0 || length >= ARGUMENTS_MAX)
		return false;
	looking->arguments[length] = '\0';
	return has_marker(looking->arguments, looking->arguments + length,
			  looking->criteria->marker);
}

static int
find_number(const pid_t *numbers, int count, pid_t number)
{
	const pid_t *found = bsearch(&number, numbers, (size_t)count, sizeof number, by_number);

	return found == NULL ? -1 : (int)(found - numbers);
}

/* A guard has no children from before the session; a supervisor may. */
static bool
is_guards(const struct tree_spare *spare)
{
	return spare == NULL || (spare->count == 0 && spare->older == 0);
}

/*
 * Is the group or session led by one of ours, or by one of ours that has ended? A pid is not reused while
 * it is the id of a group.
 */
static bool
is_led_by_ours(const struct scan_state *looking, pid_t leader)
{
	int at = find_number(looking->listed, looking->count, leader);

	if (leader <= 1 || leader == getpgrp())
		return false;
	/* a guard leads the session of a command that has a pty */
	if (leader == getpid())
		return looking->criteria->descent && is_guards(looking->criteria->spare);
	if (at >= 0)
		return looking->taken[at];
	/* no process has that pid now */
	return looking->last != NULL &&
	       find_number(looking->last->found, looking->last->count, leader) >= 0 &&
	       kill(leader, 0) < 0 && errno == ESRCH;
}

static bool
is_candidate(const struct scan_criteria *criteria, const struct scan_seen *process)
{
	return process->pid != getpid() && process->pid != getppid() && process->pid > 1 &&
	       (criteria->spare == NULL || process->started >= criteria->spare->older);
}

static bool
is_ours(const struct scan_state *looking, const struct scan_seen *process)
{
	const struct scan_criteria *criteria = looking->criteria;

	if (!is_candidate(criteria, process) || is_spared(criteria, process->pid))
		return false;
	return is_led_by_ours(looking, process->group) ||
	       is_led_by_ours(looking, process->session) ||
	       (looking->is_first &&
		((criteria->fingerprint != NULL &&
		  fingerprint_matches(criteria->fingerprint, process->pid)) ||
		 (criteria->descent && descends(criteria, process)) ||
		 (criteria->marker != NULL && is_marked(looking, process->pid))));
}

/* Returns true if one more was found: then others may be in its group. */
static bool
look_once(struct scan_state *looking)
{
	bool more = false;

	for (int i = 0; i < looking->count; i++) {
		struct scan_seen process;

		if (looking->taken[i] || !process_scan_one(looking->listed[i], &process) ||
		    !is_ours(looking, &process))
			continue;
		looking->taken[i] = more = true;
		looking->to->started[i] = process.started;
	}
	looking->is_first = false;
	return more;
}

static void
collect(struct scan_state *looking)
{
	struct process_scan *to = looking->to;

	for (int i = 0; i < looking->count; i++) {
		if (!looking->taken[i])
			continue;
		to->started[to->count] = to->started[i];
		to->found[to->count++] = looking->listed[i];
	}
}

/* Send no signals meanwhile: a process that loses its parent is no descendant any more. */
void
process_scan_all(const struct scan_criteria *criteria, const struct process_scan *last,
		 struct process_scan *look)
{
	struct scan_state looking = {.criteria = criteria,
				     .last = last,
				     .to = look,
				     .is_first = true};
	void *room = MAP_FAILED;

	*look = (struct process_scan){.complete = true};
	if (criteria->marker != NULL)
		room = mmap(NULL, ARGUMENTS_MAX + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON,
			    -1, 0);
	looking.arguments = room == MAP_FAILED ? NULL : room;
	looking.count = list_own(looking.listed, &look->complete);
	while (look_once(&looking))
		;
	collect(&looking);
	if (room != MAP_FAILED)
		munmap(room, ARGUMENTS_MAX + 1);
	look->complete = look->complete && (criteria->marker == NULL || room != MAP_FAILED);
}
