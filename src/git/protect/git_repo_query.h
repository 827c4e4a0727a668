/* SPDX-License-Identifier: MIT */
/* A path held against what settings name, for git_repo_cache.c and git_repo_query.c. No system calls. */
#pragma once

#include "git/config/git_repo.h"
#include "git/protect/git_repo_cache.h"

/* root: the length of the folder from which on nothing may come to lead elsewhere. */
const struct protection *git_repo_query_find(const struct git_repo *one, struct git_repo_query *q,
					     size_t root);
/* Where names are folded, another spelling is the same; elsewhere nobody needs it. */
size_t git_repo_query_below(const char *path, const char *root);
/* Is this what git calls a hook? */
bool git_repo_query_is_hook(const char *name, size_t length);
extern const struct protection hookask_unseen;
/* Only something new is refused there; what is there may go. */
bool git_repo_query_is_remote(const struct protection *protection);
