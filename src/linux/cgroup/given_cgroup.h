/* SPDX-License-Identifier: MIT */
/* The cgroup of the invoker as session group (GROUP_GIVEN). */
#pragma once

#include "enforce/session_group.h"

/* Fails if wish->given is no cgroup that can be joined, and for limits. */
int given_cgroup_select(const struct group_wish *wish, struct session_group *group,
			struct cordon_error *err);
/* Opens it, in the process that starts the command. */
int given_cgroup_make(struct session_group *group, struct cordon_error *err);
