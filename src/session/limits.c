// SPDX-License-Identifier: MIT
/*
 * Who keeps which limit: what counts over all processes is the group's, as far as the host can give
 * one; the rest is each process's own, set between fork and exec.
 */
#include <string.h>

#include "session/session.h"

/* A limit over all processes is the group's; accepted as a gap it is each process's own. */
static uint64_t
take_limit(struct limit_value *limits, const struct plan *plan, enum guarantee guarantee,
	   enum limit limit)
{
	uint64_t value = limits[limit].value;

	if (value == 0 || plan == NULL || plan->promises[guarantee].keeping != KEPT_ENFORCED)
		return 0;
	limits[limit].value = 0;
	return value;
}

int
limits_share(const struct session_request *request, struct limit_value own[LIMIT_COUNT],
	     struct group *ret_group, struct cordon_error *err)
{
	const struct plan *plan = request->plan;
	static const struct facts unknown;
	struct group_wish wish = {.id = request->id};

	memcpy(own, request->limits, LIMIT_COUNT * sizeof *own);
	wish.memory = take_limit(own, plan, G_LIMITS_MEMORY, LIMIT_MEMORY);
	wish.processes = take_limit(own, plan, G_LIMITS_PROCESSES, LIMIT_PROCESSES);
	return group_choose(plan == NULL ? &unknown : &plan->facts, &wish, ret_group, err);
}
