/* SPDX-License-Identifier: MIT */
/* Sessions with a name: one sandbox that several commands share, each started by its own call. */
#pragma once

#include "session/session.h"

/*
 * Joins the session called request->name, or starts it. *ret_line is a line to its porter, for one
 * command; *ret_tmp its private folder, or NULL. A session that runs by another policy is refused.
 */
int named_enter(struct arena *arena, const struct session_request *request, int *ret_line,
		const char **ret_tmp, struct cordon_error *err);
