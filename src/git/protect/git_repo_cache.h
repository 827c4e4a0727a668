/* SPDX-License-Identifier: MIT */
/*
 * What the settings of repositories inside the project name as git's, remembered for a moment, and
 * forgotten as soon as a folder or a name of git's changes. Threads share one; none of them waits while another
 * reads settings, only for the first look through the project.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct git_repo_cache;
struct host;
struct protection;

/* The length of the part of path that is root in any spelling; 0: it is not there or below it. */
typedef size_t below_fn(const char *path, const char *root);

/* below NULL: letters of either case are the same. */
struct git_repo_cache *git_repo_cache_new(below_fn *below);
struct git_repo_cache *git_repo_cache_free(struct git_repo_cache *memory);
/*
 * A folder moved from or to path, or a name of git's changed there. NULL: nobody knows where. has_settings: one
 * of those that are vetted whole.
 */
void git_repo_cache_changed(struct git_repo_cache *memory, const char *path, bool has_settings);

/* Settings were put into this git directory: what they name counts from now on. */
void git_repo_cache_settled(struct git_repo_cache *memory, const struct host *host,
			    const char *git_dir);

struct git_repo_query {
	const char *path; /* canonical; it is to be changed */
	size_t top;	  /* the length of the uppermost folder that can be changed; 0: none */
	bool is_link;	  /* it is to become one */
	bool is_delicate; /* a name that can make a repository, or change what one is */
	below_fn *below;  /* set to the memory's */
	size_t anchor;	  /* set to the length of the part of path that is closed */
};

/* Why path is closed, or could come to be; NULL: it is not. */
const struct protection *git_repo_cache_lookup(struct git_repo_cache *memory,
					       const struct host *host, struct git_repo_query *q);

/* Is a repository or what one includes at path, or below it? Who hides it could hide what it names. */
bool git_repo_cache_is_read(struct git_repo_cache *memory, const struct host *host,
			    const char *path);
