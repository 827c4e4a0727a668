// SPDX-License-Identifier: MIT
/*
 * Creates the record of a session before it starts, and reaps dead records. If it fails the session
 * still runs, but is not listed.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "session/prepare/assets.h"

static int
list_gaps(struct arena *arena, const struct plan *plan, struct record_words *ret,
	  struct cordon_error *err)
{
	for (int i = 0; plan != NULL && i < G_COUNT; i++) {
		const char **slot;

		if (plan->guarantees[i].status != GUARANTEE_ACCEPTED)
			continue;
		slot = arena_push(arena, &ret->items, &ret->count, sizeof *slot, err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = guarantee_names[i];
	}
	return 0;
}

static void
list_command(char *const *argv, struct record_words *ret)
{
	ret->items = (const char **)argv;
	while (argv[ret->count] != NULL)
		ret->count++;
}

int
record_new(struct arena *arena, const struct session_request *request, struct assets *assets,
	   const struct shared_words *words, struct cordon_error *err)
{
	const struct session_origin *origin = request->origin;
	char path[PATH_MAX];
	auto_fd int folder = -1;
	struct record record = {
		.id = request->id,
		.name = request->name,
		.since = (int64_t)time(NULL),
		.supervisor = process_id_find(getpid()),
		.cgroup = assets->group.kind == GROUP_NONE || assets->group.kind == GROUP_GIVEN
				  ? NULL
				  : assets->group.path,
		.tmp = assets->tmp,
		.token = words == NULL ? NULL : words->token,
		.proxy = words == NULL ? NULL : words->proxy,
	};
	int rc;

	assets->record.fd = -1;
	if (origin == NULL || (origin->runtime == NULL && origin->state == NULL))
		return 0;
	folder = record_folder(origin->runtime, origin->state, true, path, err);
	if (folder < 0)
		return folder;
	record_sweep(folder);
	record.project = origin->project;
	record.policy = origin->policy;
	list_command(request->argv, &record.command);
	rc = list_gaps(arena, request->plan, &record.gaps, err);
	return rc < 0 ? rc : record_make(folder, path, &record, &assets->record, err);
}
