/* SPDX-License-Identifier: MIT */
/*
 * A cgroup where this process may not create one: a transient scope, requested from systemd's user
 * manager. Only systemd can move a process of a login session there, so it does that too. Without
 * libsystemd at build or run time there are no scopes.
 */
#pragma once

#include "enforce/session_group.h"

/* The command's cgroup in a scope; the keeper's is beside it. */
#define SCOPE_RUN "run"

/* Does the user manager answer, and can it limit memory and processes? Takes milliseconds. */
bool systemd_scope_can(void);
/* Creates a scope with a keeper process, which stays until group->hold is closed. */
int systemd_scope_make(const struct group_wish *wish, struct session_group *ret_group,
		       struct cordon_error *err);
/* Moves the calling process into the scope. Returns 0 or an errno. Allocates, in a child process. */
int systemd_scope_join(const struct session_group *group);
