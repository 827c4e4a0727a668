/* SPDX-License-Identifier: MIT */
/* Sessions with a name: one sandbox that several commands share, each started by its own call. */
#pragma once

#include "session/session.h"

/*
 * Joins the session called request->name, or starts it. *ret_line is a line to its spawner, for one
 * command; *ret_place what the command's environment tells. A session that runs by another policy is
 * refused.
 */
struct named_place {
	const char *tmp;   /* its private folder, or NULL */
	const char *proxy; /* its proxy, as proxy_print has it, or NULL */
};
int shared_session_enter(struct arena *arena, const struct session_request *request, int *ret_line,
			 struct named_place *ret_place, struct cordon_error *err);
