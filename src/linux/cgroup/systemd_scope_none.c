// SPDX-License-Identifier: MIT
/* For builds without libsystemd: every call fails. */
#include <errno.h>

#include "linux/cgroup/systemd_scope.h"

bool
systemd_scope_can(void)
{
	return false;
}

int
systemd_scope_make(const struct group_wish *wish, struct session_group *ret_group,
		   struct cordon_error *err)
{
	(void)wish, (void)ret_group;
	return cordon_fail(err, CORDON_E_GAP, 0, "this build does not support systemd's scopes");
}

int
systemd_scope_join(const struct session_group *group)
{
	(void)group;
	return ENOSYS;
}
