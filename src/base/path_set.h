/* SPDX-License-Identifier: MIT */
/* Many absolute paths, to be asked how another one lies to them. A question costs a search a folder. */
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
/* To be called after the last path_set_add, before any question. */
void path_set_sort(struct path_set *set);
bool path_set_has(const struct path_set *set, const char *path);
/* The length of the shortest that is path or above it; 0: there is none. */
size_t path_set_top(const struct path_set *set, const char *path);
/* Is path one of them, or below one? */
bool path_set_covers(const struct path_set *set, const char *path);
/* Is one of them path, or below it? */
bool path_set_is_in(const struct path_set *set, const char *path);
