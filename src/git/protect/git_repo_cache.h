/* SPDX-License-Identifier: MIT */
/*
 * Caches which paths the settings of repositories in the project refer to, for a moment or until a
 * directory or a name of git changes. Shared by threads. The lock is not held while settings are
 * read; threads wait only for the first search of the project.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct git_repo_cache;
struct host;
struct protection;

/* Length of the part of path that is root, ignoring case where the directory does, or 0. */
typedef size_t below_fn(const char *path, const char *root);

/* below NULL: case is always ignored. */
struct git_repo_cache *git_repo_cache_new(below_fn *below);
struct git_repo_cache *git_repo_cache_free(struct git_repo_cache *memory);
/*
 * A directory was moved from or to path, or a name of git changed there. NULL: anywhere.
 * has_settings: the name is a settings file.
 */
void git_repo_cache_changed(struct git_repo_cache *memory, const char *path, bool has_settings);

/* Settings were written to this git directory and count from now on. */
void git_repo_cache_settled(struct git_repo_cache *memory, const struct host *host,
			    const char *git_dir);

struct git_repo_query {
	const char *path; /* canonical; about to be changed */
	size_t top;	  /* length of the topmost directory that can be changed; 0: none */
	bool is_link;	  /* it will be a link */
	bool is_marker;	  /* a name that can make or change a repository */
	below_fn *below;  /* set to the cache's */
	size_t anchor;	  /* set to the length of the protected part of path */
};

/* Returns why path is, or could become, protected, or NULL. */
const struct protection *git_repo_cache_lookup(struct git_repo_cache *memory,
					       const struct host *host, struct git_repo_query *q);

/* Is a repository or an included file at path or below? Moving it could hide what it refers to. */
bool git_repo_cache_is_read(struct git_repo_cache *memory, const struct host *host,
			    const char *path);
