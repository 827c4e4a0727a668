// SPDX-License-Identifier: MIT
/*
 * Processes of a session on a system without subreapers: descendants still linked by their parents, and
 * processes with the mark of the session's group. Without a fingerprint this is best effort, and doctor
 * says so.
 */
#include "enforce/process_tree.h"

#include <unistd.h>

#include "enforce/session_group.h"
#include "macos/process/kill_scan.h"
#include "macos/process/libsystem.h"

/* macOS has no subreapers: there is nothing to turn on or off. */
int
process_tree_inherit(bool on)
{
	(void)on;
	return 0;
}

int
process_tree_note_children(struct tree_spare *ret_spare)
{
	int room = (int)sizeof ret_spare->pids;
	int bytes = proc_listpids(PROC_PPID_ONLY, (uint32_t)getpid(), ret_spare->pids, room);

	ret_spare->older = 0;
	ret_spare->group = NULL;
	ret_spare->count = 0;
	if (bytes < 0 || bytes >= room)
		return -1;
	ret_spare->count = (size_t)bytes / sizeof ret_spare->pids[0];
	return 0;
}

void
process_tree_exclude_older(struct tree_spare *spare, pid_t first)
{
	struct proc_bsdinfo info;

	/* flag 1: also for a zombie, which it may be by now */
	if (proc_pidinfo(first, PROC_PIDTBSDINFO, 1, &info, sizeof info) == (int)sizeof info)
		spare->older = info.pbi_start_tvsec * 1000000 + info.pbi_start_tvusec;
}

/* Criteria: descendants of this process, and processes with the group's mark. */
static void
make_mark(const struct tree_spare *spare, struct scan_criteria *to)
{
	if (spare == NULL || spare->group == NULL || spare->group->kind != TRACKED_BY_MARK ||
	    !kill_scan_criteria_of(spare->group->path, to))
		*to = (struct scan_criteria){0};
	to->descent = true;
	to->spare = spare;
}

bool
process_tree_is_lone(void)
{
	return false;
}

bool
process_tree_exclude_others(struct tree_spare *spare, bool is_filtered)
{
	/* they are found by their mark */
	(void)spare, (void)is_filtered;
	return true;
}

int
process_tree_reap_threads(pid_t pid)
{
	(void)pid;
	return 0;
}

bool
process_tree_is_empty(const struct tree_spare *spare)
{
	struct scan_criteria criteria;

	make_mark(spare, &criteria);
	return kill_scan_is_empty(&criteria);
}

void
process_tree_terminate(const struct tree_spare *spare)
{
	struct scan_criteria criteria;

	make_mark(spare, &criteria);
	kill_scan_ask(&criteria);
}

bool
process_tree_kill(const struct tree_spare *spare, int deadline_ms, struct tree_end *ret_end)
{
	struct scan_criteria criteria;

	make_mark(spare, &criteria);
	return kill_scan_kill(&criteria, deadline_ms, ret_end);
}
