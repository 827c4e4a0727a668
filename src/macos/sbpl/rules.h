/* SPDX-License-Identifier: MIT */
/*
 * The rules of a plan as lines of which the last match decides, separately for each right: the form that
 * Seatbelt evaluates. Precedence between sources is resolved here by the decision engine; lines know
 * nothing of sources and trust.
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
 * Makes lines for all rules and protected names. tmp, which may be NULL, is granted whole after the path
 * rules and before patterns and protected names. Fails with -CORDON_E_POLICY and the source position for an
 * expression that Seatbelt cannot express.
 */
int sbpl_rules_make(struct filters *in, const struct plan *plan, const char *tmp,
		    struct sbpl_rules *ret, struct cordon_error *err);
/* Returns the filter of paths at or below root where the lines allow right. */
const struct filter *sbpl_rules_where(struct filters *in, const struct sbpl_rules *lines,
				      unsigned right, const char *root);
/* Is it a spelling that no path has on macOS? A filter on it would never match. */
bool sbpl_rules_is_dead_path(const char *path);
