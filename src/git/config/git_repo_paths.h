/* SPDX-License-Identifier: MIT */
/*
 * Maps paths to the repositories that were read through them, so that a change of a name rereads
 * only those it may concern. No system calls.
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
	struct git_repo_path *items; /* sorted by key */
	size_t count, room;
};

/*
 * Writes path in the form that is compared: lower case; beyond the first exact bytes, cut before a
 * non-ASCII component, which may equal any other in a casefold directory.
 */
void git_repo_paths_key(const char *path, size_t exact, char to[PATH_MAX]);
bool git_repo_paths_add(struct git_repo_paths *places, const char *key,
			struct git_repo_entry *root);
void git_repo_paths_remove(struct git_repo_paths *places, const char *key,
			   const struct git_repo_entry *root);

typedef void git_repo_path_fn(void *context, struct git_repo_entry *root);
/* Calls use for each path above key, equal to it, or below it. */
void git_repo_paths_each(const struct git_repo_paths *places, const char *key,
			 git_repo_path_fn *use, void *context);
/* Calls use for each path equal to key or below it. */
void git_repo_paths_below(const struct git_repo_paths *places, const char *key,
			  git_repo_path_fn *use, void *context);
