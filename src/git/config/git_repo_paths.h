/* SPDX-License-Identifier: MIT */
/*
 * Which repository was read by way of which path, so that a change of one name has only those read again that
 * it may concern. No system calls.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct git_repo_entry;

struct git_repo_path {
	const char *key; /* borrowed */
	struct git_repo_entry *root;
};

struct git_repo_paths {
	struct git_repo_path *items; /* sorted by their keys */
	size_t count, room;
};

/*
 * A path as it is compared. Letters of either case are the same; behind the first exact bytes a component
 * with others than ASCII ends it, because a folded name may be any other.
 */
void git_repo_paths_key(const char *path, size_t exact, char to[PATH_MAX]);
bool git_repo_paths_add(struct git_repo_paths *places, const char *key,
			struct git_repo_entry *root);
void git_repo_paths_remove(struct git_repo_paths *places, const char *key,
			   const struct git_repo_entry *root);

typedef void hookplaces_fn(void *context, struct git_repo_entry *root);
/* For each place that is above key, key itself, or below it. */
void git_repo_paths_each(const struct git_repo_paths *places, const char *key, hookplaces_fn *use,
			 void *context);
/* For each that is key or below it. */
void git_repo_paths_below(const struct git_repo_paths *places, const char *key, hookplaces_fn *use,
			  void *context);
