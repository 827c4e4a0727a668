// SPDX-License-Identifier: MIT
/*
 * Finds denied programs that can be executed anyway, because execution is granted around them and
 * the command can create programs there. Executing a file also lets its content be read out of the
 * process, so denies of reading count. Files that execve refuses are harmless: data, a file without
 * x bit that the command cannot change, a script its interpreter cannot open.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "host/fs_tree.h"
#include "plan/exec_rules.h"

#define RUN (RIGHT_READ | RIGHT_EXECUTE)
#define MAKE (RIGHT_WRITE | RIGHT_CREATE)
/* More entries are not searched: this many take about a second. */
#define SEARCH_MAX 1000000
#define UNSEARCHED \
	" has too many entries to look for denied programs in, or some that cannot be read"
#define UNENFORCED                                                                                \
	" is denied, but programs beside it may be run: it could be executed, and so be read as " \
	"well"

/* rights: of the file, by the rules. */
static bool
is_program(const struct plan *plan, const char *path, unsigned rights)
{
	const struct fs_view *view = plan->host->view;
	bool is_executable;
	enum fs_start start = view->start(view->ctx, path, &is_executable);

	if (!is_executable && !(rights & RIGHT_WRITE))
		return false;
	return start == FS_START_BINARY || start == FS_START_HIDDEN ||
	       (start == FS_START_SCRIPT && (rights & RIGHT_READ));
}

static bool
is_unenforced_file(const struct plan *plan, const char *path)
{
	unsigned rights = index_rights(&plan->index, path);

	return (rights & RUN) != RUN && is_program(plan, path, rights) &&
	       exec_rules_is_granted(plan, path);
}

bool
exec_gaps_is_unread_script(const struct plan *plan, const char *path)
{
	const struct fs_view *view = plan->host->view;
	bool is_executable;

	return !(index_rights(&plan->index, path) & RIGHT_READ) && view->start != NULL &&
	       view->start(view->ctx, path, &is_executable) == FS_START_SCRIPT;
}

/* Includes files that the command could turn into programs. */
bool
exec_gaps_is_unenforced(const struct plan *plan, const char *path)
{
	unsigned rights = index_rights(&plan->index, path);
	enum fs_kind kind = fs_kind_of(plan->host->view, path);

	if (plan->host->view->start == NULL || (rights & RIGHT_EXECUTE) ||
	    !exec_rules_is_granted(plan, path))
		return false;
	return (kind == FS_FILE && is_program(plan, path, rights)) ||
	       ((kind == FS_FILE || kind == FS_MISSING) && (rights & MAKE));
}

struct exec_search {
	const struct plan *plan;
	bool by_patterns; /* only files that a pattern denies */
	bool is_flat;	  /* only entries of the directory itself */
	bool is_out_of_memory;
	bool is_unsearched; /* found could not be searched */
	char found[PATH_MAX];
};

static bool
denies_running(const struct planned_rule *rule)
{
	return rule->effect == EFFECT_DENY && (rule->rights & RUN);
}

static bool
is_denied_by_pattern(const struct index *index, const char *path)
{
	for (size_t i = 0; i < index->pattern_count; i++)
		if (denies_running(&index->patterns[i]) &&
		    index_matches(&index->patterns[i], path) != 0)
			return true;
	return false;
}

static enum fs_tree_next
search_entry(void *context, const char *path, enum fs_kind kind)
{
	struct exec_search *search = context;

	if (kind == FS_FILE &&
	    (!search->by_patterns || is_denied_by_pattern(&search->plan->index, path)) &&
	    is_unenforced_file(search->plan, path)) {
		strcpy(search->found, path);
		return FS_TREE_STOP;
	}
	return search->is_flat ? FS_TREE_PASS : FS_TREE_ENTER;
}

/* Searches below root. An unreadable part counts as found. */
static bool
search_below(struct exec_search *search, const char *root)
{
	struct fs_tree tree_walk = {.view = search->plan->host->view,
				    .fn = search_entry,
				    .context = search,
				    .left = SEARCH_MAX};

	fs_tree_each(&tree_walk, root);
	search->is_out_of_memory = search->is_out_of_memory || tree_walk.is_out_of_memory;
	/* an outer cordon that prevents listing also prevents execution, or reported the gap */
	if (search->plan->facts.values[FACT_OUTER_CORDON])
		tree_walk.is_hidden = false;
	search->is_unsearched = !tree_walk.is_stopped && (tree_walk.is_cut || tree_walk.is_hidden);
	if (search->is_unsearched)
		snprintf(search->found, sizeof search->found, "%s", root);
	return tree_walk.is_stopped || tree_walk.is_cut || tree_walk.is_hidden;
}

/* ---- denies by path ---- */

/* Does the deny include execution, and can the command create a program there? */
static bool
is_made(const struct plan *plan, const struct planned_rule *rule, const char *path)
{
	unsigned rights = index_rights(&plan->index, path);

	return (rule->rights & RIGHT_EXECUTE) && !(rights & RIGHT_EXECUTE) && (rights & MAKE) &&
	       exec_rules_is_granted(plan, path);
}

static bool
is_unenforced_path(struct exec_search *search, const struct planned_rule *rule)
{
	const struct plan *plan = search->plan;
	/* under a mount's name it may be of another kind */
	enum fs_kind kind = fs_kind_of(plan->host->view, rule->path);
	char new[PATH_MAX + 4];

	snprintf(search->found, sizeof search->found, "%s", rule->path);
	snprintf(new, sizeof new, "%s/\001", strcmp(rule->path, "/") == 0 ? "" : rule->path);
	if (rule->match != MATCH_CHILD && kind != FS_DIR &&
	    (is_made(plan, rule, rule->path) ||
	     (kind == FS_FILE && is_unenforced_file(plan, rule->path))))
		return true;
	if (rule->match == MATCH_LITERAL || strlen(new) >= PATH_MAX)
		return false;
	if (is_made(plan, rule, new))
		return true;
	search->is_flat = rule->match == MATCH_CHILD;
	/* without a grant around it nothing new can be executed there */
	return kind == FS_DIR && exec_rules_is_granted(plan, new) &&
	       search_below(search, rule->path);
}

/* ---- denies by pattern ---- */

/*
 * Directories of the system are not searched, which would take a second at every start: profiles
 * grant them, and the command can create nothing there.
 */
static bool
is_searched(const struct plan *plan, const struct planned_rule *tree)
{
	struct tree_rights tree_rights = index_tree_rights(&plan->index, tree->path);

	/* executable trees below have rules of their own, and are searched by those */
	if (!(tree_rights.self & RIGHT_EXECUTE))
		return false;
	return tree->effect == EFFECT_ALLOW && !tree->is_absent && tree->exists &&
	       (tree->rights & RUN) &&
	       (!tree->rule->optional || (tree_rights.child & RIGHT_CREATE));
}

/* Can the pattern deny something in that tree? */
static bool
meets(const struct planned_rule *pattern, const char *tree)
{
	return denies_running(pattern) &&
	       (path_below(pattern->root, tree) || path_below(tree, pattern->root));
}

static bool
is_met(const struct index *index, const char *tree)
{
	for (size_t i = 0; i < index->pattern_count; i++)
		if (meets(&index->patterns[i], tree))
			return true;
	return false;
}

static bool
is_unenforced_in(struct exec_search *search, const char *tree)
{
	enum fs_kind kind = fs_kind_of(search->plan->host->view, tree);

	return search_entry(search, tree, kind) == FS_TREE_STOP ||
	       (kind == FS_DIR && search_below(search, tree));
}

/* Can a denied program be created, or anything be created anywhere? */
static bool
is_open_pattern(const struct index *index, const struct planned_rule *rule)
{
	unsigned both = RIGHT_EXECUTE | RIGHT_CREATE;

	return denies_running(rule) &&
	       (((rule->rights & RIGHT_EXECUTE) && (rule->rights & MAKE) != MAKE) ||
		(index->default_rights & both) == both);
}

static bool
find_by_pattern(struct exec_search *search)
{
	const struct index *index = &search->plan->index;
	const char *last = NULL;

	search->by_patterns = true;
	search->is_flat = false;
	for (size_t i = 0; i < index->pattern_count; i++) {
		snprintf(search->found, sizeof search->found, "%s", index->patterns[i].path);
		if (is_open_pattern(index, &index->patterns[i]))
			return true;
	}
	/* sorted by path: the rules below a tree follow it */
	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *tree = &index->paths[i];

		if ((last != NULL && path_below(tree->path, last)) || !is_met(index, tree->path) ||
		    !is_searched(search->plan, tree))
			continue;
		last = tree->path;
		if (is_unenforced_in(search, tree->path))
			return true;
	}
	return false;
}

/* ---- search ---- */

static bool
find_by_path(struct exec_search *search)
{
	const struct index *index = &search->plan->index;

	for (size_t i = 0; i < index->path_count; i++)
		if (denies_running(&index->paths[i]) &&
		    is_unenforced_path(search, &index->paths[i]))
			return true;
	return false;
}

int
exec_gaps_find(struct plan *plan, struct cordon_error *err)
{
	struct exec_search search = {.plan = plan};
	auto_str struct str text = {0};
	bool is_found;

	exec_rules_list(plan);
	plan->unenforced = NULL;
	if (plan->host->system != SYSTEM_LINUX || plan->host->view->list == NULL)
		return 0;
	is_found = find_by_path(&search) || find_by_pattern(&search);
	if (search.is_out_of_memory)
		return cordon_no_memory(err);
	if (!is_found)
		return 0;
	str_visible(&text, search.found);
	str_add(&text, search.is_unsearched ? UNSEARCHED : UNENFORCED);
	plan->unenforced = text.failed ? NULL : arena_strdup(&plan->arena, text.text, err);
	return plan->unenforced == NULL ? cordon_no_memory(err) : 0;
}
