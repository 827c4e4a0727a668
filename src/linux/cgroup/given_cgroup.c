// SPDX-License-Identifier: MIT
/* A cgroup that the invoker made and names: checked and opened here, never limited, killed or removed. */
#include "linux/cgroup/given_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/cgroup/cgroup.h"

/*
 * The invoker ends this cgroup by itself, so it is taken as it is: setting a limit or killing what is in it could hit
 * processes that are not of the session.
 */
int
given_cgroup_select(const struct group_wish *wish, struct session_group *group,
		    struct cordon_error *err)
{
	auto_fd int folder = open(wish->given, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;

	if (wish->memory != 0 || wish->processes != 0)
		return cordon_fail(
			err, CORDON_E_GAP, 0,
			"a cgroup that the caller names (\"cgroup_path\") gets no limits of "
			"memory and processes");
	if (folder >= 0 && fstatfs(folder, &fs) == 0 && fs.f_type != CGROUP2_MAGIC)
		return cordon_fail(err, CORDON_E_PATH, 0,
				   "\"cgroup_path\": %.120s is not a cgroup of version 2",
				   wish->given);
	if (folder < 0 || faccessat(folder, "cgroup.procs", W_OK, AT_EACCESS) < 0 ||
	    snprintf(group->path, sizeof group->path, "%s", wish->given) >= (int)sizeof group->path)
		return cordon_fail(err, CORDON_E_PATH, errno,
				   "\"cgroup_path\": cannot use the cgroup %.120s", wish->given);
	group->kind = GROUP_GIVEN;
	return 0;
}

int
given_cgroup_make(struct session_group *group, struct cordon_error *err)
{
	group->folder = open(group->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (group->folder < 0)
		return cordon_fail(err, CORDON_E_PATH, errno,
				   "\"cgroup_path\": cannot use the cgroup %.120s", group->path);
	group->procs_fd = openat(group->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	return 0;
}
