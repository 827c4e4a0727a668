// SPDX-License-Identifier: MIT
/*
 * The line of refusals: who refuses never waits for it, and its end is no news to anybody. And the
 * table of changes, which is read when nobody writes to it any more.
 */
#include "base/os.h"

#include "session/channel/events.h"

#include <unistd.h>

#include "session/session.h"

int
events_open(const struct session_request *request, struct event_source *ret_told,
	    struct cordon_error *err)
{
	const struct plan *plan = request->plan;
	int ends[2], rc;

	*ret_told = (struct event_source){.ours = -1, .theirs = -1};
	if (plan == NULL || request->refused == NULL ||
	    (plan->routing == ROUTE_NOTHING && !plan->routes_sockets && !plan->routes_network &&
	     plan->settings.network.mode != NET_DOMAINS))
		return 0;
	rc = autorun_changes_new(&ret_told->changed, err);
	if (rc < 0)
		return rc;
	if (os_packets(ends) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a socket pair");
	ret_told->ours = ends[0];
	ret_told->theirs = ends[1];
	return 0;
}

void
events_handed_over(struct event_source *told)
{
	if (told->theirs >= 0)
		close(told->theirs);
	told->theirs = -1;
}

void
events_drain(struct event_source *told, const struct session_request *request)
{
	struct refusal refusal;
	bool ended = false;

	while (told->ours >= 0 && refusal_receive(told->ours, &refusal, &ended))
		if (told->count++ < EVENTS_MAX)
			request->refused(request->teller, &refusal);
	if (told->ours >= 0 && ended) {
		close(told->ours);
		told->ours = -1;
	}
}

unsigned
events_changes(const struct event_source *told, const struct session_request *request)
{
	if (told->changed == NULL || request->changed == NULL)
		return 0;
	return autorun_changes_tell(told->changed, EVENTS_MAX, request->changed, request->teller);
}

void
events_close(struct event_source *told)
{
	told->changed = autorun_changes_free(told->changed);
	events_handed_over(told);
	if (told->ours >= 0)
		close(told->ours);
	told->ours = -1;
}
