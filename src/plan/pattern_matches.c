// SPDX-License-Identifier: MIT
/*
 * Globs that grant running. No broker can start a program, and Landlock knows no patterns; so each
 * match that is there when the plan is made is granted by a rule of its own. A later one is not, nor
 * one of a glob that could match anywhere: `why` says that these are denied.
 */
#include <string.h>

#include "base/path.h"
#include "host/fs_tree.h"
#include "plan/plan.h"

/* More are not looked at: who means that many names a folder. */
#define MATCHES_MAX 20000

struct matching {
	struct plan *plan;
	struct planned_rule glob; /* a copy: the array of patterns grows */
	size_t depth;		  /* of the deepest path that it can match, or SIZE_MAX */
	int rc;
	struct cordon_error *err;
};

/* Without "**" a glob matches at its own depth, and everything below is covered by that. */
static size_t
deepest(const char *glob)
{
	return strstr(glob, "**") != NULL ? SIZE_MAX : path_depth(glob);
}

static enum below_next
add_match(void *context, const char *path, enum fs_kind kind)
{
	struct matching *matching = context;
	struct planned_rule planned = matching->glob;

	if (index_matches(&matching->glob, path) <= 0)
		return path_depth(path) < matching->depth ? BELOW_ENTER : BELOW_PASS;
	planned.path = planned.root =
		arena_strdup(&matching->plan->index.arena, path, matching->err);
	if (planned.path == NULL) {
		matching->rc = -CORDON_E_MEMORY;
		return BELOW_STOP;
	}
	planned.match = MATCH_SUBPATH;
	planned.rights &= RIGHT_READ | RIGHT_EXECUTE;
	planned.written = NULL;
	planned.exists = true;
	planned.is_folder = kind == FS_DIR;
	if (kind == FS_DIR || kind == FS_FILE)
		matching->rc = index_add(&matching->plan->index, &planned, matching->err);
	return matching->rc < 0 ? BELOW_STOP : BELOW_PASS;
}

int
plan_add_matches(struct plan *plan, const struct planned_rule *glob, struct cordon_error *err)
{
	struct matching matching = {.plan = plan,
				    .glob = *glob,
				    .depth = deepest(glob->path),
				    .err = err};
	struct below below = {.view = plan->host->view,
			      .fn = add_match,
			      .context = &matching,
			      .left = MATCHES_MAX};
	const struct place *place = &glob->rule->place;

	if (glob->effect != EFFECT_ALLOW || !(glob->rights & RIGHT_EXECUTE) ||
	    strcmp(glob->root, "/") == 0 || plan->host->system != SYSTEM_LINUX ||
	    below.view->list == NULL)
		return 0;
	fs_tree_each(&below, matching.glob.root);
	if (matching.rc < 0 || below.is_out_of_memory)
		return below.is_out_of_memory ? cordon_no_memory(err) : matching.rc;
	if (below.is_cut)
		return cordon_fail_at(err, CORDON_E_PATH, place->file, place->line, place->column,
				      "\"%.80s\" grants running, and more than %d files would have "
				      "to be looked at for it; name the folders",
				      glob->rule->path, MATCHES_MAX);
	return 0;
}
