// SPDX-License-Identifier: MIT
/*
 * Removes grants that the kernel cannot enforce. Landlock rules name existing inodes, so a path
 * missing at the start gets none. Creating and removing a name needs a right of its directory,
 * which a grant of the name alone does not give.
 */
#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "plan/plan.h"

/* Returns the rule at exactly that path that allows changes, or NULL. */
static const struct planned_rule *
change_at(const struct index *index, const char *path)
{
	size_t i = index_first(index, path, strlen(path));

	for (; i < index->path_count && strcmp(index->paths[i].path, path) == 0; i++)
		if (index->paths[i].effect == EFFECT_ALLOW && !index->paths[i].is_absent &&
		    (index->paths[i].rights & RIGHTS_CHANGE))
			return &index->paths[i];
	return NULL;
}

bool
plan_changes_around(const struct plan *plan, const char *path)
{
	char above[PATH_MAX];
	char *slash;

	strcpy(above, path);
	while (change_at(&plan->index, above) == NULL) {
		slash = strrchr(above, '/');
		if (slash == above)
			return (plan->index.default_rights & RIGHTS_CHANGE) != 0 ||
			       change_at(&plan->index, "/") != NULL;
		*slash = '\0';
	}
	return true;
}

unsigned
plan_unnamed(const struct plan *plan, const char *path)
{
	const struct planned_rule *rule = change_at(&plan->index, path);
	size_t length = (size_t)(path_last(path) - path);
	char above[PATH_MAX];

	/* other rules that allow it grant the directory as well */
	if (rule == NULL || length < 1 || length >= sizeof above)
		return 0;
	memcpy(above, path, length);
	above[length > 1 ? length - 1 : 1] = '\0';
	if (plan_changes_around(plan, above))
		return 0;
	/* an existing directory is not created: the right concerns its entries */
	return rule->is_folder ? RIGHT_DELETE : RIGHT_CREATE | RIGHT_DELETE;
}

int
plan_mark_absent(struct plan *plan, struct cordon_error *err)
{
	struct index *index = &plan->index;
	int rc = 0;

	/* sorted by path: of two missing paths the upper one comes first */
	for (size_t i = 0; rc == 0 && plan->host->view->list != NULL && i < index->path_count;
	     i++) {
		struct planned_rule *rule = &index->paths[i];

		rule->is_absent = plan->host->system == SYSTEM_LINUX &&
				  plan_rule_is_absent(plan, rule);
		if (rule->is_absent && !rule->same_path &&
		    (rule->rule->skips_missing || rule->layer == LAYER_PROJECT))
			rc = plan_notice(plan, err, "not granted: %s does not exist", rule->path);
	}
	return rc;
}

/* Is it a grant that the user wrote and that neither cordon nor the command can make? */
static bool
is_missing(const struct plan *plan, const struct planned_rule *rule)
{
	bool is_pattern = match_is_pattern(rule->match);
	bool is_at_root = strrchr(rule->path, '/') == rule->path;

	return rule->effect == EFFECT_ALLOW && rule->rights != 0 && !rule->exists &&
	       !rule->rule->optional && !rule->rule->skips_missing && !rule->is_absent &&
	       !is_pattern && !rule->is_alias &&
	       (is_at_root || plan_rule_stands_out(plan, rule->path)) &&
	       !plan_rule_creates_dir(plan, rule);
}

int
plan_check_missing(const struct plan *plan, struct cordon_error *err)
{
	const struct index *index = &plan->index;

	for (size_t i = 0; plan->host->system == SYSTEM_LINUX && plan->host->view->list != NULL &&
			   i < index->path_count;
	     i++) {
		const struct planned_rule *rule = &index->paths[i];
		const struct srcpos *srcpos = &rule->rule->srcpos;

		if (is_missing(plan, rule))
			return cordon_fail_at(err, CORDON_E_PATH, srcpos->file, srcpos->line,
					      srcpos->column,
					      "cannot grant %.100s: it does not exist", rule->path);
	}
	return 0;
}
