// SPDX-License-Identifier: MIT
/* Decides which calls the broker supervises: no more than necessary. */
#include "plan/guarantees.h"

bool
routing_has_broker(const struct facts *facts)
{
	bool own = facts->values[FACT_SECCOMP_NOTIFY] && facts->values[FACT_NOTIFY_ADDFD];

	/* an outer broker has all that is needed, and queries this process */
	if (facts->values[FACT_OUTER_CORDON])
		own = true;
	else
		own = own && facts->values[FACT_OPENAT2];
	return facts->values[FACT_BROKER] && own && facts->values[FACT_PIDFD] &&
	       facts->values[FACT_YAMA] < 2;
}

/* A policy that accepts gaps in protected names and metadata costs nothing per call. */
static enum routing
find_routing(const struct plan *plan, const struct requirements *requirements)
{
	const int *values = plan->facts.values;
	bool exact = requirements->carveout || plan->index.pattern_count > 0;
	bool metadata = requirements->restrict_files && !plan->settings.accept[G_FILES_METADATA];
	bool future = requirements->change && !plan->settings.accept[G_FILES_FUTURE];

	if (plan->host->system != SYSTEM_LINUX || !routing_has_broker(&plan->facts) ||
	    values[FACT_LANDLOCK_ABI] == 0)
		return ROUTE_NOTHING;
	/* an outer broker answers only for what it supervises */
	if (requirements->reads)
		return !values[FACT_OUTER_CORDON] || (values[FACT_OUTER_CORDON] & OFFER_READS)
			       ? ROUTE_READS
			       : ROUTE_NOTHING;
	if (values[FACT_OUTER_CORDON] && !(values[FACT_OUTER_CORDON] & OFFER_CHANGES))
		return ROUTE_NOTHING;
	return exact || metadata || future ? ROUTE_CHANGES : ROUTE_NOTHING;
}

/*
 * Unix sockets are supervised where Landlock cannot restrict names; addresses, where only some are
 * allowed. Without a broker, as inside another sandbox, and without granted sockets, unix sockets
 * with names are disabled.
 */
static void
find_socket_routing(struct plan *plan)
{
	const int *values = plan->facts.values;
	const bool *accept = plan->settings.accept;
	enum net_mode mode = plan->settings.network.mode;
	bool between = mode == NET_LOCALHOST || mode == NET_DOMAINS;
	int abi = values[FACT_LANDLOCK_ABI];
	bool names = (abi < 9 && !accept[G_SOCKETS_PATH]) ||
		     (abi < 6 && !accept[G_SOCKETS_ABSTRACT]);

	plan->has_datagrams = mode == NET_LOCALHOST && plan->settings.network.udp == UDP_ALLOW;
	if (plan->host->system != SYSTEM_LINUX)
		return;
	plan->routes_signals = abi > 0 && abi < 6 && names && !accept[G_PROCESS_SIGNAL];
	if (values[FACT_OUTER_CORDON]) {
		plan->routes_signals = plan->routes_signals &&
				       (values[FACT_OUTER_CORDON] & OFFER_SIGNALS);
		plan->routes_sockets = names && (values[FACT_OUTER_CORDON] & OFFER_SOCKETS);
		plan->routes_network = between && (values[FACT_OUTER_CORDON] & OFFER_NETWORK);
		plan->closes_sockets = names && !plan->routes_sockets &&
				       values[FACT_SECCOMP_FILTER] && plan->socket_count == 0;
	} else if (routing_has_broker(&plan->facts) && abi > 0) {
		plan->routes_sockets = names;
		plan->routes_network = between;
	} else {
		plan->routes_signals = false;
		plan->closes_sockets = names && values[FACT_SECCOMP_FILTER] &&
				       plan->routing == ROUTE_NOTHING && plan->socket_count == 0;
	}
	/* the broker sends by duplicates of the caller's sockets */
	if (!plan->routes_network ||
	    (values[FACT_OUTER_CORDON] ? !(values[FACT_OUTER_CORDON] & OFFER_DATAGRAMS)
				       : !values[FACT_PIDFD_GETFD]))
		plan->has_datagrams = false;
}

void
plan_route(struct plan *plan, const struct requirements *requirements)
{
	plan->routing = find_routing(plan, requirements);
	plan->routed_by = requirements->by;
	find_socket_routing(plan);
}
