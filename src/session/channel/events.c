// SPDX-License-Identifier: MIT
/*
 * Receives refusals: senders never block, and EOF is no error. Owns the table of changed autorun
 * files, which is read when the process that writes it has ended.
 */
#include "base/os.h"

#include "session/channel/events.h"

#include <unistd.h>

#include "session/session.h"

int
events_open(const struct session_request *request, struct event_source *ret_source,
	    struct cordon_error *err)
{
	const struct plan *plan = request->plan;
	int ends[2], rc;

	*ret_source = (struct event_source){.ours = -1, .theirs = -1};
	if (plan == NULL || request->refused == NULL ||
	    (plan->routing == ROUTE_NOTHING && !plan->routes_sockets && !plan->routes_network &&
	     !plan->traces && !plan->facts.values[FACT_AUDIT] &&
	     plan->settings.network.mode != NET_DOMAINS))
		return 0;
	rc = autorun_changes_new(&ret_source->changed, err);
	if (rc < 0)
		return rc;
	if (os_packets(ends) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a socket pair");
	ret_source->ours = ends[0];
	ret_source->theirs = ends[1];
	return 0;
}

void
events_handed_over(struct event_source *event_source)
{
	if (event_source->theirs >= 0)
		close(event_source->theirs);
	event_source->theirs = -1;
}

void
events_drain(struct event_source *event_source, const struct session_request *request)
{
	struct refusal refusal;
	bool ended = false;

	while (event_source->ours >= 0 && refusal_receive(event_source->ours, &refusal, &ended))
		if (refusal.is_use ? event_source->uses++ < USES_MAX
				   : event_source->count++ < EVENTS_MAX)
			request->refused(request->sink, &refusal);
	if (event_source->ours >= 0 && ended) {
		close(event_source->ours);
		event_source->ours = -1;
	}
}

unsigned
events_changes(const struct event_source *event_source, const struct session_request *request)
{
	if (event_source->changed == NULL || request->changed == NULL)
		return 0;
	return autorun_changes_tell(event_source->changed, EVENTS_MAX, request->changed,
				    request->sink);
}

void
events_close(struct event_source *event_source)
{
	event_source->changed = autorun_changes_free(event_source->changed);
	events_handed_over(event_source);
	if (event_source->ours >= 0)
		close(event_source->ours);
	event_source->ours = -1;
}
