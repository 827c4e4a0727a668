// SPDX-License-Identifier: MIT
/*
 * Finds names that git obeys beyond the table of protected names. A bare repository can have any
 * name: any directory with HEAD and objects (or commondir) is one. Paths in settings are protected
 * wherever they are. Reads the real file system; changes nothing.
 */
#include "git/protect/git_protect.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/path.h"
#include "git/config/git_ref_paths.h"
#include "git/config/git_repo.h"
#include "git/config/git_sequencer.h"
#include "git/protect/git_repo_cache.h"
#include "git/protect/git_repo_query.h"
#include "host/descent.h"
#include "plan/shared_dirs.h"

#define REMOTE "it leads git to another repository"

#define VETTED(vetting, name, why)                                                          \
	{                                                                                   \
		.kind = PROTECT_VETTED, .vet = vetting, .pattern = name, .self_only = true, \
		.reason = why                                                               \
	}
#define PROTECTED(name, why)                                         \
	{                                                            \
		.kind = PROTECT_NAME, .pattern = name, .reason = why \
	}
static const struct protection of_config =
	VETTED(VET_CONFIG, "config", "its keys can start programs");
static const struct protection of_common =
	VETTED(VET_COMMONDIR, "commondir", "it leads git elsewhere");
static const struct protection of_folder = VETTED(VET_FOLDER, "hooks", "git runs what lies in it");
static const struct protection of_head =
	VETTED(VET_HEAD, "HEAD", "it makes a repository of its folder");
static const struct protection of_hook = PROTECTED("hooks/*", "git runs it");
static const struct protection of_remote = PROTECTED("remotes/*", REMOTE);
static const struct protection of_marker = PROTECTED(
	".git", "without it the next run would have the repository around for its project");
static const struct protection of_steps_folder =
	VETTED(VET_FOLDER, "rebase-merge", "git carries out what lies in it");
static const struct protection of_steps =
	VETTED(VET_STEPS, "git-rebase-todo", "git carries it out when a rebase goes on");
static const struct protection of_attributes =
	PROTECTED("info/attributes", "it can make git run filters");

/* Directly in a repository. */
static const struct {
	const char *name;
	const struct protection *protection;
} names[] = {
	{"config", &of_config},
	{"config.worktree", &of_config},
	{"commondir", &of_common},
	{"hooks", &of_folder},
	{"info", &of_folder},
	{"rebase-merge", &of_steps_folder},
	{"sequencer", &of_steps_folder},
	{"rebase-apply", &of_steps_folder},
};

/* ---- why ---- */

const char *
git_protect_reason(const struct plan *plan, const char *pattern)
{
	static const struct protection *const all[] = {&of_config,
						       &of_common,
						       &of_folder,
						       &of_head,
						       &of_hook,
						       &of_remote,
						       &of_marker,
						       &of_steps_folder,
						       &of_steps,
						       &of_attributes,
						       &protected_other_case,
						       &protected_long_path};
	const char *reason = protected_reason(&plan->index.protections, pattern);

	for (size_t i = 0; reason == NULL && i < sizeof all / sizeof all[0]; i++)
		if (strcmp(all[i]->pattern, pattern) == 0)
			reason = all[i]->reason;
	return reason != NULL ? reason : git_repo_query_reason(pattern);
}

/* ---- markers ---- */

static bool
is_head(const char *name)
{
	return ascii_same(name, "HEAD") || ascii_same(name, "objects");
}

bool
git_protect_is_repo_marker(const char *path)
{
	static const char *const more[] = {".git", ".gitmodules", "gitdir"};
	const char *name = path_last(path);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ascii_same(name, names[i].name))
			return true;
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		if (ascii_same(name, more[i]))
			return true;
	return is_head(name);
}

bool
git_protect_has(const char *path)
{
	static const char *const others[] = {".git",	 ".gitmodules", "gitdir",
					     "HEAD",	 "objects",	"remotes",
					     "branches", "modules",	"worktrees"};
	bool found = false;

	while (!found && *path != '\0') {
		size_t length = strcspn(path, "/");

		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
			found = found || (strlen(names[i].name) == length &&
					  ascii_same_n(path, names[i].name, length));
		for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
			found = found || (strlen(others[i]) == length &&
					  ascii_same_n(path, others[i], length));
		path += length + strspn(path + length, "/");
	}
	return found;
}

/* Does the rule apply to path, with a path at least as long as the protected part? */
static bool
is_by_name_of(const struct planned_rule *rule, const char *path, size_t anchor)
{
	return strcmp(rule->path, path) == 0 ||
	       (rule->match == MATCH_SUBPATH && strlen(rule->path) >= anchor &&
		path_below(path, rule->path));
}

/* Does a rule of the user name the protected part? Then it is allowed. */
static bool
is_named(const struct plan *plan, const char *path, size_t anchor)
{
	const struct index *index = &plan->index;

	for (size_t i = 0; i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_ALLOW &&
		    (index->paths[i].rights & RIGHT_WRITE) &&
		    index->paths[i].layer != LAYER_PROFILE &&
		    index->paths[i].layer != LAYER_PROJECT &&
		    is_by_name_of(&index->paths[i], path, anchor))
			return true;
	return false;
}

/* Are the first length bytes of path a repository? By path if it cannot be opened. */
static bool
is_repository_part(struct descent *d, size_t length)
{
	int folder = length == 0 ? -1 : descent_to(d, length);
	char path[PATH_MAX];

	if (length == 0 || (folder < 0 && errno == ENOENT))
		return false;
	if (folder >= 0)
		return git_repo_holds_repository(folder);
	memcpy(path, d->path, length);
	path[length] = '\0';
	return git_repo_is_repository(path);
}

/* Is a component of this name in a repository? *ret_rest is the path behind it. */
static bool
lies_in(const char *path, const char *component, const char **ret_rest)
{
	struct descent d = {.path = path, .fd = -1};
	size_t length = strlen(component);
	bool found = false;

	for (const char *at = strchr(path, '/'); !found && at != NULL; at = strchr(at + 1, '/')) {
		found = ascii_same_n(at + 1, component, length) && at[1 + length] == '/' &&
			is_repository_part(&d, (size_t)(at - path));
		if (found)
			*ret_rest = at + length + 2;
	}
	descent_end(&d);
	return found;
}

static void
take_away(struct verdict *verdict, const struct protection *protection)
{
	unsigned taken = git_repo_query_is_remote(protection) ? RIGHT_CREATE : RIGHTS_CHANGE;

	for (int i = 0; i < RIGHT_KINDS; i++)
		if (verdict->rights & taken & (1u << i))
			verdict->by[i] = (struct decision){.protection = protection};
	verdict->rights &= ~taken;
}

/*
 * Keeps the .git of a project inside another repository: without it the next run would take the
 * outer repository for its project. It can be changed, as vetted, but not removed.
 */
static void
protect_marker(const struct git_protect *in, const char *path, struct verdict *verdict)
{
	const char *marker = in->plan->host == NULL ? NULL : in->plan->host->project_marker;

	if (marker == NULL || !ascii_same(path, marker) || !(verdict->rights & RIGHT_DELETE) ||
	    is_named(in->plan, path, strlen(path)))
		return;
	verdict->rights &= ~(unsigned)RIGHT_DELETE;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (RIGHT_DELETE & (1u << i))
			verdict->by[i] = (struct decision){.protection = &of_marker};
}

static const struct protection *
find_below(const char *path)
{
	const char *rest;

	if (lies_in(path, "hooks", &rest) &&
	    !(strchr(rest, '/') == NULL && git_ref_paths_is_sample(rest)))
		return &of_hook;
	if (lies_in(path, "remotes", &rest) || lies_in(path, "branches", &rest))
		return &of_remote;
	if (lies_in(path, "info", &rest) && ascii_same(rest, "attributes"))
		return &of_attributes;
	if ((lies_in(path, "rebase-merge", &rest) || lies_in(path, "sequencer", &rest) ||
	     lies_in(path, "rebase-apply", &rest)) &&
	    git_sequencer_is_name(rest))
		return &of_steps;
	return NULL;
}

/*
 * Below modules/ a pattern cannot tell settings from a branch of that name, so the file system
 * decides.
 */
static bool
is_by_name(const struct protection *vetted)
{
	return vetted != NULL && strstr(vetted->pattern, "modules/**") == NULL;
}

/* HEAD or objects, if the other exists and this one does not. */
static const struct protection *
find_head(const struct plan *plan, const char *folder, const char *name)
{
	bool head = ascii_same(name, "HEAD");
	char config[PATH_MAX];

	/* where settings are vetted by name, the directory counts as a repository already */
	if (!is_head(name) || git_repo_has(folder, name) ||
	    (snprintf(config, sizeof config, "%s/config", folder) < PATH_MAX &&
	     is_by_name(index_decide(&plan->index, config).vetted)))
		return NULL;
	if (head ? git_repo_has(folder, "objects") || git_repo_has(folder, "commondir")
		 : git_repo_has(folder, "HEAD"))
		return &of_head;
	return NULL;
}

static const struct protection *
find_name(const struct plan *plan, const char *path)
{
	const char *name = path_last(path);
	char folder[PATH_MAX];
	size_t length = (size_t)(name - path) - 1;

	if (length == 0 || !git_protect_is_repo_marker(path))
		return NULL;
	memcpy(folder, path, length);
	folder[length] = '\0';
	/* together with HEAD it makes a repository */
	if (ascii_same(name, "commondir"))
		return git_repo_has(folder, "HEAD") ? &of_common : NULL;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ascii_same(name, names[i].name))
			return git_repo_is_repository(folder) ? names[i].protection : NULL;
	return find_head(plan, folder, name);
}

static void
drop_names(struct verdict *verdict, unsigned rights)
{
	rights &= verdict->rights;
	verdict->rights &= ~rights;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (rights & (1u << i))
			verdict->by[i] = (struct decision){.rule = NULL};
}

void
git_protect_complete(const struct git_protect *in, const char *path, struct verdict *verdict)
{
	const struct protection *protection;
	struct git_repo_query q = {.path = path, .is_marker = git_protect_is_repo_marker(path)};

	/* nothing below a vetted name, which is a directory then, is special */
	if (verdict->vetted != NULL && (!is_by_name(verdict->vetted) ||
					protected_anchor(verdict->vetted, path) != strlen(path)))
		verdict->vetted = NULL;
	protect_marker(in, path, verdict);
	drop_names(verdict, plan_unnamed(in->plan, path) | plan_unshared(in->plan, path, verdict));
	if (!(verdict->rights & RIGHTS_CHANGE))
		return;
	q.anchor = strlen(path);
	protection = verdict->vetted == NULL ? find_below(path) : NULL;
	if (protection == NULL) {
		/* nothing above the brokered trees can be changed */
		q.top = path_set_top(in->trees, path);
		protection = git_repo_cache_lookup(in->hooks, in->plan->host, &q);
	}
	if (protection == NULL && verdict->vetted == NULL)
		protection = find_name(in->plan, path);
	if (protection == NULL || is_named(in->plan, path, q.anchor))
		return;
	if (protection->kind == PROTECT_NAME)
		take_away(verdict, protection);
	else
		verdict->vetted = protection;
}

/* ---- for `why` ---- */

/* Files in /dev/shm are not devices, and a repository can be there. */
static bool
is_device(const char *path)
{
	return path_below(path, "/dev") && !path_below(path, "/dev/shm");
}

/* The trees that the broker will decide. */
static int
find_trees(struct arena *arena, const struct plan *plan, struct path_set *to,
	   struct cordon_error *err)
{
	const struct index *index = &plan->index;
	int rc = index->default_rights & RIGHTS_CHANGE ? path_set_add(to, arena, "/", err) : 0;

	for (size_t i = 0; rc == 0 && i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_ALLOW &&
		    (index->paths[i].rights & RIGHTS_CHANGE) && !is_device(index->paths[i].path))
			rc = path_set_add(to, arena, index->paths[i].path, err);
	/* rights from patterns alone are not granted by any layer */
	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++)
		if (index->patterns[i].effect == EFFECT_ALLOW &&
		    (index->patterns[i].rights & RIGHTS_CHANGE))
			rc = path_set_add(to, arena, index->patterns[i].root, err);
	path_set_sort(to);
	return rc;
}

int
git_protect_decide(const struct plan *plan, const char *path, struct verdict *ret,
		   struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	const struct spelling *spelling = plan->host->spelling;
	struct verdict verdict = spelling == NULL ? index_decide(&plan->index, path)
						  : spelling->decide(spelling, path);
	struct path_set trees = {0};
	struct git_protect in = {plan, NULL, &trees};

	if (plan->host->system == SYSTEM_LINUX && plan->host->view == &fs_real) {
		in.hooks = git_repo_cache_new(spelling == NULL ? NULL : spelling->below);
		if (in.hooks == NULL)
			return cordon_no_memory(err);
		if (find_trees(&arena, plan, &trees, err) < 0) {
			git_repo_cache_free(in.hooks);
			return -CORDON_E_MEMORY;
		}
		git_protect_complete(&in, path, &verdict);
		git_repo_cache_free(in.hooks);
	}
	*ret = verdict;
	return 0;
}
