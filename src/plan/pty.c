// SPDX-License-Identifier: MIT
/*
 * Decides which ptys a plan means. Only the broker can tell the session's ptys from others: without
 * it, or if a layer grants more, /dev/pts is granted as written.
 */
#include "plan/pty.h"

#include <string.h>

#include "base/path.h"

static bool
opens_are_supervised(const struct plan *plan)
{
	int offer = plan->facts.values[FACT_OUTER_CORDON];

	return plan->facts.system == SYSTEM_LINUX && plan->routing != ROUTE_NOTHING &&
	       (offer == 0 || (offer & OFFER_TERMINALS));
}

/* Is it a user's rule, or does a layer grant reading without asking the broker? */
static bool
is_wider(const struct plan *plan, const struct planned_rule *rule, const char *path)
{
	if (rule->effect != EFFECT_ALLOW || !path_below(path, rule->path) ||
	    (rule->match == MATCH_LITERAL && strcmp(path, rule->path) != 0))
		return false;
	if (!rule->rule->optional)
		return true;
	/* below, because the multiplexer may be beside them */
	return strcmp(rule->path, TERMINALS) != 0 &&
	       (plan->routing != ROUTE_READS || path_below(rule->path, TERMINALS));
}

static unsigned
named_by_pattern(const struct plan *plan, const char *path)
{
	struct verdict verdict = {.rights = 0};
	unsigned named = 0;

	if (plan->index.pattern_count > 0)
		verdict = index_decide(&plan->index, path);
	for (int i = 0; i < RIGHT_KINDS; i++) {
		const struct planned_rule *by = verdict.by[i].rule;

		if (by != NULL && match_is_pattern(by->match) && !by->rule->optional)
			named |= verdict.rights & 1u << i;
	}
	return named;
}

unsigned
plan_own_terminals(const struct plan *plan, const char *path)
{
	const struct index *index = &plan->index;
	unsigned wider = plan->routing == ROUTE_READS ? 0 : index->default_rights;

	if (!path_below(path, TERMINALS) || !opens_are_supervised(plan))
		return 0;
	/* the directory stands for its entries */
	if (strcmp(path, TERMINALS) == 0)
		path = TERMINALS "/\001\001\001";
	for (size_t i = 0; i < index->path_count; i++)
		if (is_wider(plan, &index->paths[i], path))
			wider |= index->paths[i].rights;
	wider |= named_by_pattern(plan, path);
	return (RIGHT_READ | RIGHT_WRITE) & ~wider;
}
