// SPDX-License-Identifier: MIT
/*
 * A second copy of the plan's rules with every path case-folded: decomposed, lower case, without ignorable
 * characters. It is built on first use, and consulted only for paths that are not in folded form, or if the
 * plan denies such a path.
 */
#include "linux/casefold/casefold.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/path.h"
#include "linux/casefold/casefold_parts.h"

enum casefold_state { IS_NEW, IS_LOOKED_AT, IS_MADE };

struct casefold {
	const struct index *of;
	const char *top;
	pthread_mutex_t lock;
	int state;
	bool has_odd;  /* a deny is not in folded form */
	bool is_whole; /* every rule could be folded */
	struct index index;
};

struct casefold *
casefold_new(const struct index *index, const char *top)
{
	struct casefold *fold = calloc(1, sizeof *fold);

	if (fold == NULL)
		return NULL;
	fold->of = index;
	fold->top = top;
	pthread_mutex_init(&fold->lock, NULL);
	return fold;
}

struct casefold *
casefold_free(struct casefold *fold)
{
	if (fold != NULL)
		index_free(&fold->index);
	free(fold);
	return NULL;
}

/* ---- the plan ---- */

/* Length of the prefix that consists of directories above all grants: their spelling is fixed. */
static size_t
length_of_top(const struct casefold *fold, const char *text)
{
	return fold->top != NULL && path_below(text, fold->top) ? strlen(fold->top) : 0;
}

static bool
is_folded(const struct casefold *fold, const char *text)
{
	return casefold_is_plain(text + length_of_top(fold, text));
}

static const char *
folded(struct casefold *fold, const char *path)
{
	char text[PATH_MAX];

	return casefold_text(path, false, text, sizeof text)
		       ? arena_strdup(&fold->index.arena, text, NULL)
		       : NULL;
}

static int
fold_rule(struct casefold *fold, const struct planned_rule *rule)
{
	struct planned_rule copy = *rule;
	char text[PATH_MAX];

	if (rule->alias_of != NULL) {
		copy.root = folded(fold, rule->root);
		copy.alias_of = folded(fold, rule->alias_of);
		if (copy.root == NULL || copy.alias_of == NULL)
			return -CORDON_E_MEMORY;
	}
	if (rule->match == MATCH_REGEX)
		copy.path = arena_printf(&fold->index.arena, NULL, "(?i)%s", rule->path);
	else
		copy.path = casefold_text(rule->path, rule->match == MATCH_GLOB, text, sizeof text)
				    ? arena_printf(&fold->index.arena, NULL, "%s", text)
				    : NULL;
	return copy.path == NULL ? -CORDON_E_MEMORY : index_add(&fold->index, &copy, NULL);
}

static int
fold_protection(struct casefold *fold, const struct protection *protection)
{
	struct protections *to = &fold->index.protections;
	struct protection *slot =
		arena_push(&fold->index.arena, &to->items, &to->count, sizeof *slot, NULL);
	struct glob *glob = NULL;
	char text[PATH_MAX];

	if (slot == NULL || !casefold_text(protection->pattern, true, text, sizeof text) ||
	    glob_compile(&fold->index.arena, text, &glob, NULL, NULL) < 0)
		return -CORDON_E_MEMORY;
	*slot = *protection;
	slot->glob = glob;
	return 0;
}

static int
fold_plan(struct casefold *fold)
{
	const struct index *of = fold->of;
	int rc = 0;

	fold->index.default_rights = of->default_rights;
	for (size_t i = 0; rc == 0 && i < of->path_count; i++)
		rc = fold_rule(fold, &of->paths[i]);
	for (size_t i = 0; rc == 0 && i < of->pattern_count; i++)
		rc = fold_rule(fold, &of->patterns[i]);
	for (size_t i = 0; rc == 0 && i < of->protections.count; i++)
		rc = fold_protection(fold, &of->protections.items[i]);
	return rc < 0 ? rc : index_finish(&fold->index, NULL);
}

static bool
has_odd_deny(const struct casefold *fold, const struct planned_rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].effect == EFFECT_DENY && rules[i].rights != 0 &&
		    !is_folded(fold, rules[i].path))
			return true;
	return false;
}

/* Raises the state; results found before stay. */
static void
reach(struct casefold *fold, enum casefold_state state)
{
	if (__atomic_load_n(&fold->state, __ATOMIC_ACQUIRE) >= (int)state)
		return;
	pthread_mutex_lock(&fold->lock);
	if (fold->state < IS_LOOKED_AT)
		fold->has_odd = has_odd_deny(fold, fold->of->paths, fold->of->path_count) ||
				has_odd_deny(fold, fold->of->patterns, fold->of->pattern_count);
	if (fold->state < IS_MADE && state == IS_MADE)
		fold->is_whole = fold_plan(fold) == 0;
	if (fold->state < (int)state)
		__atomic_store_n(&fold->state, (int)state, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&fold->lock);
}

/* Directories above the grants cannot be read, and grant nothing under any spelling. */
static bool
is_below_folding(const struct casefold *fold, const char *path)
{
	char folder[PATH_MAX];
	bool is_first = true;
	char *end;

	if (strlen(path) >= sizeof folder)
		return true;
	strcpy(folder, path);
	while ((end = strrchr(folder, '/')) != NULL && end > folder) {
		*end = '\0';
		if (casefold_dir_folds(folder,
				       is_first || index_decide(fold->of, folder).rights != 0))
			return true;
		is_first = false;
	}
	return false;
}

/* ---- decisions ---- */

/*
 * A file reached under a variant spelling is not inspected, so a change that needs inspection is refused.
 */
static void
narrow(struct verdict *verdict, const struct verdict *by)
{
	unsigned kept = by->rights;

	if (by->vetted != NULL && verdict->vetted == NULL)
		kept &= ~(unsigned)RIGHTS_CHANGE;
	for (int i = 0; i < RIGHT_KINDS; i++) {
		if (!(verdict->rights & ~kept & (1u << i)))
			continue;
		verdict->by[i] = by->by[i];
		if (by->rights & (1u << i))
			verdict->by[i] = (struct decision){.protection = by->vetted};
	}
	verdict->rights &= kept;
	if (verdict->pinned_by == NULL)
		verdict->pinned_by = by->pinned_by;
}

/* A rule that names exactly this spelling applies. */
static bool
is_named(const struct casefold *fold, const char *path)
{
	for (size_t i = 0; i < fold->of->path_count; i++)
		if (fold->of->paths[i].effect == EFFECT_ALLOW &&
		    strcmp(fold->of->paths[i].path, path) == 0)
			return true;
	return false;
}

/* Decides by the folded plan. A variant spelling of a git name cannot be changed. */
static struct verdict
decide_folded(const struct casefold *fold, const char *path)
{
	struct verdict folded = {0};
	/* decomposed text is longer */
	size_t room = PATH_MAX + 3 * strlen(path);
	auto_free char *text = malloc(room);

	/* deny if the path cannot be folded */
	if (text == NULL || !fold->is_whole || !casefold_text(path, false, text, room))
		return folded;
	folded = index_decide(&fold->index, text);
	if (casefold_is_disguise(path, text) && !is_named(fold, path))
		folded.vetted = &protected_other_case;
	return folded;
}

struct verdict
casefold_decide(struct casefold *fold, const char *path)
{
	struct verdict verdict = index_decide(fold->of, path), folded;

	reach(fold, IS_LOOKED_AT);
	if (verdict.rights == 0 || (!fold->has_odd && is_folded(fold, path)))
		return verdict;
	reach(fold, IS_MADE);
	folded = decide_folded(fold, path);
	if (((verdict.rights & ~folded.rights) != 0 ||
	     (folded.vetted != NULL && verdict.vetted == NULL) ||
	     (folded.pinned_by != NULL && verdict.pinned_by == NULL)) &&
	    is_below_folding(fold, path))
		narrow(&verdict, &folded);
	if (casefold_dir_has_short_name(path, length_of_top(fold, path)) && !is_named(fold, path))
		verdict = (struct verdict){0};
	return verdict;
}
