/* SPDX-License-Identifier: MIT */
/*
 * The repositories below a folder. Finding them costs a look into every folder, so it is done once for
 * what needs it, nearest folders first, and may end before all of them were seen.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct repositories {
	const char **roots; /* working trees and bare ones */
	size_t count;
	bool is_whole; /* there are no others */
};

/* Looks into at most limit folders. What cannot be read holds none; for want of anything else it fails. */
int git_repo_walk_find(struct arena *arena, const char *top, size_t limit,
		       struct repositories *ret);
/* Only those in the folder itself, of at most limit that are there: a look at each, not into it. */
int git_repo_walk_beside(struct arena *arena, const char *top, size_t limit,
			 struct repositories *ret);
