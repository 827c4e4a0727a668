// SPDX-License-Identifier: MIT
/*
 * What a process started, on a system whose orphans go to launchd: descendants that can still be seen
 * as such. For a confined session the group finds the others too, by their fingerprint; without one
 * this is best effort, and doctor says so.
 */
#include "enforce/tree.h"

#include <unistd.h>

#include "enforce/process.h"
#include "macos/libsystem.h"
#include "macos/scan.h"

/* There are no heirs on macOS: nothing to change, and nothing was changed before. */
int
tree_inherit(bool on)
{
	(void)on;
	return 0;
}

int
tree_note_children(struct tree_spare *ret_spare)
{
	int room = (int)sizeof ret_spare->pids;
	int bytes = proc_listpids(PROC_PPID_ONLY, (uint32_t)getpid(), ret_spare->pids, room);

	ret_spare->count = 0;
	if (bytes < 0 || bytes >= room)
		return -1;
	ret_spare->count = (size_t)bytes / sizeof ret_spare->pids[0];
	return 0;
}

void
tree_spare_older(struct tree_spare *spare, pid_t first)
{
	spare->older = process_find(first).started;
}

bool
tree_is_empty(const struct tree_spare *spare)
{
	const struct scan_mark mark = {.spare = spare};

	return scan_is_empty(&mark);
}

void
tree_ask(const struct tree_spare *spare)
{
	const struct scan_mark mark = {.spare = spare};

	scan_ask(&mark);
}

bool
tree_kill(const struct tree_spare *spare, int deadline_ms, struct tree_end *ret_end)
{
	const struct scan_mark mark = {.spare = spare};

	return scan_kill(&mark, deadline_ms, ret_end);
}
