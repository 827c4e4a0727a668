// SPDX-License-Identifier: MIT
/*
 * Grants execution by globs. The broker cannot start programs and Landlock has no patterns, so
 * each existing match gets a rule of its own. Later matches, and those of a glob that may match
 * anywhere, are not granted; `why` reports that.
 */
#include <string.h>

#include "base/path.h"
#include "host/fs_tree.h"
#include "plan/plan.h"

/* More entries are not visited; granting the directory is the better rule then. */
#define MATCHES_MAX 20000

struct matching {
	struct plan *plan;
	struct planned_rule glob; /* a copy: the array of patterns grows */
	size_t depth;		  /* of the deepest possible match, or SIZE_MAX */
	int rc;
	struct cordon_error *err;
};

/* Without "**" a glob matches at its own depth, which covers everything below. */
static size_t
deepest(const char *glob)
{
	return strstr(glob, "**") != NULL ? SIZE_MAX : path_depth(glob);
}

static enum fs_tree_next
add_match(void *context, const char *path, enum fs_kind kind)
{
	struct matching *matching = context;
	struct planned_rule planned = matching->glob;

	if (index_matches(&matching->glob, path) <= 0)
		return path_depth(path) < matching->depth ? FS_TREE_ENTER : FS_TREE_PASS;
	planned.path = planned.root =
		arena_strdup(&matching->plan->index.arena, path, matching->err);
	if (planned.path == NULL) {
		matching->rc = -CORDON_E_MEMORY;
		return FS_TREE_STOP;
	}
	planned.match = MATCH_SUBPATH;
	planned.rights &= RIGHT_READ | RIGHT_EXECUTE;
	planned.written = NULL;
	planned.exists = true;
	planned.is_folder = kind == FS_DIR;
	if (kind == FS_DIR || kind == FS_FILE)
		matching->rc = index_add(&matching->plan->index, &planned, matching->err);
	return matching->rc < 0 ? FS_TREE_STOP : FS_TREE_PASS;
}

int
plan_add_matches(struct plan *plan, const struct planned_rule *glob, struct cordon_error *err)
{
	struct matching matching = {.plan = plan,
				    .glob = *glob,
				    .depth = deepest(glob->path),
				    .err = err};
	struct fs_tree tree_walk = {.view = plan->host->view,
				    .fn = add_match,
				    .context = &matching,
				    .left = MATCHES_MAX};
	const struct srcpos *srcpos = &glob->rule->srcpos;

	if (glob->effect != EFFECT_ALLOW || !(glob->rights & RIGHT_EXECUTE) ||
	    strcmp(glob->root, "/") == 0 || plan->host->system != SYSTEM_LINUX ||
	    tree_walk.view->list == NULL)
		return 0;
	fs_tree_each(&tree_walk, matching.glob.root);
	if (matching.rc < 0 || tree_walk.is_out_of_memory)
		return tree_walk.is_out_of_memory ? cordon_no_memory(err) : matching.rc;
	if (tree_walk.is_cut)
		return cordon_fail_at(
			err, CORDON_E_PATH, srcpos->file, srcpos->line, srcpos->column,
			"\"%.80s\" grants execution, and takes matching more than %d files; name "
			"the folders",
			glob->rule->path, MATCHES_MAX);
	return 0;
}
