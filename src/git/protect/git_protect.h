/* SPDX-License-Identifier: MIT */
/*
 * The last word about a path: what git obeys or runs there, as it is on the file system now. Who enforces
 * and who explains ask the same.
 */
#pragma once

#include "base/path_set.h"
#include "plan/plan.h"

struct git_repo_cache;

struct git_protect {
	const struct plan *plan;
	struct git_repo_cache *hooks; /* NULL: settings are not looked at */
	const struct path_set *trees; /* that can be changed */
};

/* Completes what the index said about path, which is canonical. */
void git_protect_complete(const struct git_protect *in, const char *path, struct verdict *verdict);
/* What will be decided about path: the index and all this, where that is how it is enforced. */
int git_protect_decide(const struct plan *plan, const char *path, struct verdict *ret,
		       struct cordon_error *err);
/* Is path a name whose making must not be judged beside others'? */
bool git_protect_is_repo_marker(const char *path);
/* Is a component of path a name that git obeys in a repository? */
bool git_protect_has(const char *path);
