/* SPDX-License-Identifier: MIT */
/* Looking at many paths while others are planned. */
#pragma once

#include "base/worker.h"
#include "host/fs_view.h"
#include "policy/model/model.h"

struct prefetch {
	struct worker worker;
	bool is_looking;
	const struct fs_view *of;
	const struct rule *rules;
	size_t count;
	enum fs_kind *kinds;
};

/*
 * Returns how many of the rules are to be planned before prefetch_end is called; all of them where
 * nobody looks ahead.
 */
size_t prefetch_start(struct prefetch *prefetch, const struct fs_memory *memory,
		      const struct rule *rules, size_t count);
/* What was seen goes to memory; NULL: nowhere. To be called in any case. */
void prefetch_end(struct prefetch *prefetch, struct fs_memory *memory);
