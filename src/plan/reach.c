// SPDX-License-Identifier: MIT
/*
 * The decision once more (decide), for who needs only the rights and asks about every rule there is:
 * one way down for a path and for what is new below it, and nothing kept about who decided. Where a
 * ceiling or a protected name could have a say, decide is asked.
 */
#include <limits.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "plan/index.h"

#define NEW "/\001" /* a name that no rule speaks of */

/* What was said about one path. */
struct heard {
	unsigned rights;
	/* by layer: its last word is a deny; it has allowed at all */
	unsigned denied[LAYER_COUNT], allowed[LAYER_COUNT];
};

static void
hear(struct heard *heard, const struct planned_rule *rule)
{
	if (rule->effect == EFFECT_DENY) {
		heard->rights &= ~rule->rights;
		heard->denied[rule->layer] |= rule->rights;
		return;
	}
	heard->rights |= rule->rights;
	heard->denied[rule->layer] &= ~rule->rights;
	heard->allowed[rule->layer] |= rule->rights;
}

/* below: how many components the path that is asked about goes beyond the rules' own. */
static void
hear_at(struct heard *heard, int count, const struct index *index, const char *path, size_t length,
	uint64_t hash, size_t below)
{
	for (size_t i = index_find(index, path, length, hash);
	     i < index->path_count && index_compare(&index->paths[i], path, length) == 0; i++)
		for (int k = 0; k < count; k++)
			if (match_reaches(index->paths[i].match, below + (size_t)k))
				hear(&heard[k], &index->paths[i]);
}

static void
hear_paths(struct heard *heard, int count, const struct index *index, const char *path)
{
	size_t below = path_depth(path);
	uint64_t hash = hash_byte(HASH_START, '/');

	if (index->path_count == 0)
		return;
	hear_at(heard, count, index, path, 1, hash, below);
	for (const char *p = path + 1; below > 0; p++) {
		if (*p == '/' || *p == '\0')
			hear_at(heard, count, index, path, (size_t)(p - path), hash, --below);
		hash = hash_byte(hash, *p);
	}
}

/* Is an allow silenced by a more trusted layer? Then turns count. */
static bool
has_ceiling(const struct heard *heard)
{
	unsigned final = 0;

	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		if (heard->allowed[layer] & final)
			return true;
		final |= layer == LAYER_PROFILE ? 0 : heard->denied[layer];
	}
	return false;
}

static bool
is_protected(const struct index *index, const char *path)
{
	const struct protections *protections = &index->protections;
	bool is_dotted = protection_can_match(path);

	for (size_t i = 0; i < protections->count; i++)
		if ((is_dotted || !protections->items[i].is_dotted) &&
		    protection_anchor(&protections->items[i], path) > 0)
			return true;
	return false;
}

static unsigned
settle(struct heard *heard, const struct index *index, const char *path)
{
	for (size_t i = 0; i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		int found = index_matches(rule, path);

		if (found > 0 || (found < 0 && rule->effect == EFFECT_DENY))
			hear(heard, rule);
	}
	if (has_ceiling(heard) || ((heard->rights & RIGHTS_CHANGE) && is_protected(index, path)))
		return index_decide(index, path).rights;
	return heard->rights;
}

unsigned
index_rights(const struct index *index, const char *path)
{
	struct heard heard = {.rights = index->default_rights};

	hear_paths(&heard, 1, index, path);
	return settle(&heard, index, path);
}

struct reach
index_reach(const struct index *index, const char *path)
{
	struct heard heard[3] = {{.rights = index->default_rights},
				 {.rights = index->default_rights},
				 {.rights = index->default_rights}};
	char below[PATH_MAX + sizeof NEW NEW];
	size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
	struct reach reach = {0};

	if (length >= PATH_MAX)
		return reach;
	hear_paths(heard, 3, index, path);
	reach.own = settle(&heard[0], index, path);
	memcpy(below, path, length);
	strcpy(below + length, NEW);
	reach.below = settle(&heard[1], index, below);
	strcpy(below + length, NEW NEW);
	reach.deep = settle(&heard[2], index, below);
	return reach;
}
