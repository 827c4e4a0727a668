// SPDX-License-Identifier: MIT
/*
 * Prepares what a session needs, step by step. Each step stores its result in struct assets even on failure,
 * so that assets_release frees all.
 */
#include "session/prepare/assets.h"

#include <unistd.h>

void
assets_none(struct assets *ret_assets)
{
	*ret_assets = (struct assets){
		.event_source = {.ours = -1, .theirs = -1},
		.record = {.fd = -1},
	};
	proxy_spawn_none(&ret_assets->proxy);
}

int
assets_start_services(struct assets *assets, struct arena *arena,
		      const struct session_request *request, struct cordon_error *err)
{
	int rc = 0;

	if (request->plan->settings.tmp == TMP_PRIVATE)
		rc = private_tmp_name(arena, request->plan->host, &assets->tmp, err);
	if (rc == 0)
		rc = events_open(request, &assets->event_source, err);
	if (rc == 0)
		rc = proxy_spawn_start(request, assets->event_source.theirs, &assets->proxy, err);
	return rc;
}

int
assets_make_sandbox(struct assets *assets, const struct session_request *request,
		    struct sandbox_options options, struct cordon_error *err)
{
	options.id = request->id;
	options.editor_uuid = request->ids.fingerprint;
	options.named_tmp = assets->tmp;
	options.events = assets->event_source.theirs < 0 ? 0 : assets->event_source.theirs;
	options.egress = assets->proxy.pid > 0 ? &assets->proxy.egress : NULL;
	make_dirs(request->plan, request->made);
	return enforce_compile(request->plan, &options, &assets->box, err);
}

int
assets_share_limits(struct assets *assets, const struct session_request *request,
		    struct cordon_error *err)
{
	int rc = limits_share(request, assets->limits, &assets->group, err);

	if (rc == 0 && assets->box != NULL)
		enforce_fingerprint(assets->box, &assets->group);
	return rc;
}

void
assets_note_guard(struct assets *assets, pid_t guard)
{
	struct process found;

	if (assets->record.fd < 0)
		return;
	found = process_id_find(guard);
	record_set_guard(&assets->record, &found);
}

void
assets_release(struct assets *assets, bool is_guarded)
{
	if (!is_guarded) {
		session_group_remove(&assets->group);
		record_remove(&assets->record);
	} else if (assets->record.fd >= 0) {
		close(assets->record.fd);
	}
	session_group_release(&assets->group);
}
