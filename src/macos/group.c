// SPDX-License-Identifier: MIT
/* macOS keeps no groups of processes that survive setsid: there is never one, and no limit by it. */
#include "enforce/group.h"

#include <errno.h>
#include <unistd.h>

int
group_make(const struct facts *facts, const struct group_wish *wish, struct group *ret_group,
	   struct cordon_error *err)
{
	(void)facts;
	if (wish->memory != 0 || wish->processes != 0)
		return cordon_fail(err, CORDON_E_GAP, 0, "macOS has no limits over all processes");
	*ret_group = (struct group){.kind = GROUP_NONE, .folder = -1, .hold = -1};
	return 0;
}

pid_t
group_spawn(const struct group *group, void (*run)(const void *argument), const void *argument)
{
	pid_t child = vfork();

	(void)group;
	if (child == 0) {
		run(argument);
		_exit(125);
	}
	return child;
}

bool
group_kill(const struct group *group, int deadline_ms)
{
	(void)group, (void)deadline_ms;
	return true;
}

bool
group_is_empty(const struct group *group)
{
	(void)group;
	return true;
}

bool
group_hit_memory(const struct group *group)
{
	(void)group;
	return false;
}

bool
group_hit_processes(const struct group *group)
{
	(void)group;
	return false;
}

bool
group_measure(const struct group *group, struct group_usage *ret_usage)
{
	(void)group, (void)ret_usage;
	return false;
}

int
group_remove(struct group *group)
{
	(void)group;
	return 0;
}

void
group_release(struct group *group)
{
	(void)group;
}

int
group_end_dead(const char *path)
{
	(void)path;
	errno = EINVAL;
	return -1;
}
