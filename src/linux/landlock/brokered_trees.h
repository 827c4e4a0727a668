/* SPDX-License-Identifier: MIT */
/* Decides in which trees the broker decides about files. */
#pragma once

#include "linux/landlock/ruleset.h"

/* Fills an empty to, in arena. Outside its trees the inner layer decides alone. */
int brokered_trees_find(struct arena *arena, const struct plan *plan, struct brokered_trees *to,
			struct cordon_error *err);
