/* SPDX-License-Identifier: MIT */
/*
 * What a person should hear about a policy that is valid but may not mean what it seems to.
 * Findings are about the written texts and never change a plan; only what is certain is claimed.
 */
#pragma once

#include "plan/plan.h"

enum severity { LINT_NOTE, LINT_WARNING };

struct lint_finding {
	enum severity severity;
	struct place place;
	const char *text; /* one line in words; never a secret's value */
};

struct findings {
	struct lint_finding *items;
	size_t count;
};

/*
 * Judges every text of the plan (not the installed profiles themselves), sorted by place. The
 * findings live in the plan's arena.
 */
int lint_plan(struct plan *plan, struct findings *ret, struct cordon_error *err);
