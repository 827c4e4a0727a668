// SPDX-License-Identifier: MIT
/*
 * Guarded trees. What can be changed is guarded wherever it is, because protected names hold at any
 * depth; device nodes are not, nothing is made among them. What can be read is guarded only where a
 * deny or a pattern reaches into it.
 */
#include "linux/guarded.h"

#include <string.h>

#include "base/path.h"

static bool
reaches_into(const struct planned_rule *rule, const char *tree)
{
	bool pattern = rule->match == MATCH_GLOB || rule->match == MATCH_REGEX;

	if (!(rule->rights & RIGHT_READ))
		return false;
	if (pattern)
		return path_below(rule->root, tree) || path_below(tree, rule->root);
	return rule->effect == EFFECT_DENY && path_below(rule->path, tree);
}

static bool
has_exception(const struct plan *plan, const struct planned_rule *tree)
{
	const struct index *index = &plan->index;

	/* a rule that ends at its folder or one below is none that a layer could say */
	if (tree->match != MATCH_SUBPATH)
		return true;
	for (size_t i = 0; i < index->pattern_count; i++)
		if (reaches_into(&index->patterns[i], tree->path))
			return true;
	for (size_t i = 0; i < index->path_count; i++)
		if (reaches_into(&index->paths[i], tree->path))
			return true;
	return false;
}

/* Files in memory are no devices, and a repository can lie among them. */
static bool
is_device(const char *path)
{
	return path_below(path, "/dev") && !path_below(path, "/dev/shm");
}

/* Can anything below path, or around it, be executed? */
static bool
is_run_in(const struct plan *plan, const char *path)
{
	const struct index *index = &plan->index;

	if (index->default_rights & RIGHT_EXECUTE)
		return true;
	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->effect == EFFECT_ALLOW && (rule->rights & RIGHT_EXECUTE) &&
		    (path_below(rule->path, path) || path_below(path, rule->path)))
			return true;
	}
	return false;
}

static int
add(struct arena *arena, struct guarded **trees, size_t *count, const struct guarded *tree,
    struct cordon_error *err)
{
	struct guarded *slot;

	if (!tree->changes && !tree->reads)
		return 0;
	slot = arena_push(arena, trees, count, sizeof *slot, err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = *tree;
	return 0;
}

static int
add_rule(struct arena *arena, const struct plan *plan, const struct planned_rule *rule,
	 struct guarded **trees, size_t *count, struct cordon_error *err)
{
	struct guarded tree = {.path = rule->path};

	if (rule->effect != EFFECT_ALLOW || is_device(rule->path))
		return 0;
	tree.changes = (rule->rights & RIGHTS_CHANGE) != 0;
	tree.reads = plan->routing == ROUTE_READS && (rule->rights & RIGHT_READ) &&
		     has_exception(plan, rule);
	tree.runs = tree.reads && is_run_in(plan, rule->path);
	return add(arena, trees, count, &tree, err);
}

int
guarded_find(struct arena *arena, const struct plan *plan, struct guarded **ret_trees,
	     size_t *ret_count, struct cordon_error *err)
{
	const struct index *index = &plan->index;
	struct planned_rule everywhere = {.path = "/",
					  .root = "/",
					  .effect = EFFECT_ALLOW,
					  .rights = index->default_rights,
					  .match = MATCH_SUBPATH};
	int rc = add_rule(arena, plan, &everywhere, ret_trees, ret_count, err);

	for (size_t i = 0; rc == 0 && i < index->path_count; i++)
		rc = add_rule(arena, plan, &index->paths[i], ret_trees, ret_count, err);
	/* what only a pattern allows no layer grants at all */
	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		struct guarded tree = {.path = rule->root};

		tree.changes = (rule->rights & RIGHTS_CHANGE) != 0;
		tree.reads = plan->routing == ROUTE_READS && (rule->rights & RIGHT_READ);
		tree.runs = tree.reads && is_run_in(plan, rule->root);
		if (rule->effect == EFFECT_ALLOW)
			rc = add(arena, ret_trees, ret_count, &tree, err);
	}
	return rc;
}
