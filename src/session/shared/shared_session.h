/* SPDX-License-Identifier: MIT */
/* Shared sessions: several calls with the same --session NAME start their commands in one sandbox. */
#pragma once

#include "session/session.h"

/*
 * Joins the session request->name, or starts it. *ret_line is a channel to its spawner for one
 * command; *ret_joined is for the environment of the command. Fails if the session has another
 * policy.
 */
struct joined_session {
	const char *tmp;   /* its private tmp, or NULL */
	const char *proxy; /* its proxy, as proxy_spawn_print prints it, or NULL */
};
int shared_session_enter(struct arena *arena, const struct session_request *request, int *ret_line,
			 struct joined_session *ret_joined, struct cordon_error *err);
