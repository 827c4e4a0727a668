// SPDX-License-Identifier: MIT
/*
 * Which denies of running can be held entry by entry. No more than a few are looked at: who denies
 * hundreds of programs is better served by granting the others.
 */
#include "plan/running.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"

#define BOTH (RIGHT_EXECUTE | RIGHT_CREATE)

/* What a new name in this folder has. */
static unsigned
decide_new(const struct plan *plan, const char *folder)
{
	char new[PATH_MAX + 4];

	snprintf(new, sizeof new, "%s/\001", folder);
	return index_rights(&plan->index, new);
}

static bool
can_be_listed(const struct plan *plan, const struct planned_rule *rule, bool *ret_is_run)
{
	char above[PATH_MAX];
	unsigned rights;

	if ((rule->match != MATCH_SUBPATH && rule->match != MATCH_LITERAL) ||
	    snprintf(above, sizeof above, "%s", rule->path) >= (int)sizeof above ||
	    strcmp(above, "/") == 0)
		return false;
	/* each of the folders that it is in */
	do {
		*strrchr(above, '/') = '\0';
		rights = decide_new(plan, above);
		*ret_is_run = *ret_is_run || (rights & RIGHT_EXECUTE);
		if ((rights & BOTH) == BOTH)
			return false;
	} while (*above != '\0');
	return true;
}

void
running_list(struct plan *plan)
{
	const struct index *index = &plan->index;
	size_t looked = 0;

	plan->listed_count = 0;
	plan->lists_running = false;
	for (size_t i = 0; i < index->path_count && looked < LISTED_MAX; i++) {
		const struct planned_rule *rule = &index->paths[i];
		bool is_run = false;

		if (rule->effect != EFFECT_DENY || !(rule->rights & RIGHT_EXECUTE))
			continue;
		looked++;
		if (!can_be_listed(plan, rule, &is_run))
			continue;
		plan->listed[plan->listed_count++] = rule;
		plan->lists_running = plan->lists_running || is_run;
	}
}

bool
running_is_listed(const struct plan *plan, const struct planned_rule *rule)
{
	for (size_t i = 0; i < plan->listed_count; i++)
		if (plan->listed[i] == rule)
			return true;
	return false;
}

bool
running_has_inside(const struct plan *plan, const char *folder)
{
	for (size_t i = 0; i < plan->listed_count; i++)
		if (path_below(plan->listed[i]->path, folder) &&
		    strcmp(plan->listed[i]->path, folder) != 0)
			return true;
	return false;
}
