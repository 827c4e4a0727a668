/* SPDX-License-Identifier: MIT */
/*
 * What is made for a session before its guard starts, for a command of its own (session.c) and for a shared
 * session (shared_session.c) alike: private folder, event sockets, proxy, sandbox, cgroup and limits, record.
 */
#pragma once

#include "session/channel/events.h"
#include "session/prepare/proxy_spawn.h"
#include "session/session.h"

struct assets {
	const char *tmp; /* the private folder, which the guard makes; NULL: none */
	struct event_source event_source;
	struct proxy_hold proxy;
	struct sandbox *box; /* NULL: nothing is restricted */
	struct session_group group;
	struct limit_value
		limits[LIMIT_COUNT]; /* for each process: those that no cgroup enforces */
	struct record_hold record;
};

void assets_none(struct assets *ret_assets);
/* The folder's name, the event sockets, and the proxy where the plan needs one. */
int assets_start_services(struct assets *assets, struct arena *arena,
			  const struct session_request *request, struct cordon_error *err);
/* Missing folders of the plan, and the sandbox. options has what only one of the two callers knows. */
int assets_make_sandbox(struct assets *assets, const struct session_request *request,
			struct sandbox_options options, struct cordon_error *err);
int assets_share_limits(struct assets *assets, const struct session_request *request,
			struct cordon_error *err);
void assets_note_guard(struct assets *assets, pid_t guard);
/* is_guarded: a guard removes cgroup and record at its end. */
void assets_release(struct assets *assets, bool is_guarded);
