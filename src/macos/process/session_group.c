// SPDX-License-Identifier: MIT
/*
 * The session group on macOS. No kernel group survives setsid, but no process can leave its profile, so
 * confined processes are recognised by their fingerprint. Without a profile there is an environment
 * variable, which most programs pass on and any can drop. There are no limits over all processes.
 */
#include "base/os.h"

#include "enforce/session_group.h"

#include <string.h>
#include <unistd.h>

#include "macos/process/kill_scan.h"

int
session_group_select(const struct facts *facts, const struct group_wish *wish,
		     struct session_group *ret_group, struct cordon_error *err)
{
	(void)facts;
	if (wish->memory != 0 || wish->processes != 0)
		return cordon_fail(err, CORDON_E_GAP, 0, "macOS has no limits over all processes");
	*ret_group = (struct session_group){.kind = TRACKED_BY_MARK,
					    .folder = -1,
					    .procs_fd = -1,
					    .keeper_pipe = -1};
	kill_scan_marker_name(wish->id, ret_group->path, sizeof ret_group->path);
	return 0;
}

int
session_group_make(struct session_group *group, struct cordon_error *err)
{
	(void)group, (void)err;
	return 0;
}

pid_t
session_group_fork(const struct session_group *group, void (*run)(const void *argument),
		   const void *argument)
{
	pid_t child = fork();

	(void)group;
	if (child == 0) {
		run(argument);
		_exit(125);
	}
	return child;
}

/* Not vfork: the child allocates before exec. */
pid_t
session_group_spawn(const struct session_group *group, void (*run)(const void *argument),
		    const void *argument)
{
	return session_group_fork(group, run, argument);
}

bool
session_group_kill(const struct session_group *group, int deadline_ms)
{
	struct scan_criteria criteria;
	struct tree_end end;

	if (group->kind != TRACKED_BY_MARK)
		return true;
	return kill_scan_criteria_of(group->path, &criteria) &&
	       kill_scan_kill(&criteria, deadline_ms, &end);
}

bool
session_group_is_empty(const struct session_group *group)
{
	struct scan_criteria criteria;

	if (group->kind != TRACKED_BY_MARK)
		return true;
	return kill_scan_criteria_of(group->path, &criteria) && kill_scan_is_empty(&criteria);
}

bool
session_group_hit_memory(const struct session_group *group)
{
	(void)group;
	return false;
}

bool
session_group_hit_processes(const struct session_group *group)
{
	(void)group;
	return false;
}

bool
session_group_measure(const struct session_group *group, struct group_usage *ret_usage)
{
	struct process_usage usage;
	struct scan_criteria criteria;

	/* the path tells the kind */
	if (!kill_scan_criteria_of(group->path, &criteria) || !kill_scan_measure(&criteria, &usage))
		return false;
	*ret_usage = (struct group_usage){usage.memory, usage.processes};
	return true;
}

/* The fingerprint is needed while a process is left, to find it. */
int
session_group_remove(struct session_group *group)
{
	struct fingerprint fingerprint;

	if (group->kind != TRACKED_BY_MARK)
		return 0;
	if (!session_group_is_empty(group)) {
		errno = EBUSY;
		return -1;
	}
	if (fingerprint_is_one(group->path) && fingerprint_at(group->path, &fingerprint))
		fingerprint_remove(&fingerprint);
	session_group_release(group);
	return 0;
}

void
session_group_release(struct session_group *group)
{
	group->kind = GROUP_NONE;
	group->path[0] = '\0';
}

int
session_group_end_dead(const char *path)
{
	struct session_group group = {.kind = TRACKED_BY_MARK, .folder = -1, .keeper_pipe = -1};

	if ((!fingerprint_is_one(path) && !kill_scan_is_marker(path)) ||
	    strlen(path) >= sizeof group.path) {
		errno = EINVAL;
		return -1;
	}
	strcpy(group.path, path);
	if (!session_group_kill(&group, 10000)) {
		errno = EBUSY;
		return -1;
	}
	return session_group_remove(&group);
}
