// SPDX-License-Identifier: MIT
/*
 * Computes once the requirements of the rules beyond plain trees. Landlock enforces whole trees;
 * everything else needs the broker, and only then are calls supervised.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "plan/exec_rules.h"
#include "plan/guarantees.h"

static bool
is_part(unsigned rights)
{
	unsigned change = rights & RIGHTS_CHANGE;

	return change != 0 && change != RIGHTS_CHANGE;
}

/*
 * A part of the change rights, or a match that is not a tree, is more than Landlock can express; so
 * is a right of which a deny at the same path leaves a part.
 */
static bool
is_exact(const struct plan *plan, const struct planned_rule *rule)
{
	if (strncmp(rule->path, "/dev/", 5) == 0)
		return false;
	return rule->match != MATCH_SUBPATH || is_part(rule->rights) ||
	       ((rule->rights & RIGHTS_CHANGE) && is_part(index_rights(&plan->index, rule->path)));
}

/* Has a path near the rule's own, with `below` appended, rights that the rule concerns? */
static bool
has_rights_near(const struct plan *plan, const struct planned_rule *rule, const char *below)
{
	char near[PATH_MAX];
	const char *root = strcmp(rule->path, "/") == 0 ? "" : rule->path;
	int length = snprintf(near, sizeof near, "%s%s", root, below);

	if (length >= (int)sizeof near)
		return false;
	return (index_rights(&plan->index, length == 0 ? "/" : near) & rule->rights) != 0;
}

static bool
has_parent(const struct plan *plan, const struct planned_rule *rule)
{
	struct planned_rule parent = *rule;
	char path[PATH_MAX];

	if (strcmp(rule->path, "/") == 0 || strlen(rule->path) >= sizeof path)
		return false;
	strcpy(path, rule->path);
	*strrchr(path, '/') = '\0';
	parent.path = path;
	return has_rights_near(plan, &parent, "");
}

/*
 * Does the deny remove rights from a tree that has them? Checks paths just outside its range, below
 * it with a name that no rule has.
 */
static bool
takes_away(const struct plan *plan, const struct planned_rule *rule)
{
	switch (rule->match) {
	case MATCH_LITERAL:
		return has_parent(plan, rule) || has_rights_near(plan, rule, "/\x01");
	case MATCH_CHILD:
		return has_rights_near(plan, rule, "") || has_rights_near(plan, rule, "/\x01/\x01");
	default:
		return has_parent(plan, rule);
	}
}

/* A policy file of this run inside the project is a protected name, which files.future covers. */
static bool
is_projects_policy(const struct plan *plan, const struct planned_rule *rule)
{
	return rule->layer == LAYER_BUILTIN && rule->match == MATCH_LITERAL &&
	       path_below(rule->path, plan->host->project);
}

/* Does the rule deny execution without being enforced entry by entry? */
static bool
denies_running(const struct plan *plan, const struct planned_rule *rule)
{
	return rule->effect == EFFECT_DENY && (rule->rights & (RIGHT_READ | RIGHT_EXECUTE)) &&
	       !exec_rules_is_listed(plan, rule);
}

static void
add_requirement(struct requirements *requirements, const struct plan *plan,
		const struct planned_rule *rule)
{
	bool reads = (rule->rights & RIGHT_READ) != 0;

	if (requirements->by == NULL || (reads && !requirements->reads))
		requirements->by = rule;
	requirements->reads = requirements->reads || reads;
	requirements->runs = requirements->runs || denies_running(plan, rule);
}

/* Would the rule add nothing? This check is cheaper than evaluating it. */
static bool
is_known(const struct requirements *requirements, const struct plan *plan,
	 const struct planned_rule *rule)
{
	return requirements->carveout && (requirements->reads || !(rule->rights & RIGHT_READ)) &&
	       (requirements->runs || !denies_running(plan, rule));
}

struct requirements
requirements_find(const struct plan *plan)
{
	const struct index *index = &plan->index;
	struct requirements requirements = {.change = (index->default_rights & RIGHTS_CHANGE) != 0};

	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->rights == 0 || rule->is_absent || is_projects_policy(plan, rule))
			continue;
		if (rule->effect == EFFECT_ALLOW && (rule->rights & RIGHTS_CHANGE))
			requirements.change = true;
		if (is_known(&requirements, plan, rule))
			continue;
		if (rule->effect == EFFECT_ALLOW ? is_exact(plan, rule) : takes_away(plan, rule)) {
			requirements.carveout = true;
			add_requirement(&requirements, plan, rule);
		}
	}
	for (size_t i = 0; i < index->pattern_count; i++)
		add_requirement(&requirements, plan, &index->patterns[i]);
	requirements.restrict_files = index->default_rights != RIGHTS_ALL ||
				      requirements.carveout || index->pattern_count > 0;
	return requirements;
}
