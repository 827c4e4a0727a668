/* SPDX-License-Identifier: MIT */
/* Absolute paths as text. Component-wise, always: /project never matches /project2. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Is path equal to root or below it? Both absolute, without trailing slashes. */
bool path_below(const char *path, const char *root);
/* Number of components; "/" has none. */
size_t path_depth(const char *path);
/* Last component, "" for "/". */
const char *path_last(const char *path);
/* DIR/NAME without a doubled slash. */
char *path_join(struct arena *arena, const char *dir, const char *name, struct cordon_error *err);
/* The directory that holds path; "/" for "/x" and for "/", "." for a name without a slash. */
char *path_parent(struct arena *arena, const char *path, struct cordon_error *err);
