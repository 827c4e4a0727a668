/* SPDX-License-Identifier: MIT */
/*
 * The rules of a plan as lines in which the last one that matches decides, right by right: what
 * Seatbelt can be told. Who may overrule whom is settled here, by asking the engine that decides
 * everywhere else; a line knows nothing of layers and trust.
 */
#pragma once

#include "macos/sbpl/path_filter.h"
#include "plan/plan.h"

struct sbpl_rule {
	enum effect effect;
	unsigned rights;
	const struct filter *filter;
};
struct sbpl_rules {
	struct sbpl_rule *items;
	size_t count;
};

/*
 * Everything the plan's rules and protected names say. tmp, which may be NULL, is granted whole
 * after the paths and before patterns and protected names. An expression that Seatbelt cannot say is
 * -CORDON_E_POLICY with its place.
 */
int sbpl_rules_make(struct filters *in, const struct plan *plan, const char *tmp,
		    struct sbpl_rules *ret, struct cordon_error *err);
/* Where right holds by these lines, for paths at or below root. */
const struct filter *sbpl_rules_where(struct filters *in, const struct sbpl_rules *lines,
				      unsigned right, const char *root);
/* Spellings that macOS never gives a path, whatever is there: a filter on them is dead. */
bool sbpl_rules_is_dead_path(const char *path);
