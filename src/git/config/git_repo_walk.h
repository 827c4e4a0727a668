/* SPDX-License-Identifier: MIT */
/*
 * Searches a directory tree for repositories, nearest directories first. Every directory is read,
 * so a search is expensive and limited.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct repositories {
	const char **roots; /* working trees and bare repositories */
	size_t count;
	bool is_whole; /* the search was complete */
};

/* Reads at most limit directories. Unreadable ones count as empty; other failures are errors. */
int git_repo_walk_find(struct arena *arena, const char *top, size_t limit,
		       struct repositories *ret);
/* Checks only the subdirectories of top, at most limit, without reading them. */
int git_repo_walk_beside(struct arena *arena, const char *top, size_t limit,
			 struct repositories *ret);
