// SPDX-License-Identifier: MIT
/*
 * Stores rules for lookup: paths sorted and in a hash table, patterns compiled. decide.c combines
 * them.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "rules/index.h"

#include <limits.h>
#include <pcre2.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/hash.h"
#include "base/path.h"

/* A path on which a pattern needs more steps is treated as hostile. */
#define REGEX_MATCH_LIMIT 20000u
#define REGEX_HEAP_KIB 1024u

/* Hash table entry: the first rule of one path. */
struct index_slot {
	uint32_t hash;	 /* upper half; the lower half selects the slot */
	uint32_t number; /* of the rule, from 1 on; 0: free */
};

/* ---- building ---- */

static int
rule_error(const struct planned_rule *rule, const char *reason, struct cordon_error *err)
{
	const struct srcpos *srcpos = &rule->rule->srcpos;

	return cordon_fail_at(err, CORDON_E_POLICY, srcpos->file, srcpos->line, srcpos->column,
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
	if (code == PCRE2_ERROR_HEAP_FAILED)
		return cordon_no_memory(err);
	pcre2_get_error_message_8(code, message, sizeof message);
	snprintf(reason, sizeof reason, "is not a regular expression: %s at character %zu",
		 (const char *)message, (size_t)offset + 1);
	return rule_error(rule, reason, err);
}

int
index_add(struct index *index, const struct planned_rule *rule, struct cordon_error *err)
{
	bool pattern = match_is_pattern(rule->match);
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

/* A path has one slot, however many rules: they are adjacent. */
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

		index->paths[i].same_path = i > 0 && strcmp(path, index->paths[i - 1].path) == 0;
		if (index->paths[i].same_path)
			continue;
		while (index->slots[at].number != 0)
			at = (at + 1) & (count - 1);
		index->slots[at] = (struct index_slot){(uint32_t)(hash >> 32), (uint32_t)i + 1};
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

/* ---- lookup ---- */

/* Compares a rule's path with the first length bytes of path, like strcmp. */
static int
compare(const struct planned_rule *rule, const char *path, size_t length)
{
	int order = strncmp(rule->path, path, length);

	return order != 0 ? order : rule->path[length] != '\0';
}

size_t
index_first(const struct index *index, const char *path, size_t length)
{
	size_t low = 0, high = index->path_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&index->paths[middle], path, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
index_match_reaches(enum match match, size_t below)
{
	return match == MATCH_SUBPATH || (match == MATCH_LITERAL && below == 0) ||
	       (match == MATCH_CHILD && below == 1);
}

bool
index_has(const struct index *index, size_t number, size_t first)
{
	return number < index->path_count && (number == first || index->paths[number].same_path);
}

size_t
index_find(const struct index *index, const char *path, size_t length, uint64_t hash)
{
	size_t mask = index->slot_count - 1, at = hash & mask;

	for (; index->slots[at].number != 0; at = (at + 1) & mask)
		if (index->slots[at].hash == (uint32_t)(hash >> 32) &&
		    compare(&index->paths[index->slots[at].number - 1], path, length) == 0)
			return index->slots[at].number - 1;
	return index->path_count;
}

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

static int
matches(const struct planned_rule *pattern, const char *path)
{
	return pattern->match == MATCH_GLOB ? glob_match(pattern->compiled, path)
					    : regex_match(pattern, path);
}

int
index_matches(const struct planned_rule *pattern, const char *path)
{
	char path_in_other[PATH_MAX];
	const char *rest;

	if (pattern->alias_of == NULL)
		return matches(pattern, path);
	if (!path_below(path, pattern->root))
		return 0;
	rest = path + (strcmp(pattern->root, "/") == 0 ? 0 : strlen(pattern->root));
	if (snprintf(path_in_other, sizeof path_in_other, "%s%s",
		     strcmp(pattern->alias_of, "/") == 0 && *rest != '\0' ? "" : pattern->alias_of,
		     strcmp(rest, "/") == 0 ? "" : rest) >= (int)sizeof path_in_other)
		return -1;
	return matches(pattern, path_in_other);
}
