// SPDX-License-Identifier: MIT
/*
 * Path rules first: the decision is constant within a zone (a rule's path, its direct children, everything
 * deeper), so each zone is decided once, without patterns and protected names. Patterns follow in order; an
 * allow has no effect where a more trusted source denies. Protected names come last, except where the
 * user's rules name them.
 */
#include "macos/sbpl/rules.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"
#include "base/path.h"
#include "macos/sbpl/glob_regex.h"
#include "macos/sbpl/zones.h"

struct sbpl_rules_build {
	struct filters *in;
	const struct plan *plan;
	struct sbpl_rules *to;
	struct cordon_error *err;
	/* where a source's last rule denies, by source and right; NULL: not computed yet */
	const struct filter *denied[LAYER_COUNT][RIGHT_KINDS];
};

bool
sbpl_rules_is_dead_path(const char *path)
{
	/* firmlinks are seen by their short paths; /home and /net belong to the automounter */
	static const char *const roots[] = {"/System/Volumes/Data", "/home", "/net"};

	for (size_t i = 0; i < COUNT(roots); i++)
		if (path_below(path, roots[i]))
			return true;
	return false;
}

static int
add_line(struct sbpl_rules_build *m, struct sbpl_rules *to, struct sbpl_rule line)
{
	struct sbpl_rule *slot;

	if (line.filter == NULL)
		return cordon_no_memory(m->err);
	if (line.filter->kind == FILTER_NEVER || line.rights == 0)
		return 0;
	if (line.filter->kind == FILTER_ALWAYS)
		line.filter = path_filter_subpath(m->in, "/");
	slot = arena_push(m->in->arena, &to->items, &to->count, sizeof *slot, m->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = line;
	return 0;
}

/* ---- patterns ---- */

static int
pattern_filter(struct sbpl_rules_build *m, const struct planned_rule *rule,
	       const struct filter **ret)
{
	const struct srcpos *srcpos = &rule->rule->srcpos;
	const char *reason = NULL;

	*ret = rule->match == MATCH_GLOB ? glob_regex_glob(m->in, rule->path, PATTERN_BELOW, false)
					 : pcre_regex(m->in, rule->path, &reason);
	if (reason != NULL)
		return cordon_fail_at(m->err, CORDON_E_POLICY, srcpos->file, srcpos->line,
				      srcpos->column, "\"%.60s\" %s", rule->path, reason);
	return *ret == NULL ? cordon_no_memory(m->err) : 0;
}

/* The lines of one source alone, to find out where its last rule denies. */
static int
layer_lines(struct sbpl_rules_build *m, enum layer layer, struct sbpl_rules *ret)
{
	const struct index *index = &m->plan->index;
	int rc = zones_of_layer(m->in, index, layer, ret, m->err);

	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		struct sbpl_rule line = {.effect = rule->effect == EFFECT_DENY ? EFFECT_ALLOW
									       : EFFECT_DENY,
					 .rights = rule->rights};

		if (rule->layer != layer)
			continue;
		rc = pattern_filter(m, rule, &line.filter);
		if (rc == 0)
			rc = add_line(m, ret, line);
	}
	return rc;
}

/* Where the last rule of a source about a right denies. The lines are inverted: allow means denied. */
static int
layer_denies(struct sbpl_rules_build *m, enum layer layer, int right, const struct filter **ret)
{
	struct sbpl_rules lines = {0};
	int rc;

	if (m->denied[layer][right] == NULL) {
		rc = layer_lines(m, layer, &lines);
		if (rc < 0)
			return rc;
		for (int i = 0; i < RIGHT_KINDS; i++)
			m->denied[layer][i] = sbpl_rules_where(m->in, &lines, 1u << i, "/");
	}
	*ret = m->denied[layer][right];
	return *ret == NULL ? cordon_no_memory(m->err) : 0;
}

/* Where an allow of this source has no effect. */
static int
silence(struct sbpl_rules_build *m, enum layer layer, int right, const struct filter **ret)
{
	const struct filter *denied = NULL;
	int rc = 0;

	*ret = &filter_never;
	for (int above = LAYER_BUILTIN; rc == 0 && above < (int)layer; above++) {
		if (above == LAYER_PROFILE)
			continue;
		rc = layer_denies(m, (enum layer)above, right, &denied);
		if (rc == 0)
			*ret = path_filter_any(m->in, *ret, denied);
	}
	return rc;
}

/* Rights without such a place share one line. */
static int
add_allow(struct sbpl_rules_build *m, const struct planned_rule *rule, const struct filter *filter)
{
	const char *root = filter->kind == FILTER_REGEX ? filter->root : "/";
	struct sbpl_rule plain = {EFFECT_ALLOW, 0, filter};
	int rc = 0;

	for (int i = 0; rc == 0 && i < RIGHT_KINDS; i++) {
		const struct filter *unheard;

		if (!(rule->rights & (1u << i)))
			continue;
		rc = silence(m, rule->layer, i, &unheard);
		if (rc < 0)
			return rc;
		unheard = path_filter_within(m->in, unheard, root);
		if (unheard != NULL && unheard->kind == FILTER_NEVER)
			plain.rights |= 1u << i;
		else
			rc = add_line(m, m->to,
				      (struct sbpl_rule){
					      EFFECT_ALLOW, 1u << i,
					      path_filter_all(m->in, filter,
							      path_filter_not(m->in, unheard))});
	}
	return rc < 0 ? rc : add_line(m, m->to, plain);
}

static int
add_patterns(struct sbpl_rules_build *m)
{
	const struct index *index = &m->plan->index;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		const struct filter *filter;

		if (rule->rights == 0)
			continue;
		rc = pattern_filter(m, rule, &filter);
		if (rc < 0)
			return rc;
		rc = rule->effect == EFFECT_ALLOW
			     ? add_allow(m, rule, filter)
			     : add_line(m, m->to,
					(struct sbpl_rule){EFFECT_DENY, rule->rights, filter});
	}
	return rc;
}

/* ---- protected names ---- */

static const struct filter *
protection_filter(struct sbpl_rules_build *m, const struct protection *protection)
{
	enum pattern_end end = protection->self_only ? PATTERN_HERE : PATTERN_BELOW;
	const struct filter *filter = glob_regex_glob(m->in, protection->pattern, end, true);

	if (!protection->but_samples)
		return filter;
	return path_filter_all(m->in, filter, path_filter_not(m->in, glob_regex_samples(m->in)));
}

/* The paths at or below the protected name that a rule covers, without protected names further down. */
static const struct filter *
lifted_region(struct sbpl_rules_build *m, const struct protection *protection,
	      const struct planned_rule *rule)
{
	const struct filter *reach =
		rule->match == MATCH_LITERAL ? path_filter_literal(m->in, rule->path)
		: rule->match == MATCH_CHILD ? glob_regex_children(m->in, rule->path)
					     : path_filter_subpath(m->in, rule->path);

	if (protection->self_only)
		return rule->match == MATCH_CHILD ? &filter_never
						  : path_filter_literal(m->in, rule->path);
	return path_filter_all(
		m->in, reach,
		path_filter_not(m->in,
				glob_regex_glob_below(m->in, protection->pattern, rule->path)));
}

/* A rule lifts a protection by naming the protected path, where it has effect. */
static int
lifted(struct sbpl_rules_build *m, const struct protection *protection, int right,
       const struct filter **ret)
{
	const struct index *index = &m->plan->index;
	int rc = 0;

	*ret = &filter_never;
	for (size_t i = 0; rc == 0 && i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];
		const struct filter *region, *unheard;

		if (rule->effect != EFFECT_ALLOW || !(rule->rights & (1u << right)) ||
		    !index_rule_lifts(rule) ||
		    glob_match_longest(protection->glob, rule->path, true) == 0)
			continue;
		region = lifted_region(m, protection, rule);
		rc = silence(m, rule->layer, right, &unheard);
		if (rc < 0)
			return rc;
		unheard = path_filter_within(m->in, unheard, rule->path);
		region = path_filter_all(m->in, region, path_filter_not(m->in, unheard));
		*ret = path_filter_any(m->in, *ret, region);
	}
	return *ret == NULL ? cordon_no_memory(m->err) : rc;
}

/* The filters that deny one right. */
struct taking {
	const struct filter **items;
	size_t count;
	bool lifted; /* a rule lifts one of them */
};

static int
protect_right(struct sbpl_rules_build *m, const struct protection *protection,
	      const struct filter *filter, int right, struct taking *to)
{
	const struct filter *open, **slot;
	int rc = lifted(m, protection, right, &open);

	if (rc < 0)
		return rc;
	slot = arena_push(m->in->arena, &to->items, &to->count, sizeof *slot, m->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = path_filter_all(m->in, filter, path_filter_not(m->in, open));
	to->lifted = to->lifted || open->kind != FILTER_NEVER;
	return 0;
}

/* One line for all rights while none is lifted. */
static int
add_takings(struct sbpl_rules_build *m, struct taking *takings)
{
	unsigned together = 0;
	int rc = 0, any = -1;

	for (int r = 0; rc == 0 && r < RIGHT_KINDS; r++) {
		if (takings[r].count == 0)
			continue;
		if (!takings[r].lifted) {
			together |= 1u << r;
			any = r;
			continue;
		}
		rc = add_line(m, m->to,
			      (struct sbpl_rule){EFFECT_DENY, 1u << r,
						 path_filter_any_of(m->in, takings[r].items,
								    takings[r].count)});
	}
	if (rc < 0 || any < 0)
		return rc;
	return add_line(m, m->to,
			(struct sbpl_rule){EFFECT_DENY, together,
					   path_filter_any_of(m->in, takings[any].items,
							      takings[any].count)});
}

static int
add_protections(struct sbpl_rules_build *m)
{
	const struct protections *all = &m->plan->index.protections;
	struct taking takings[RIGHT_KINDS] = {{0}};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < all->count; i++) {
		const struct filter *filter = protection_filter(m, &all->items[i]);

		for (int r = 0; rc == 0 && r < RIGHT_KINDS; r++)
			if (RIGHTS_CHANGE & (1u << r))
				rc = protect_right(m, &all->items[i], filter, r, &takings[r]);
	}
	return rc < 0 ? rc : add_takings(m, takings);
}

/* ---- all lines ---- */

/* The order of neighbours with the same effect and rights does not matter: they become one line. */
static void
join_neighbours(struct filters *in, struct sbpl_rules *lines)
{
	size_t kept = 0, next;

	for (size_t first = 0; first < lines->count; first = next) {
		struct sbpl_rule line = lines->items[first];
		struct filter_list same = {0};

		for (next = first;
		     next < lines->count && lines->items[next].rights == line.rights &&
		     lines->items[next].effect == line.effect;
		     next++)
			path_filter_push(in, &same, lines->items[next].filter);
		line.filter = path_filter_any_of(in, same.items, same.count);
		lines->items[kept++] = line;
	}
	lines->count = kept;
}

int
sbpl_rules_make(struct filters *in, const struct plan *plan, const char *tmp,
		struct sbpl_rules *ret, struct cordon_error *err)
{
	struct sbpl_rules_build m = {.in = in, .plan = plan, .to = ret, .err = err};
	int rc;

	*ret = (struct sbpl_rules){0};
	rc = zones_of_plan(in, &plan->index, ret, err);
	if (rc == 0 && tmp != NULL)
		rc = add_line(&m, ret,
			      (struct sbpl_rule){EFFECT_ALLOW, RIGHTS_ALL,
						 path_filter_subpath(in, tmp)});
	if (rc == 0)
		rc = add_patterns(&m);
	if (rc == 0)
		rc = add_protections(&m);
	if (rc == 0)
		join_neighbours(in, ret);
	if (rc == 0 && in->failed)
		rc = cordon_no_memory(err);
	return rc;
}

/* Joins a run of lines with one effect to the filter of the lines before. */
static const struct filter *
join_run(struct filters *in, const struct filter *before, enum effect effect,
	 const struct filter *run)
{
	return effect == EFFECT_ALLOW ? path_filter_any(in, before, run)
				      : path_filter_all(in, before, path_filter_not(in, run));
}

const struct filter *
sbpl_rules_where(struct filters *in, const struct sbpl_rules *lines, unsigned right,
		 const char *root)
{
	const struct filter **run = arena_alloc(in->arena, (lines->count + 1) * sizeof *run, NULL);
	const struct filter *where = &filter_never;
	enum effect effect = EFFECT_ALLOW;
	size_t count = 0;

	in->failed = in->failed || run == NULL;
	for (size_t i = 0; run != NULL && i < lines->count; i++) {
		const struct sbpl_rule *line = &lines->items[i];

		if (!(line->rights & right))
			continue;
		if (line->effect != effect) {
			where = join_run(in, where, effect, path_filter_any_of(in, run, count));
			count = 0;
			effect = line->effect;
		}
		run[count++] = path_filter_within(in, line->filter, root);
	}
	return run == NULL ? NULL : join_run(in, where, effect, path_filter_any_of(in, run, count));
}
