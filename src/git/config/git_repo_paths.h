/* SPDX-License-Identifier: MIT */
/*
 * Which repository was read by way of which path, so that a change of one name has only those read again that
 * it may concern. No system calls.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct hookroot;

struct hookplace {
	const char *key; /* borrowed */
	struct hookroot *root;
};

struct hookplaces {
	struct hookplace *items; /* sorted by their keys */
	size_t count, room;
};

/*
 * A path as it is compared. Letters of either case are the same; behind the first exact bytes a component
 * with others than ASCII ends it, because a folded name may be any other.
 */
void hookplaces_key(const char *path, size_t exact, char to[PATH_MAX]);
bool hookplaces_add(struct hookplaces *places, const char *key, struct hookroot *root);
void hookplaces_remove(struct hookplaces *places, const char *key, const struct hookroot *root);

typedef void hookplaces_fn(void *context, struct hookroot *root);
/* For each place that is above key, key itself, or below it. */
void hookplaces_each(const struct hookplaces *places, const char *key, hookplaces_fn *use,
		     void *context);
/* For each that is key or below it. */
void hookplaces_below(const struct hookplaces *places, const char *key, hookplaces_fn *use,
		      void *context);
