// SPDX-License-Identifier: MIT
/*
 * Builds a minimal plan for one guarantee: grants for /bin/sh, the open directory, and for a guarantee of
 * the broker a directory with an exception.
 */
#include "linux/selftest/fixture_sandbox.h"

#include <stdio.h>

/* Locations in various distributions. */
static const char *const granted[] = {"/usr", "/lib", "/lib64", "/bin", "/nix/store", "/gnu/store"};
#define GRANTED (sizeof granted / sizeof granted[0])

static bool
is_unseen(const struct facts *facts, enum guarantee guarantee)
{
	int abi = guarantee == G_SOCKETS_PATH					     ? 9
		  : guarantee == G_SOCKETS_ABSTRACT || guarantee == G_PROCESS_SIGNAL ? 6
										     : 0;

	return facts->values[FACT_LANDLOCK_ABI] < abi;
}

static bool
routing_has_broker(const struct facts *facts)
{
	const int *values = facts->values;

	return values[FACT_LANDLOCK_ABI] > 0 && values[FACT_BROKER] &&
	       values[FACT_SECCOMP_NOTIFY] && values[FACT_NOTIFY_ADDFD] && values[FACT_PIDFD] &&
	       values[FACT_YAMA] < 2;
}

static enum routing
routing_for(enum guarantee guarantee)
{
	switch (guarantee) {
	case G_FILES_CARVEOUT:
	case G_FILES_PATTERN:
		return ROUTE_READS;
	case G_FILES_FUTURE:
	case G_FILES_METADATA:
		return ROUTE_CHANGES;
	default:
		return ROUTE_NOTHING;
	}
}

static int
add(struct fixture_sandbox *sandbox, struct planned_rule rule, struct cordon_error *err)
{
	rule.root = rule.match == MATCH_GLOB ? "/" : rule.path;
	rule.layer = LAYER_PROFILE;
	rule.rule = &sandbox->rule;
	return index_add(&sandbox->plan.index, &rule, err);
}

/* Grants the kept directory with the exception for the guarantee. */
static int
add_kept(struct fixture_sandbox *sandbox, const struct fixture *fixture, enum guarantee guarantee,
	 struct cordon_error *err)
{
	struct planned_rule kept = {.path = sandbox->kept_folder,
				    .exists = true,
				    .effect = EFFECT_ALLOW,
				    .rights = RIGHT_READ | RIGHTS_CHANGE};
	struct planned_rule hidden = {.path = fixture->kept_hidden,
				      .exists = true,
				      .effect = EFFECT_DENY,
				      .rights = RIGHTS_ALL};
	struct planned_rule later = {.path = fixture->kept_later,
				     .effect = EFFECT_DENY,
				     .rights = RIGHTS_CHANGE};
	struct planned_rule pattern = {.path = "**/hidden",
				       .match = MATCH_GLOB,
				       .effect = EFFECT_DENY,
				       .rights = RIGHTS_ALL};
	int rc = add(sandbox, kept, err);

	if (rc == 0 && guarantee != G_FILES_METADATA)
		rc = add(sandbox,
			 guarantee == G_FILES_CARVEOUT	? hidden
			 : guarantee == G_FILES_PATTERN ? pattern
							: later,
			 err);
	return rc;
}

static int
add_rules(struct fixture_sandbox *sandbox, const struct fixture *fixture, enum guarantee guarantee,
	  struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < GRANTED; i++) {
		struct planned_rule rule = {.path = granted[i],
					    .exists = true,
					    .effect = EFFECT_ALLOW,
					    .rights = RIGHT_READ | RIGHT_EXECUTE};

		rc = add(sandbox, rule, err);
	}
	if (rc == 0 && sandbox->plan.routing != ROUTE_NOTHING)
		rc = add_kept(sandbox, fixture, guarantee, err);
	return rc < 0 ? rc : index_finish(&sandbox->plan.index, err);
}

int
fixture_sandbox_make(struct fixture_sandbox *sandbox, const struct fixture *fixture,
		     const struct fixture_sandbox_wish *wish, struct cordon_error *err)
{
	struct sandbox_options options = {.private_tmp = sandbox->open_folder};
	const struct facts *facts = wish->facts;
	enum guarantee guarantee = wish->guarantee;
	struct plan *plan = &sandbox->plan;
	int rc;

	*sandbox = (struct fixture_sandbox){
		.rule = {.optional = true, .srcpos = {"doctor", 0, 0}},
		.named = {.text = "doctor", .srcpos = {"doctor", 0, 0}},
		.grant = {fixture->open_socket.sun_path, &sandbox->named},
		.plan = {.host = &sandbox->host,
			 .facts = *facts,
			 .sockets = &sandbox->grant,
			 .socket_count = 1,
			 .routing = wish->has_broker ? ROUTE_CHANGES : routing_for(guarantee),
			 .settings.network.mode = NET_NONE}};
	plan->routes_sockets = is_unseen(facts, guarantee) && routing_has_broker(facts);
	plan->routes_signals = plan->routes_sockets && guarantee == G_PROCESS_SIGNAL;
	plan->closes_sockets = is_unseen(facts, guarantee) && !plan->routes_sockets;
	snprintf(sandbox->open_folder, PATH_MAX, "%s/open", fixture->folder);
	snprintf(sandbox->kept_folder, PATH_MAX, "%s/kept", fixture->folder);
	rc = add_rules(sandbox, fixture, guarantee, err);
	return rc < 0 ? rc : enforce_compile(plan, &options, &sandbox->built, err);
}

void
fixture_sandbox_clear(struct fixture_sandbox *sandbox)
{
	enforce_free(sandbox->built);
	index_free(&sandbox->plan.index);
}

bool
fixture_sandbox_can_be(const struct facts *facts, enum guarantee guarantee)
{
	return routing_for(guarantee) == ROUTE_NOTHING || routing_has_broker(facts);
}

bool
fixture_sandbox_can_tell(const struct facts *facts)
{
	return routing_has_broker(facts) && !facts->values[FACT_OUTER_CORDON];
}

bool
fixture_sandbox_is_routed(const struct fixture_sandbox *sandbox)
{
	const struct plan *plan = &sandbox->plan;

	/* an outer broker that supervises reads accepts no nest without a broker of its own */
	return plan->routes_sockets || plan->routing != ROUTE_NOTHING ||
	       (plan->facts.values[FACT_OUTER_CORDON] & OFFER_READS);
}
