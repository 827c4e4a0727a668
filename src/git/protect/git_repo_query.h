/* SPDX-License-Identifier: MIT */
/* Compares a path with those that settings refer to. For git_repo_cache.c. No system calls. */
#pragma once

#include "git/config/git_repo.h"
#include "git/protect/git_repo_cache.h"

/* root: length of the directory below which no path may be redirected by a link. */
const struct protection *git_repo_query_find(const struct git_repo *one, struct git_repo_query *q,
					     size_t root);
/* Ignores case: right in casefold directories, and harmless elsewhere. */
size_t git_repo_query_below(const char *path, const char *root);
/* Is it the name of a hook? */
bool git_repo_query_is_hook(const char *name, size_t length);
extern const struct protection git_repo_unreadable;
/* The reason of one of these protections; NULL: it is none of them. */
const char *git_repo_query_reason(const char *pattern);
/* Is it the protection of a remote? That refuses only creation; removal is allowed. */
bool git_repo_query_is_remote(const struct protection *protection);
