/* SPDX-License-Identifier: MIT */
/*
 * Prepares a session before its guard starts, for session.c and shared_session.c: name of the
 * private tmp, event sockets, proxy, sandbox, cgroup and limits, record.
 */
#pragma once

#include "session/channel/events.h"
#include "session/prepare/proxy_spawn.h"
#include "session/session.h"

struct assets {
	const char *tmp; /* path of the private tmp, which the guard creates; NULL: none */
	struct event_source event_source;
	struct proxy_process proxy;
	struct sandbox *box; /* NULL: track_only */
	struct session_group group;
	struct limit_value
		limits[LIMIT_COUNT]; /* for each process: those that no cgroup enforces */
	struct record_file record;
};

void assets_none(struct assets *ret_assets);
/* Chooses the name of the private tmp, opens the event sockets, and starts the proxy if needed. */
int assets_start_services(struct assets *assets, struct arena *arena,
			  const struct session_request *request, struct cordon_error *err);
/* Creates missing directories, fills in common members of options, and compiles the sandbox. */
int assets_make_sandbox(struct assets *assets, const struct session_request *request,
			struct sandbox_options options, struct cordon_error *err);
int assets_share_limits(struct assets *assets, const struct session_request *request,
			struct cordon_error *err);
void assets_note_guard(struct assets *assets, pid_t guard);
/* is_guarded: a guard removes cgroup and record at its end. */
void assets_release(struct assets *assets, bool is_guarded);
