/* SPDX-License-Identifier: MIT */
/*
 * A cgroup where we may make none ourselves: a transient scope, asked of systemd's user manager. From
 * a login session nothing of ours can be moved there but by systemd, so it is asked for that too.
 * Built without libsystemd, or where that is not installed, there are no scopes.
 */
#pragma once

#include "enforce/session_group.h"

/* The cgroup of the command in a scope; its keeper is beside it. */
#define SCOPE_RUN "run"

/* Does the user manager answer, and can it limit memory and processes? Takes milliseconds. */
bool systemd_scope_can(void);
/* Makes one, with a child of ours in it that keeps it until group->hold is closed. */
int systemd_scope_make(const struct group_wish *wish, struct session_group *ret_group,
		       struct cordon_error *err);
/* Moves the calling process inside; 0 or an errno. Allocates, in a child of its own. */
int systemd_scope_join(const struct session_group *group);
