/* SPDX-License-Identifier: MIT */
/* Operations on absolute paths as text, by component: /project never matches /project2. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Is path equal to root or below it? Both are absolute, without trailing slash. */
bool path_below(const char *path, const char *root);
/* Number of components; 0 for "/". */
size_t path_depth(const char *path);
/* Last component; "" for "/". */
const char *path_last(const char *path);
/* DIR/NAME without a doubled slash; NULL sets err. */
char *path_join(struct arena *arena, const char *dir, const char *name, struct cordon_error *err);
/* The directory of path: "/" for "/x" and for "/", "." for a name without a slash. */
char *path_parent(struct arena *arena, const char *path, struct cordon_error *err);
