// SPDX-License-Identifier: MIT
/*
 * Checks rules against each other: contradictory pairs, rules without effect, denies that a profile
 * overrides. A finding must be certain for every path, so each check gives up as soon as another
 * rule could make a difference.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "explain/lint/lint_checks.h"

/* ---- finding rules by their path ---- */

static size_t
first_at(const struct index *index, const char *path, size_t length)
{
	size_t low = 0, high = index->path_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strncmp(index->paths[middle].path, path, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A filter of rules: with this effect on some of these rights, of this layer (-1: any). */
struct conflict_kind {
	enum effect effect;
	unsigned rights;
	int layer;
};

static bool
is_kind(const struct planned_rule *rule, const struct conflict_kind *kind)
{
	return rule->effect == kind->effect && (rule->rights & kind->rights) &&
	       (kind->layer < 0 || (int)rule->layer == kind->layer);
}

/* At path or below it. Paths with this prefix are adjacent in the index, but include "path-x". */
static bool
has_below(const struct index *index, const char *path, const struct conflict_kind *kind)
{
	size_t length = strlen(path);

	for (size_t i = first_at(index, path, length);
	     i < index->path_count && strncmp(index->paths[i].path, path, length) == 0; i++)
		if (path_below(index->paths[i].path, path) && is_kind(&index->paths[i], kind))
			return true;
	return false;
}

static bool
has_at(const struct index *index, const char *path, size_t length, const struct conflict_kind *kind)
{
	for (size_t i = first_at(index, path, length);
	     i < index->path_count && strncmp(index->paths[i].path, path, length) == 0 &&
	     index->paths[i].path[length] == '\0';
	     i++)
		if (is_kind(&index->paths[i], kind))
			return true;
	return false;
}

/* At path or above it. */
static bool
has_above(const struct index *index, const char *path, const struct conflict_kind *kind)
{
	if (has_at(index, path, 1, kind))
		return true;
	for (size_t end = 2; path[1] != '\0'; end++) {
		if (path[end] != '/' && path[end] != '\0')
			continue;
		if (has_at(index, path, end, kind))
			return true;
		if (path[end] == '\0')
			break;
	}
	return false;
}

static bool
has_pattern(const struct index *index, const struct conflict_kind *kind)
{
	for (size_t i = 0; i < index->pattern_count; i++)
		if (is_kind(&index->patterns[i], kind))
			return true;
	return false;
}

/* ---- rules without effect ---- */

static bool
is_before(const struct srcpos *a, const struct srcpos *b)
{
	int order = strcmp(a->file, b->file);

	if (order != 0)
		return order < 0;
	return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/*
 * Does `other` make rule superfluous? Of two equal rules only one is reported: the one that is less
 * trusted, has fewer rights, or comes later. A less trusted rule never makes another superfluous.
 */
static bool
stands_in(const struct planned_rule *other, const struct planned_rule *rule)
{
	if (other->match != MATCH_SUBPATH || other->layer > rule->layer ||
	    other->rule == rule->rule)
		return false;
	if (other->layer < rule->layer || strcmp(other->path, rule->path) != 0)
		return true;
	if (rule->rights & ~other->rights)
		return false;
	return other->rights != rule->rights || rule->match != MATCH_SUBPATH ||
	       is_before(&other->rule->srcpos, &rule->rule->srcpos);
}

static bool
is_protected(const struct index *index, const struct planned_rule *rule)
{
	for (size_t i = 0; (rule->rights & RIGHTS_CHANGE) && i < index->protections.count; i++)
		if (protected_anchor(&index->protections.items[i], rule->path) > 0)
			return true;
	return false;
}

/*
 * If rules for whole trees above grant every right and there is no deny in between, deeper rules
 * and patterns decide the same with and without this rule.
 */
static bool
allow_adds_nothing(const struct index *index, const struct planned_rule *rule,
		   const struct verdict *without)
{
	const struct conflict_kind denies = {EFFECT_DENY, rule->rights, -1};

	for (int i = 0; i < RIGHT_KINDS; i++) {
		const struct planned_rule *by = without->by[i].rule;

		if (!(rule->rights & (1u << i)))
			continue;
		if (!(without->rights & (1u << i)) || (by != NULL && !stands_in(by, rule)))
			return false;
	}
	return !has_above(index, rule->path, &denies) && !is_protected(index, rule);
}

/*
 * A deny of the user or the administrator has an effect on later texts even if nothing is allowed
 * yet. One of the command line or the project has none, because no text follows.
 */
static bool
is_as_final(const struct planned_rule *by, const struct planned_rule *rule)
{
	if (by == NULL || by->layer == LAYER_PROFILE)
		return rule->layer >= LAYER_COMMAND;
	return true;
}

static bool
deny_takes_nothing(const struct index *index, const struct planned_rule *rule,
		   const struct verdict *without)
{
	const struct conflict_kind allows = {EFFECT_ALLOW, rule->rights, -1};

	for (int i = 0; i < RIGHT_KINDS; i++) {
		const struct decision *by = &without->by[i];

		if (!(rule->rights & (1u << i)))
			continue;
		if ((without->rights & (1u << i)) || by->protection != NULL || by->overridden ||
		    (by->rule != NULL && !stands_in(by->rule, rule)) ||
		    !is_as_final(by->rule, rule))
			return false;
	}
	return !has_below(index, rule->path, &allows) && !has_pattern(index, &allows);
}

static int
note_superfluous(struct linter *l, const struct planned_rule *rule, const struct verdict *without)
{
	const struct planned_rule *by = without->by[__builtin_ctz(rule->rights)].rule;
	bool allow = rule->effect == EFFECT_ALLOW;

	if (by == NULL)
		return lint_add(l, LINT_NOTE, rule->rule->srcpos, "changes nothing: %s",
				allow ? "the default allows it already" : "nothing allows it");
	return lint_add(l, LINT_NOTE, rule->rule->srcpos, "changes nothing: %s %s it already",
			lint_source(l, by), allow ? "allows" : "denies");
}

/* ---- allows without effect ---- */

/* Returns why a deny overrides this right for all paths of the rule, or NULL. */
static const char *
beaten_by(const struct index *index, const struct planned_rule *rule, const struct decision *by)
{
	const struct planned_rule *deny = by->rule;
	const struct conflict_kind allows = {EFFECT_ALLOW, rule->rights,
					     deny == NULL ? -1 : (int)deny->layer};

	if (deny == NULL || deny->effect != EFFECT_DENY || deny->layer == LAYER_BUILTIN)
		return NULL;
	/* a glob that matches a directory matches everything below it */
	if (deny->match == MATCH_GLOB && deny->layer <= rule->layer)
		return "patterns are applied after all paths";
	if (by->overridden && deny->match == MATCH_SUBPATH && deny->layer < rule->layer &&
	    !has_below(index, rule->path, &allows))
		return "its layer is trusted more";
	return NULL;
}

static int
warn_beaten(struct linter *l, const struct planned_rule *rule)
{
	const struct index *index = &l->plan->index;
	const struct conflict_kind allows = {EFFECT_ALLOW, rule->rights, -1};
	struct verdict verdict = index_decide(index, rule->path);
	const char *how = NULL;

	/* naming a protected path has an effect even if the grant has none */
	if ((verdict.rights & rule->rights) || has_pattern(index, &allows) ||
	    is_protected(index, rule))
		return 0;
	for (int i = 0; i < RIGHT_KINDS; i++) {
		if (!(rule->rights & (1u << i)))
			continue;
		how = beaten_by(index, rule, &verdict.by[i]);
		if (how == NULL)
			return 0;
	}
	return lint_add(l, LINT_WARNING, rule->rule->srcpos, "never applies: %s denies it, and %s",
			lint_source(l, verdict.by[__builtin_ctz(rule->rights)].rule), how);
}

int
lint_reach(struct linter *l, struct planned_rule *rule)
{
	const struct index *index = &l->plan->index;
	unsigned rights = rule->rights;
	struct verdict without;
	bool superfluous;

	/* do not report rules that a dialect adds by default */
	if (match_is_pattern(rule->match) || rule->rule->optional || rule->rule->worktrees)
		return 0;
	rule->rights = 0;
	without = index_decide(index, rule->path);
	rule->rights = rights;
	superfluous = rule->effect == EFFECT_ALLOW ? allow_adds_nothing(index, rule, &without)
						   : deny_takes_nothing(index, rule, &without);
	/* a link on this host, such as /bin, may be a directory on another */
	if (superfluous && rule->effect == EFFECT_ALLOW && rule->written != NULL)
		return 0;
	if (superfluous)
		return note_superfluous(l, rule, &without);
	return rule->effect == EFFECT_ALLOW ? warn_beaten(l, rule) : 0;
}

/* ---- denies that a profile overrides ---- */

static bool
reopens(const struct index *index, const struct planned_rule *allow,
	const struct planned_rule *deny)
{
	struct verdict verdict;

	if (allow->layer != LAYER_PROFILE || allow->effect != EFFECT_ALLOW ||
	    !(allow->rights & deny->rights) || !path_below(allow->root, deny->path))
		return false;
	if (match_is_pattern(allow->match))
		return true;
	verdict = index_decide(index, allow->path);
	return lint_decides(&verdict, allow, deny->rights);
}

int
lint_reopened(struct linter *l, struct planned_rule *rule)
{
	const struct index *index = &l->plan->index;
	const struct planned_rule *first = NULL;
	size_t length = strlen(rule->path), count = 0;
	char more[40] = "";

	if (rule->effect != EFFECT_DENY || rule->match != MATCH_SUBPATH)
		return 0;
	for (size_t i = first_at(index, rule->path, length);
	     i < index->path_count && strncmp(index->paths[i].path, rule->path, length) == 0; i++)
		if (reopens(index, &index->paths[i], rule) && count++ == 0)
			first = &index->paths[i];
	for (size_t i = 0; i < index->pattern_count; i++)
		if (reopens(index, &index->patterns[i], rule) && count++ == 0)
			first = &index->patterns[i];
	if (first == NULL)
		return 0;
	if (count > 1)
		snprintf(more, sizeof more, " (and %zu more)", count - 1);
	return lint_add(l, LINT_NOTE, rule->rule->srcpos,
			"%s opens %s below it again%s; deny that too if it is meant",
			first->rule->srcpos.file, first->rule->path, more);
}

/* ---- the same path allowed and denied ---- */

static int
warn_pair(struct linter *l, const struct planned_rule *loser, const struct planned_rule *winner,
	  const char *reason)
{
	char words[RIGHTS_WORDS];

	policy_rights_to_words(loser->rights & winner->rights, words);
	return lint_add(l, LINT_WARNING, loser->rule->srcpos,
			"%s %s of %s, and %s %s it: that one wins, %s",
			loser->effect == EFFECT_ALLOW ? "allows" : "denies", words,
			loser->rule->path, lint_source(l, winner),
			winner->effect == EFFECT_ALLOW ? "allows" : "denies", reason);
}

/* An allow that is narrower than the deny is an intended exception. */
static bool
cancels(const struct planned_rule *allow, const struct planned_rule *deny)
{
	return allow->effect == EFFECT_ALLOW && (allow->rights & deny->rights) &&
	       (allow->match == deny->match || allow->match == MATCH_SUBPATH);
}

/* With equal path and layer, denies precede allows. Reports one pair for each deny. */
static int
pair_paths(struct linter *l)
{
	const struct index *index = &l->plan->index;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < index->path_count; i++) {
		const struct planned_rule *deny = &index->paths[i], *other = deny + 1;

		if (!lint_is_own(deny) || deny->effect != EFFECT_DENY)
			continue;
		for (; other < index->paths + index->path_count && other->layer == deny->layer &&
		       strcmp(other->path, deny->path) == 0;
		     other++) {
			if (!cancels(other, deny))
				continue;
			rc = warn_pair(l, deny, other, "being an allow at the same path");
			break;
		}
	}
	return rc;
}

static int
by_pattern(const void *a, const void *b)
{
	const struct planned_rule *x = *(const struct planned_rule *const *)a;
	const struct planned_rule *y = *(const struct planned_rule *const *)b;
	int order = strcmp(x->path, y->path);

	if (order == 0)
		order = (int)x->match - (int)y->match;
	if (order == 0)
		order = (int)x->layer - (int)y->layer;
	/* both point into one array, which is in the order of application */
	return order != 0 ? order : (x > y) - (x < y);
}

static int
pair_patterns(struct linter *l)
{
	const struct index *index = &l->plan->index;
	size_t count = index->pattern_count;
	const struct planned_rule **sorted =
		arena_alloc(&l->scratch, (count + 1) * sizeof *sorted, l->err);
	int rc = sorted == NULL ? -CORDON_E_MEMORY : 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		sorted[i] = &index->patterns[i];
	if (rc == 0 && count > 1)
		qsort(sorted, count, sizeof sorted[0], by_pattern);
	for (size_t i = 0; rc == 0 && i + 1 < count; i++) {
		const struct planned_rule *x = sorted[i], *y = sorted[i + 1];

		if (lint_is_own(x) && x->layer == y->layer && x->match == y->match &&
		    strcmp(x->path, y->path) == 0 && x->effect != y->effect &&
		    (x->rights & y->rights))
			rc = warn_pair(l, x, y, "being the later pattern");
	}
	return rc;
}

int
lint_pairs(struct linter *l)
{
	int rc = pair_paths(l);

	return rc < 0 ? rc : pair_patterns(l);
}
