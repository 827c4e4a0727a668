// SPDX-License-Identifier: MIT
/*
 * Finds the brokered trees. Changes are brokered in every writable tree, because protected names apply at
 * any depth; device nodes are excepted, no file is created among them. Reads are brokered only where a deny
 * or a pattern applies below the tree.
 */
#include "linux/landlock/brokered_trees.h"

#include <string.h>

#include "base/path.h"

/* Collected once from all rules. */
struct around {
	struct arena arena;
	struct path_set denied;	  /* for reading */
	struct path_set patterns; /* directories where read patterns begin */
	struct path_set run;	  /* executable */
};

static int
process_scan_all(struct around *to, const struct index *index, struct cordon_error *err)
{
	int rc = index->default_rights & RIGHT_EXECUTE
			 ? path_set_add(&to->run, &to->arena, "/", err)
			 : 0;

	for (size_t i = 0; rc == 0 && i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->is_absent)
			continue;
		if (rule->effect == EFFECT_DENY && (rule->rights & RIGHT_READ))
			rc = path_set_add(&to->denied, &to->arena, rule->path, err);
		if (rule->effect == EFFECT_ALLOW && (rule->rights & RIGHT_EXECUTE))
			rc = path_set_add(&to->run, &to->arena, rule->path, err);
	}
	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++)
		if (index->patterns[i].rights & RIGHT_READ)
			rc = path_set_add(&to->patterns, &to->arena, index->patterns[i].root, err);
	path_set_sort(&to->denied);
	path_set_sort(&to->patterns);
	path_set_sort(&to->run);
	return rc;
}

/* Is a member of the set the path, below it, or above it? */
static bool
meets(const struct path_set *set, const char *path)
{
	return path_set_is_in(set, path) || path_set_covers(set, path);
}

/* Landlock cannot express a rule that ends at its directory or one level below. */
static bool
has_exception(const struct around *around, const struct planned_rule *tree)
{
	return tree->match != MATCH_SUBPATH || meets(&around->patterns, tree->path) ||
	       path_set_is_in(&around->denied, tree->path);
}

/* /dev/shm has files, and may have a repository. */
static bool
is_device(const char *path)
{
	return path_below(path, "/dev") && !path_below(path, "/dev/shm");
}

static int
add(struct brokered_trees *to, struct arena *arena, const char *path, bool changes, bool reads,
    const struct around *around, struct cordon_error *err)
{
	int rc = changes ? path_set_add(&to->changes, arena, path, err) : 0;

	if (rc == 0 && reads)
		rc = path_set_add(&to->reads, arena, path, err);
	if (rc == 0 && reads && !meets(&around->run, path))
		rc = path_set_add(&to->unread, arena, path, err);
	return rc;
}

static int
add_rule(struct brokered_trees *to, struct arena *arena, const struct planned_rule *rule,
	 bool routed, const struct around *around, struct cordon_error *err)
{
	bool reads = routed && (rule->rights & RIGHT_READ);

	if (rule->effect != EFFECT_ALLOW || rule->is_absent || is_device(rule->path))
		return 0;
	return add(to, arena, rule->path, (rule->rights & RIGHTS_CHANGE) != 0,
		   reads && has_exception(around, rule), around, err);
}

int
brokered_trees_find(struct arena *arena, const struct plan *plan, struct brokered_trees *to,
		    struct cordon_error *err)
{
	const struct index *index = &plan->index;
	bool routed = plan->routing == ROUTE_READS;
	struct planned_rule everywhere = {.path = "/",
					  .root = "/",
					  .effect = EFFECT_ALLOW,
					  .rights = index->default_rights,
					  .match = MATCH_SUBPATH};
	struct around around = {.run = {0}};
	int rc = routed ? process_scan_all(&around, index, err) : 0;

	if (rc == 0)
		rc = add_rule(to, arena, &everywhere, routed, &around, err);
	for (size_t i = 0; rc == 0 && i < index->path_count; i++)
		rc = add_rule(to, arena, &index->paths[i], routed, &around, err);
	/* no layer grants what only a pattern allows */
	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];

		if (rule->effect == EFFECT_ALLOW)
			rc = add(to, arena, rule->root, (rule->rights & RIGHTS_CHANGE) != 0,
				 routed && (rule->rights & RIGHT_READ), &around, err);
	}
	path_set_sort(&to->changes);
	path_set_sort(&to->reads);
	path_set_sort(&to->unread);
	arena_free(&around.arena);
	return rc;
}
