// SPDX-License-Identifier: MIT
/*
 * Decides the rights of a path. Order: the default; path rules from shallow to deep, at one path
 * the more trusted layer first and within a layer deny before allow; then patterns in order. The
 * last rule wins, but an allow does not count if the last rule of a more trusted layer is a deny
 * (the ceiling). Finally the protected names remove rights.
 */
#include <limits.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "rules/index.h"

/* The last rule of a layer with one effect for one right, and its sequence number. */
struct last_rule {
	const struct planned_rule *rule;
	size_t seq; /* 0: none */
};

struct decide_state {
	const char *path;
	size_t seq;
	bool limit_hit;
	struct last_rule last[LAYER_COUNT][2][RIGHT_KINDS]; /* by layer and effect */
	/* length of the longest path at which a rule of the layer that lifts protections allows it */
	size_t named[LAYER_COUNT][RIGHT_KINDS];
};

bool
index_rule_lifts(const struct planned_rule *rule)
{
	if (rule->layer == LAYER_PROFILE)
		return rule->rule != NULL && rule->rule->path != NULL &&
		       strncmp(rule->rule->path, "~/", 2) == 0;
	return rule->layer == LAYER_SYSTEM || rule->layer == LAYER_USER ||
	       rule->layer == LAYER_COMMAND;
}

static void
apply_rule(struct decide_state *state, const struct planned_rule *rule)
{
	bool lifts = rule->effect == EFFECT_ALLOW && rule->match != MATCH_GLOB &&
		     rule->match != MATCH_REGEX && index_rule_lifts(rule);

	state->seq++;
	for (int i = 0; i < RIGHT_KINDS; i++) {
		if (!(rule->rights & (1u << i)))
			continue;
		state->last[rule->layer][rule->effect][i] = (struct last_rule){rule, state->seq};
		if (lifts)
			state->named[rule->layer][i] = strlen(rule->path);
	}
}

static void
apply_paths_at(struct decide_state *state, const struct index *index, size_t length, uint64_t hash,
	       size_t below)
{
	size_t first = index_find(index, state->path, length, hash);

	for (size_t i = first; index_has(index, i, first); i++)
		if (index_match_reaches(index->paths[i].match, below) && !index->paths[i].is_absent)
			apply_rule(state, &index->paths[i]);
}

static void
apply_paths(struct decide_state *state, const struct index *index)
{
	size_t below = path_depth(state->path);
	uint64_t hash = hash_byte(HASH_START, '/');

	if (index->path_count == 0)
		return;
	apply_paths_at(state, index, 1, hash, below);
	if (below == 0)
		return;
	for (const char *p = state->path + 1;; p++) {
		if (*p == '/' || *p == '\0')
			apply_paths_at(state, index, (size_t)(p - state->path), hash, --below);
		if (*p == '\0')
			return;
		hash = hash_byte(hash, *p);
	}
}

static void
apply_patterns(struct decide_state *state, const struct index *index)
{
	for (size_t i = 0; i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		int found = index_matches(rule, state->path);

		/* a pattern that gave up denies and never allows */
		if (found < 0)
			state->limit_hit = true;
		if (found > 0 || (found < 0 && rule->effect == EFFECT_DENY))
			apply_rule(state, rule);
	}
}

/* Returns the deny of a more trusted layer if it is that layer's last rule for the right. */
static const struct planned_rule *
final_deny(const struct decide_state *state, int layer, int right)
{
	for (int above = LAYER_BUILTIN; above < layer; above++) {
		const struct last_rule *deny = &state->last[above][EFFECT_DENY][right];

		if (above != LAYER_PROFILE &&
		    deny->seq > state->last[above][EFFECT_ALLOW][right].seq)
			return deny->rule;
	}
	return NULL;
}

/*
 * Decides one right: the last of all denies and of those allows that no final deny overrides. An
 * overridden allow is ignored, so it cannot take away rights that other rules allow.
 */
static void
decide_right(const struct decide_state *state, int right, bool by_default, struct verdict *to)
{
	struct last_rule best = {0};
	const struct planned_rule *silencer = NULL;
	bool allowed = by_default;

	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		const struct last_rule *deny = &state->last[layer][EFFECT_DENY][right];
		const struct last_rule *allow = &state->last[layer][EFFECT_ALLOW][right];
		const struct planned_rule *final =
			allow->seq == 0 ? NULL : final_deny(state, layer, right);

		if (final != NULL)
			silencer = final;
		if (deny->seq > best.seq) {
			best = *deny;
			allowed = false;
		}
		if (final == NULL && allow->seq > best.seq) {
			best = *allow;
			allowed = true;
		}
	}
	if (allowed)
		to->rights |= 1u << right;
	to->by[right] = (struct decision){.rule = best.rule};
	if (!allowed && silencer != NULL)
		to->by[right] = (struct decision){.rule = silencer, .overridden = true};
}

/* Does an effective rule name the protected path itself? */
static bool
is_lifted(const struct decide_state *state, int right, size_t anchor)
{
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		if (state->named[layer][right] >= anchor && final_deny(state, layer, right) == NULL)
			return true;
	return false;
}

static void
apply_protection(const struct decide_state *state, const struct protection *protection,
		 size_t anchor, struct verdict *to)
{
	unsigned taken = 0;

	for (int i = 0; i < RIGHT_KINDS; i++)
		if ((to->rights & RIGHTS_CHANGE & (1u << i)) && !is_lifted(state, i, anchor))
			taken |= 1u << i;
	if (taken != 0 && protection->kind == PROTECT_VETTED) {
		to->vetted = protection;
		return;
	}
	to->rights &= ~taken;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (taken & (1u << i))
			to->by[i] = (struct decision){.protection = protection};
}

/* Returns the first deny strictly below path, or NULL. Paths are sorted by bytes. */
static const struct planned_rule *
deny_below(const struct index *index, const char *path)
{
	size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
	char from[PATH_MAX + 1], to[PATH_MAX + 1];
	size_t first, last;

	if (length + 2 > sizeof from)
		return NULL;
	memcpy(from, path, length);
	memcpy(to, path, length);
	strcpy(from + length, "/");
	/* the byte after "/": the first path that is not below */
	strcpy(to + length, "0");
	first = index_first(index, from, length + 1);
	last = index_first(index, to, length + 1);
	/* "/" is not below itself */
	while (first < last && index->paths[first].path[1] == '\0')
		first++;
	if (index->denies[last] == index->denies[first])
		return NULL;
	while (first < last &&
	       (index->paths[first].effect != EFFECT_DENY || index->paths[first].rights == 0))
		first++;
	return first < last ? &index->paths[first] : NULL;
}

static void
apply_protections(struct decide_state *state, const struct index *index, struct verdict *to)
{
	const struct protections *protections = &index->protections;
	bool is_dotted = protected_can_match(state->path);

	for (size_t i = 0; (to->rights & RIGHTS_CHANGE) && i < protections->count; i++) {
		const struct protection *one = &protections->items[i];
		size_t anchor = one->is_dotted && !is_dotted ? 0
							     : protected_anchor(one, state->path);

		if (anchor > 0)
			apply_protection(state, one, anchor, to);
	}
}

struct verdict
index_decide(const struct index *index, const char *path)
{
	struct decide_state state = {.path = path};
	struct verdict verdict = {0};

	apply_paths(&state, index);
	apply_patterns(&state, index);
	for (int i = 0; i < RIGHT_KINDS; i++)
		decide_right(&state, i, (index->default_rights & (1u << i)) != 0, &verdict);
	verdict.limit_hit = state.limit_hit;
	if (verdict.rights & (RIGHT_CREATE | RIGHT_DELETE))
		verdict.pinned_by = deny_below(index, path);
	if (verdict.rights & RIGHTS_CHANGE)
		apply_protections(&state, index, &verdict);
	return verdict;
}
