// SPDX-License-Identifier: MIT
/*
 * Computes the rights of a path, and of new names below it, in one walk and without reasons: for
 * callers that evaluate every rule. decide.c decides where the order of sources or a protected
 * name may matter.
 */
#include <limits.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "rules/index.h"

#define NEW "/\001" /* a name that no rule contains */

static void
apply(struct layer_state *state, const struct planned_rule *rule)
{
	if (rule->effect == EFFECT_DENY) {
		state->rights &= ~rule->rights;
		state->denied[rule->layer] |= rule->rights;
		return;
	}
	state->rights |= rule->rights;
	state->denied[rule->layer] &= ~rule->rights;
	state->allowed[rule->layer] |= rule->rights;
}

/* A walk for count paths: path itself, and path with 1 and 2 new names appended. */
struct rights_walk {
	const struct index *index;
	const char *path;
	int count;
	struct layer_state states[3];
	size_t below; /* components of path not reached yet */
	uint64_t hash;
};

/* Applies the rules at the first length bytes of the path. */
static void
apply_at(struct rights_walk *d, size_t length)
{
	size_t first = index_find(d->index, d->path, length, d->hash);

	for (size_t i = first; index_has(d->index, i, first); i++)
		for (int k = 0; k < d->count; k++)
			if (index_match_reaches(d->index->paths[i].match, d->below + (size_t)k) &&
			    !d->index->paths[i].is_absent)
				apply(&d->states[k], &d->index->paths[i]);
}

/* Walks the first length bytes; rules at the whole path are not applied yet. */
static void
go_down(struct rights_walk *d, size_t length)
{
	d->hash = hash_byte(HASH_START, '/');
	d->below = path_depth(d->path);
	if (d->index->path_count == 0)
		return;
	if (d->path[1] != '\0')
		apply_at(d, 1);
	for (size_t i = 1; i < length; i++) {
		if (d->path[i] == '/') {
			d->below--;
			apply_at(d, i);
		}
		d->hash = hash_byte(d->hash, d->path[i]);
	}
}

static void
apply_last(struct rights_walk *d, size_t length)
{
	if (d->index->path_count == 0)
		return;
	d->below = 0;
	apply_at(d, length);
}

/* Could a deny of a more trusted source override an allow? Then the order of rules matters. */
static bool
has_ceiling(const struct layer_state *state)
{
	unsigned final = 0;

	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		if (state->allowed[layer] & final)
			return true;
		final |= layer == LAYER_PROFILE ? 0 : state->denied[layer];
	}
	return false;
}

static bool
is_protected(const struct index *index, const char *path)
{
	const struct protections *protections = &index->protections;
	bool is_dotted = protected_can_match(path);

	for (size_t i = 0; i < protections->count; i++)
		if ((is_dotted || !protections->items[i].is_dotted) &&
		    protected_anchor(&protections->items[i], path) > 0)
			return true;
	return false;
}

static unsigned
resolve_layers(struct layer_state *state, const struct index *index, const char *path)
{
	for (size_t i = 0; i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		int found = index_matches(rule, path);

		if (found > 0 || (found < 0 && rule->effect == EFFECT_DENY))
			apply(state, rule);
	}
	if (has_ceiling(state) || ((state->rights & RIGHTS_CHANGE) && is_protected(index, path)))
		return index_decide(index, path).rights;
	return state->rights;
}

static struct rights_walk
walk_start(const struct index *index, const char *path, int count)
{
	struct rights_walk d = {.index = index, .path = path, .count = count};

	for (int i = 0; i < count; i++)
		d.states[i].rights = index->default_rights;
	return d;
}

static struct tree_rights
resolve_all(struct rights_walk *d, size_t length)
{
	char below[PATH_MAX + sizeof NEW NEW];
	struct tree_rights tree_rights = {.self = resolve_layers(&d->states[0], d->index, d->path)};

	if (length == 1)
		length = 0;
	memcpy(below, d->path, length);
	strcpy(below + length, NEW);
	tree_rights.child = resolve_layers(&d->states[1], d->index, below);
	strcpy(below + length, NEW NEW);
	tree_rights.descendant = resolve_layers(&d->states[2], d->index, below);
	return tree_rights;
}

unsigned
index_rights(const struct index *index, const char *path)
{
	struct rights_walk d = walk_start(index, path, 1);
	size_t length = strlen(path);

	go_down(&d, length);
	apply_last(&d, length);
	return resolve_layers(&d.states[0], index, path);
}

struct tree_rights
index_tree_rights_cached(const struct index *index, const char *path,
			 struct tree_rights_cache *cache)
{
	struct rights_walk d = walk_start(index, path, 3);
	size_t length = strlen(path), folder = (size_t)(path_last(path) - path);

	if (length >= PATH_MAX)
		return (struct tree_rights){0};
	if (cache->path != NULL && folder > 1 && folder == cache->length &&
	    memcmp(cache->path, path, folder) == 0) {
		memcpy(d.states, cache->states, sizeof d.states);
		d.hash = cache->hash;
	} else {
		go_down(&d, folder);
		*cache = (struct tree_rights_cache){.length = folder, .hash = d.hash};
		memcpy(cache->states, d.states, sizeof d.states);
	}
	cache->path = path;
	/* no further slash follows */
	for (size_t i = folder; i < length; i++)
		d.hash = hash_byte(d.hash, path[i]);
	apply_last(&d, length);
	return resolve_all(&d, length);
}

struct tree_rights
index_tree_rights(const struct index *index, const char *path)
{
	struct tree_rights_cache cache = {0};

	return index_tree_rights_cached(index, path, &cache);
}
