/* SPDX-License-Identifier: MIT */
/* Which trees the broker guards, for a plan that routes calls to it. */
#pragma once

#include "linux/landlock/ruleset.h"

/* Into an empty one, in arena. What is in none of its trees is decided by the inner layer alone. */
int brokered_trees_find(struct arena *arena, const struct plan *plan, struct brokered_trees *to,
			struct cordon_error *err);
