// SPDX-License-Identifier: MIT
/*
 * Order of deciding: the default; path rules from shallow to deep, at one path the more trusted
 * layer first and within a layer deny before allow; patterns in their order. The last word holds,
 * but an allow is not heard when a more trusted layer's own last word is a deny (the ceiling). At the
 * end the built-in protections take away.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "plan/index.h"

#include <limits.h>
#include <pcre2.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "plan/glob.h"

/* A path that makes a pattern work harder than this is treated as hostile. */
#define REGEX_MATCH_LIMIT 20000u
#define REGEX_HEAP_KIB 1024u

/* The last rule of one effect that one layer had for one right, and when it was applied. */
struct spoken {
	const struct planned_rule *rule;
	size_t turn; /* 0: never */
};

/* Of a hash table: the first rule of one path. */
struct index_slot {
	uint64_t hash;
	size_t number; /* of the rule, from 1 on; 0: the slot is free */
};

struct asking {
	const char *path;
	size_t turn;
	bool limit_hit;
	struct spoken last[LAYER_COUNT][2][RIGHT_KINDS]; /* by layer and effect */
	/* length of the longest path by which a layer's own text allows the right */
	size_t named[LAYER_COUNT][RIGHT_KINDS];
};

/* ---- building ---- */

static int
rule_error(const struct planned_rule *rule, const char *reason, struct cordon_error *err)
{
	const struct place *place = &rule->rule->place;

	return cordon_fail_at(err, CORDON_E_POLICY, place->file, place->line, place->column,
			      "\"%.60s\" %s", rule->rule->path, reason);
}

static int
compile_glob(struct index *index, struct planned_rule *rule, struct cordon_error *err)
{
	const char *reason = NULL;
	struct glob *glob;
	int rc = glob_compile(&index->arena, rule->path, &glob, &reason, err);

	if (rc < 0)
		return reason == NULL ? rc : rule_error(rule, reason, err);
	rule->compiled = glob;
	return 0;
}

static int
compile_regex(struct planned_rule *rule, struct cordon_error *err)
{
	PCRE2_UCHAR8 message[100];
	char reason[160];
	PCRE2_SIZE offset;
	int code;

	rule->compiled = pcre2_compile_8((PCRE2_SPTR8)rule->path, PCRE2_ZERO_TERMINATED,
					 PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOTALL |
						 PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
					 &code, &offset, NULL);
	if (rule->compiled != NULL)
		return 0;
	pcre2_get_error_message_8(code, message, sizeof message);
	snprintf(reason, sizeof reason, "is not a regular expression: %s at character %zu",
		 (const char *)message, (size_t)offset + 1);
	return rule_error(rule, reason, err);
}

int
index_add(struct index *index, const struct planned_rule *rule, struct cordon_error *err)
{
	bool pattern = rule->match == MATCH_GLOB || rule->match == MATCH_REGEX;
	struct planned_rule copy = *rule, *slot;
	int rc = 0;

	if (rule->match == MATCH_GLOB)
		rc = compile_glob(index, &copy, err);
	else if (rule->match == MATCH_REGEX)
		rc = compile_regex(&copy, err);
	if (rc < 0)
		return rc;
	slot = pattern ? arena_push(&index->arena, &index->patterns, &index->pattern_count,
				    sizeof *slot, err)
		       : arena_push(&index->arena, &index->paths, &index->path_count, sizeof *slot,
				    err);
	if (slot == NULL) {
		if (rule->match == MATCH_REGEX)
			pcre2_code_free_8((pcre2_code_8 *)copy.compiled);
		return -CORDON_E_MEMORY;
	}
	*slot = copy;
	return 0;
}

static int
by_path(const void *a, const void *b)
{
	const struct planned_rule *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order == 0)
		order = (int)x->layer - (int)y->layer;
	return order != 0 ? order : (int)x->effect - (int)y->effect;
}

/* A path has one slot, however many rules it has: those stand together. */
static int
fill_slots(struct index *index, struct cordon_error *err)
{
	size_t count = 16;

	while (count < index->path_count * 2)
		count *= 2;
	index->slots = arena_alloc(&index->arena, count * sizeof *index->slots, err);
	if (index->slots == NULL)
		return -CORDON_E_MEMORY;
	index->slot_count = count;
	for (size_t i = 0; i < index->path_count; i++) {
		const char *path = index->paths[i].path;
		uint64_t hash = hash_text(path);
		size_t at = hash & (count - 1);

		if (i > 0 && strcmp(path, index->paths[i - 1].path) == 0)
			continue;
		while (index->slots[at].number != 0)
			at = (at + 1) & (count - 1);
		index->slots[at] = (struct index_slot){hash, i + 1};
	}
	return 0;
}

int
index_finish(struct index *index, struct cordon_error *err)
{
	if (index->path_count > 1)
		qsort(index->paths, index->path_count, sizeof index->paths[0], by_path);
	if (fill_slots(index, err) < 0)
		return -CORDON_E_MEMORY;
	index->denies =
		arena_alloc(&index->arena, (index->path_count + 1) * sizeof *index->denies, err);
	if (index->denies == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < index->path_count; i++)
		index->denies[i + 1] = index->denies[i] + (index->paths[i].effect == EFFECT_DENY &&
							   index->paths[i].rights != 0);
	return 0;
}

void
index_free(struct index *index)
{
	for (size_t i = 0; i < index->pattern_count; i++)
		if (index->patterns[i].match == MATCH_REGEX)
			pcre2_code_free_8((pcre2_code_8 *)index->patterns[i].compiled);
	arena_free(&index->arena);
	*index = (struct index){0};
}

/* ---- asking ---- */

/* The user's own words: what may lift a built-in protection by naming it. */
static bool
is_own_word(enum layer layer)
{
	return layer == LAYER_SYSTEM || layer == LAYER_USER || layer == LAYER_COMMAND;
}

static void
apply_rule(struct asking *ask, const struct planned_rule *rule)
{
	bool path_rule = rule->match != MATCH_GLOB && rule->match != MATCH_REGEX;

	ask->turn++;
	for (int i = 0; i < RIGHT_KINDS; i++) {
		if (!(rule->rights & (1u << i)))
			continue;
		ask->last[rule->layer][rule->effect][i] = (struct spoken){rule, ask->turn};
		if (rule->effect == EFFECT_ALLOW && path_rule)
			ask->named[rule->layer][i] = strlen(rule->path);
	}
}

/* Compares a rule's path with the first length bytes of path, as strcmp would. */
static int
compare_prefix(const struct planned_rule *rule, const char *path, size_t length)
{
	int order = strncmp(rule->path, path, length);

	return order != 0 ? order : rule->path[length] != '\0';
}

static size_t
first_at(const struct index *index, const char *path, size_t length)
{
	size_t low = 0, high = index->path_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_prefix(&index->paths[middle], path, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* below: how many components path goes beyond the rule's own path. */
static bool
match_reaches(enum match match, size_t below)
{
	return match == MATCH_SUBPATH || (match == MATCH_LITERAL && below == 0) ||
	       (match == MATCH_CHILD && below == 1);
}

/* The first rule whose path is the first length bytes of path, which have this hash. */
static size_t
find_exact(const struct index *index, const char *path, size_t length, uint64_t hash)
{
	size_t mask = index->slot_count - 1, at = hash & mask;

	for (; index->slots[at].number != 0; at = (at + 1) & mask)
		if (index->slots[at].hash == hash &&
		    compare_prefix(&index->paths[index->slots[at].number - 1], path, length) == 0)
			return index->slots[at].number - 1;
	return index->path_count;
}

static void
apply_paths_at(struct asking *ask, const struct index *index, size_t length, uint64_t hash,
	       size_t below)
{
	for (size_t i = find_exact(index, ask->path, length, hash);
	     i < index->path_count && compare_prefix(&index->paths[i], ask->path, length) == 0; i++)
		if (match_reaches(index->paths[i].match, below))
			apply_rule(ask, &index->paths[i]);
}

static void
apply_paths(struct asking *ask, const struct index *index)
{
	size_t below = path_depth(ask->path);
	uint64_t hash = hash_byte(HASH_START, '/');

	if (index->path_count == 0)
		return;
	apply_paths_at(ask, index, 1, hash, below);
	if (below == 0)
		return;
	for (const char *p = ask->path + 1;; p++) {
		if (*p == '/' || *p == '\0')
			apply_paths_at(ask, index, (size_t)(p - ask->path), hash, --below);
		if (*p == '\0')
			return;
		hash = hash_byte(hash, *p);
	}
}

/* 1 match, 0 none, -1 gave up. */
static int
regex_match(const struct planned_rule *rule, const char *path)
{
	pcre2_match_context_8 *context = pcre2_match_context_create_8(NULL);
	pcre2_match_data_8 *data = pcre2_match_data_create_8(1, NULL);
	int rc = PCRE2_ERROR_NOMEMORY;

	if (context != NULL && data != NULL) {
		pcre2_set_match_limit_8(context, REGEX_MATCH_LIMIT);
		pcre2_set_heap_limit_8(context, REGEX_HEAP_KIB);
		rc = pcre2_match_8(rule->compiled, (PCRE2_SPTR8)path, strlen(path), 0, 0, data,
				   context);
	}
	pcre2_match_data_free_8(data);
	pcre2_match_context_free_8(context);
	if (rc >= 0)
		return 1;
	return rc == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

static void
apply_patterns(struct asking *ask, const struct index *index)
{
	for (size_t i = 0; i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		int found = rule->match == MATCH_GLOB ? glob_match(rule->compiled, ask->path)
						      : regex_match(rule, ask->path);

		/* a pattern that gave up denies and never allows */
		if (found < 0)
			ask->limit_hit = true;
		if (found > 0 || (found < 0 && rule->effect == EFFECT_DENY))
			apply_rule(ask, rule);
	}
}

/* The deny of a more trusted layer, if that was its last word on the right: nothing below it counts. */
static const struct planned_rule *
final_deny(const struct asking *ask, int layer, int right)
{
	for (int above = LAYER_BUILTIN; above < layer; above++) {
		const struct spoken *deny = &ask->last[above][EFFECT_DENY][right];

		if (above != LAYER_PROFILE &&
		    deny->turn > ask->last[above][EFFECT_ALLOW][right].turn)
			return deny->rule;
	}
	return NULL;
}

/*
 * One right: the last word among all denies and those allows that no final deny silences. An allow
 * that is silenced is as if it were not there, so it can never take away what others grant.
 */
static void
decide_right(const struct asking *ask, int right, bool by_default, struct verdict *to)
{
	struct spoken best = {0};
	const struct planned_rule *silencer = NULL;
	bool allowed = by_default;

	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		const struct spoken *deny = &ask->last[layer][EFFECT_DENY][right];
		const struct spoken *allow = &ask->last[layer][EFFECT_ALLOW][right];
		const struct planned_rule *final = allow->turn == 0 ? NULL
								    : final_deny(ask, layer, right);

		if (final != NULL)
			silencer = final;
		if (deny->turn > best.turn) {
			best = *deny;
			allowed = false;
		}
		if (final == NULL && allow->turn > best.turn) {
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

/* Does the user's own text name the protected path itself, and is it heard? */
static bool
is_lifted(const struct asking *ask, int right, size_t anchor)
{
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		if (is_own_word((enum layer)layer) && ask->named[layer][right] >= anchor &&
		    final_deny(ask, layer, right) == NULL)
			return true;
	return false;
}

static void
apply_protection(const struct asking *ask, const struct protection *protection, size_t anchor,
		 struct verdict *to)
{
	unsigned taken = 0;

	for (int i = 0; i < RIGHT_KINDS; i++)
		if ((to->rights & RIGHTS_CHANGE & (1u << i)) && !is_lifted(ask, i, anchor))
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

/* The first deny strictly below path, or NULL. Sorted by bytes, they stand together. */
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
	first = first_at(index, from, length + 1);
	last = first_at(index, to, length + 1);
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
apply_protections(struct asking *ask, const struct index *index, struct verdict *to)
{
	const struct protections *protections = &index->protections;
	bool is_dotted = protection_can_match(ask->path);

	for (size_t i = 0; (to->rights & RIGHTS_CHANGE) && i < protections->count; i++) {
		const struct protection *one = &protections->items[i];
		size_t anchor = one->is_dotted && !is_dotted ? 0
							     : protection_anchor(one, ask->path);

		if (anchor > 0)
			apply_protection(ask, one, anchor, to);
	}
}

struct verdict
index_decide(const struct index *index, const char *path)
{
	struct asking ask = {.path = path};
	struct verdict verdict = {0};

	apply_paths(&ask, index);
	apply_patterns(&ask, index);
	for (int i = 0; i < RIGHT_KINDS; i++)
		decide_right(&ask, i, (index->default_rights & (1u << i)) != 0, &verdict);
	verdict.limit_hit = ask.limit_hit;
	if (verdict.rights & RIGHT_DELETE)
		verdict.held = deny_below(index, path);
	if (verdict.rights & RIGHTS_CHANGE)
		apply_protections(&ask, index, &verdict);
	return verdict;
}
