/* SPDX-License-Identifier: MIT */
/*
 * Finds likely mistakes in a valid policy. Findings are about the texts as written, must be
 * certain, and never change a plan.
 */
#pragma once

#include "plan/plan.h"

enum severity { LINT_NOTE, LINT_WARNING };

struct lint_finding {
	enum severity severity;
	struct srcpos srcpos;
	const char *text; /* one line; never the value of a secret */
};

struct findings {
	struct lint_finding *items;
	size_t count;
};

/*
 * Checks every text of the plan, but not the installed profiles. The findings are sorted by source
 * position and live in the plan's arena.
 */
int lint_plan(struct plan *plan, struct findings *ret, struct cordon_error *err);
