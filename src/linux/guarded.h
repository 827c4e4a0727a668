/* SPDX-License-Identifier: MIT */
/* Which trees the broker guards, for a plan that routes calls to it. */
#pragma once

#include "linux/landlock.h"

/* In arena. A tree that is not in the list is decided by the inner layer alone. */
int guarded_find(struct arena *arena, const struct plan *plan, struct guarded **ret_trees,
		 size_t *ret_count, struct cordon_error *err);
