/* SPDX-License-Identifier: MIT */
/*
 * Completes a decision by what git obeys or runs at a path, as the file system is now. The broker
 * and `why` use the same code.
 */
#pragma once

#include "base/path_set.h"
#include "plan/plan.h"

struct git_repo_cache;

struct git_protect {
	const struct plan *plan;
	struct git_repo_cache *hooks; /* NULL: settings are not read */
	const struct path_set *trees; /* the trees that can be changed */
};

/* Completes the verdict of the index for path, which is canonical. */
void git_protect_complete(const struct git_protect *in, const char *path, struct verdict *verdict);
/* The decision that will be enforced: the index, completed where a broker does that. */
int git_protect_decide(const struct plan *plan, const char *path, struct verdict *ret,
		       struct cordon_error *err);
/* Why the protection with this pattern, of the plan or of git, is there; NULL: there is none. */
const char *git_protect_reason(const struct plan *plan, const char *pattern);
/* Must creating path be serialised with other changes? */
bool git_protect_is_repo_marker(const char *path);
/* Is a component of path a name that git obeys in a repository? */
bool git_protect_has(const char *path);
