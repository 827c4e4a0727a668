/* SPDX-License-Identifier: MIT */
/* A sorted set of absolute paths. A lookup costs one binary search per component. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct path_set {
	const char **items; /* borrowed; sorted by path_set_sort */
	size_t count;
};

int path_set_add(struct path_set *set, struct arena *arena, const char *path,
		 struct cordon_error *err);
/* Call this after the last path_set_add and before any lookup. */
void path_set_sort(struct path_set *set);
bool path_set_has(const struct path_set *set, const char *path);
/* Length of the shortest member that is path or above it, or 0. */
size_t path_set_top(const struct path_set *set, const char *path);
/* Is path a member, or below one? */
bool path_set_covers(const struct path_set *set, const char *path);
/* Is a member equal to path, or below it? */
bool path_set_is_in(const struct path_set *set, const char *path);
