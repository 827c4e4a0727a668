// SPDX-License-Identifier: MIT
/* Paths that git settings refer to, where an object that was not inspected is about to appear. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/path.h"
#include "git/config/git_repo.h"
#include "git/protect/git_repo_cache.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/long_name.h"

bool
git_refs_lead_to_remote(const struct broker *broker, const char *path)
{
	struct git_repo_query q = {.path = path,
				   .top = path_set_top(&broker->trees.changes, path),
				   .is_link = true,
				   .is_marker = broker_is_repo_marker(path)};

	return git_repo_cache_lookup(broker->hooks, broker->plan->host, &q) != NULL;
}

/* ---- new repositories ---- */

static bool
is_there(struct arena *arena, const char *folder, const char *name)
{
	const char *path = path_join(arena, folder, name, NULL);
	struct stat at;

	return path == NULL || fstatat(AT_FDCWD, path, &at, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Is there a file that was not inspected, because settings did not refer to it until now? */
static bool
holds_hooks(const struct notif_call *request, struct arena *arena, const struct git_ref_path *dir)
{
	bool found = false;

	if (dir->kind == GIT_REF_REMOTE)
		return false;
	if (dir->kind != GIT_REF_NAMES && dir->kind != GIT_REF_UNKNOWN)
		return dir->is_there &&
		       (broker_decide_own(request->broker, dir->path).rights & RIGHTS_CHANGE) != 0;
	for (size_t i = 0; dir->kind == GIT_REF_NAMES && git_hook_names[i] != NULL; i++)
		found = found || is_there(arena, dir->path, git_hook_names[i]);
	return found;
}

bool
git_refs_may_init(const struct notif_call *request, const char *folder, const char *git_dir)
{
	struct git_repo one = {0};
	bool may = request->broker->plan->host != NULL &&
		   git_repo_read_dir(&one, request->broker->plan->host, folder, git_dir) == 0;

	for (size_t i = 0; may && i < one.count; i++)
		may = !holds_hooks(request, &one.arena, &one.dirs[i]);
	git_repo_forget(&one);
	return may;
}

/* ---- settings that must stay readable ---- */

bool
git_refs_inside(const struct broker *broker, const char *folder)
{
	auto_arena struct arena arena = {0};
	struct git_ref_paths found = {0};
	bool is_at_home = broker->plan->host != NULL &&
			  git_repo_collect(&arena, broker->plan->host,
					   &(struct repo_part){folder, folder, true, NULL},
					   &found) == 0;

	for (size_t i = 0; is_at_home && i < found.count; i++)
		is_at_home = found.items[i].kind == GIT_REF_REMOTE;
	return is_at_home;
}

/* A file that may be removed and put back unchanged is not hidden further by this. */
static bool
is_plain_file(const struct notif_call *request, const char *path, mode_t kind)
{
	const unsigned both = RIGHT_CREATE | RIGHT_DELETE;
	struct verdict verdict;

	if (!S_ISREG(kind) || broker_is_repo_marker(path))
		return false;
	verdict = broker_decide(request, path);
	return verdict.vetted == NULL && (verdict.rights & both) == both;
}

/* Every directory in a git directory counts, whatever its name. */
static bool
is_gits(const struct notif_call *request, const char *path, mode_t kind)
{
	char folder[PATH_MAX];

	if (long_name_is(path))
		return true;
	snprintf(folder, sizeof folder, "%.*s", (int)(path_last(path) - path) - 1, path);
	return (strstr(path, "/.git/") != NULL || ascii_same(path_last(path), ".git") ||
		(*folder != '\0' && git_repo_is_repository(folder))) &&
	       !is_plain_file(request, path, kind);
}

bool
git_refs_are_read(const struct notif_call *request, const char *path, mode_t kind)
{
	return is_gits(request, path, kind) ||
	       git_repo_cache_is_read(request->broker->hooks, request->broker->plan->host, path);
}
