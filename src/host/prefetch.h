/* SPDX-License-Identifier: MIT */
/* Looks up paths in a second thread while the plan is made of earlier ones. */
#pragma once

#include "base/worker.h"
#include "host/fs_view.h"
#include "policy/model/model.h"

struct prefetch {
	struct worker worker;
	bool is_running;
	const struct fs_view *of;
	const struct rule *rules;
	size_t count;
	enum fs_kind *kinds;
};

/* Returns how many rules to plan before calling prefetch_end: all of them if no thread runs. */
size_t prefetch_start(struct prefetch *prefetch, const struct fs_cache *cache,
		      const struct rule *rules, size_t count);
/* Adds the results to cache, or drops them if NULL. Must always be called. */
void prefetch_end(struct prefetch *prefetch, struct fs_cache *cache);
