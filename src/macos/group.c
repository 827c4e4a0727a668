// SPDX-License-Identifier: MIT
/*
 * The processes of a confined session, known by their fingerprint: macOS keeps no groups that survive
 * setsid, but no process can take its profile off. There are no limits over all of them. Without a
 * profile there is no group.
 */
#include "base/compat.h"

#include "enforce/group.h"

#include <string.h>
#include <unistd.h>

#include "macos/scan.h"

int
group_choose(const struct facts *facts, const struct group_wish *wish, struct group *ret_group,
	     struct cordon_error *err)
{
	(void)facts;
	if (wish->memory != 0 || wish->processes != 0)
		return cordon_fail(err, CORDON_E_GAP, 0, "macOS has no limits over all processes");
	*ret_group = (struct group){.kind = GROUP_NONE, .folder = -1, .hold = -1};
	return 0;
}

int
group_make(struct group *group, struct cordon_error *err)
{
	(void)group, (void)err;
	return 0;
}

pid_t
group_fork(const struct group *group, void (*run)(const void *argument), const void *argument)
{
	pid_t child = fork();

	(void)group;
	if (child == 0) {
		run(argument);
		_exit(125);
	}
	return child;
}

/* Not vfork: what the child does before exec allocates on macOS. */
pid_t
group_spawn(const struct group *group, void (*run)(const void *argument), const void *argument)
{
	return group_fork(group, run, argument);
}

bool
group_kill(const struct group *group, int deadline_ms)
{
	struct fingerprint fingerprint;
	const struct scan_mark mark = {.fingerprint = &fingerprint};
	struct tree_end end;

	if (group->kind != GROUP_MARKED)
		return true;
	return fingerprint_at(group->path, &fingerprint) && scan_kill(&mark, deadline_ms, &end);
}

bool
group_is_empty(const struct group *group)
{
	struct fingerprint fingerprint;
	const struct scan_mark mark = {.fingerprint = &fingerprint};

	if (group->kind != GROUP_MARKED)
		return true;
	return fingerprint_at(group->path, &fingerprint) && scan_is_empty(&mark);
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

/* As long as one is left it is needed: by it that one is found. */
int
group_remove(struct group *group)
{
	struct fingerprint fingerprint;

	if (group->kind != GROUP_MARKED)
		return 0;
	if (!group_is_empty(group)) {
		errno = EBUSY;
		return -1;
	}
	if (fingerprint_at(group->path, &fingerprint))
		fingerprint_remove(&fingerprint);
	group_release(group);
	return 0;
}

void
group_release(struct group *group)
{
	group->kind = GROUP_NONE;
	group->path[0] = '\0';
}

int
group_end_dead(const char *path)
{
	struct group group = {.kind = GROUP_MARKED, .folder = -1, .hold = -1};

	if (!fingerprint_is_one(path) || strlen(path) >= sizeof group.path) {
		errno = EINVAL;
		return -1;
	}
	strcpy(group.path, path);
	if (!group_kill(&group, 10000)) {
		errno = EBUSY;
		return -1;
	}
	return group_remove(&group);
}
