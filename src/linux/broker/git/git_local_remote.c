// SPDX-License-Identifier: MIT
/*
 * Remotes on this machine. git runs hooks of a repository that it pushes to, and tries several names for
 * it: X/.git, X, X.git/.git and X.git, through links and "gitdir:" files (git's path.c, enter_repo). So the
 * command must not be able to change any of them. In a writable tree every repository that the command
 * creates is brokered, but a later checkout by the user is not: there the repository must exist, outside of
 * all working trees.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "git/config/git_repo.h"
#include "host/resolve.h"
#include "linux/broker/git/git_check.h"

#define GITFILES_MAX 4 /* git follows one */

struct remote {
	const struct notif_call *request;
	struct arena *arena;
};

/* Now, later, or by a checkout. In procfs the result depends on the process. */
static bool
is_changeable(const struct remote *r, const char *path)
{
	return path_below(path, "/dev") || path_below(path, "/proc") ||
	       broker_is_private_tmp(r->request->broker, path) ||
	       path_set_covers(&r->request->broker->trees.changes, path) ||
	       (broker_decide_own(r->request->broker, path).rights & RIGHTS_CHANGE) != 0;
}

static bool is_still(const struct remote *r, const char *path, int gitfiles);

/* A file in place of a directory: git follows a "gitdir:" file. Any other file has no hooks. */
static bool
is_still_file(const struct remote *r, const char *path, int gitfiles)
{
	static const char word[] = "gitdir: ";
	struct git_file file = {0};
	const char *line, *folder, *to;
	int why = git_install_read(AT_FDCWD, path, &file);

	if (why != 0 || file.length < sizeof word - 1 ||
	    memcmp(file.text, word, sizeof word - 1) != 0) {
		free(file.text);
		return why == 0 || why == EFBIG;
	}
	line = git_config_pointer(r->arena, word, &(struct gitconfig_text){file.text, file.length},
				  NULL);
	folder = path_parent(r->arena, path, NULL);
	free(file.text);
	if (line == NULL || folder == NULL)
		return false;
	to = *line == '/' ? line : path_join(r->arena, folder, line, NULL);
	return to != NULL && is_still(r, to, gitfiles - 1);
}

/* Is the command unable to change the target and the path to it? */
static bool
is_still(const struct remote *r, const char *path, int gitfiles)
{
	struct resolved found;

	if (gitfiles == 0 || resolve_path(r->arena, &fs_real, path, &found, NULL) < 0)
		return false;
	for (size_t i = 0; i < found.link_count; i++)
		if (is_changeable(r, found.links[i]))
			return false;
	return !is_changeable(r, found.path) &&
	       (found.kind != FS_FILE || is_still_file(r, found.path, gitfiles));
}

static bool
is_still_by_every_name(const struct remote *r, const char *path)
{
	static const char *const ends[] = {"/.git", "", ".git/.git", ".git"};
	bool still = true;

	for (size_t i = 0; still && i < sizeof ends / sizeof ends[0]; i++) {
		const char *name = arena_printf(r->arena, NULL, "%s%s", path, ends[i]);

		still = name != NULL && is_still(r, name, GITFILES_MAX);
	}
	return still;
}

/* Is there a repository above whose checkout could replace this one? */
static bool
is_in_working_tree(const struct remote *r, const char *path)
{
	size_t top = path_set_top(&r->request->broker->trees.changes, path);

	for (const char *above = path; strlen(above) > top && strcmp(above, "/") != 0;) {
		const char *marker;

		above = path_parent(r->arena, above, NULL);
		marker = above == NULL ? NULL : path_join(r->arena, above, ".git", NULL);
		if (marker == NULL || (git_repo_has(above, ".git") && !path_below(path, marker)))
			return true;
	}
	return false;
}

static bool
is_in_git(const char *path)
{
	return strstr(path, "/.git/") != NULL || strcmp(path_last(path), ".git") == 0;
}

static enum cause
refuse_changeable(const struct remote *r, const char *path)
{
	struct resolved found;

	if (resolve_path(r->arena, &fs_real, path, &found, NULL) < 0 || found.link_count > 0)
		return CAUSE_REMOTE_LINK;
	if (path_below(found.path, "/dev") ||
	    !broker_covers_own(r->request->broker, found.path, RIGHT_CREATE))
		return CAUSE_REMOTE_UNCHECKED;
	if (found.kind != FS_DIR ||
	    (!git_repo_has(found.path, ".git") && !git_repo_is_repository(found.path)))
		return CAUSE_REMOTE_MISSING;
	if (is_in_working_tree(r, found.path))
		return CAUSE_REMOTE_WORKTREE;
	/* one from the project's files was never inspected; below .git nothing is checked out */
	if (!is_in_git(found.path) && !git_repo_has(found.path, ".git") &&
	    !git_check_new_repo(r->request, found.path))
		return CAUSE_REMOTE_UNTRUSTED;
	return CAUSE_NONE;
}

/* Resolves relative to the working tree; another worktree would resolve it differently. */
static const char *
make_whole(const struct remote *r, const char *config, const char *text)
{
	const char *folder = path_parent(r->arena, config, NULL);

	if (folder == NULL || strcmp(path_last(config), "config") != 0 ||
	    strcmp(path_last(folder), ".git") != 0 || git_repo_has(folder, "worktrees"))
		return NULL;
	return arena_printf(r->arena, NULL, "%.*s%s", (int)(path_last(folder) - folder), folder,
			    text);
}

enum cause
git_local_remote_refuse(const struct notif_call *request, struct arena *arena, const char *config,
			const char *text)
{
	const struct remote r = {request, arena};
	const char *path = *text == '/' ? text : NULL;

	if (strcmp(text, ".") == 0)
		return CAUSE_NONE;
	if (strncmp(text, "../", 3) == 0)
		path = make_whole(&r, config, text);
	if (path == NULL)
		return CAUSE_REMOTE_RELATIVE;
	return is_still_by_every_name(&r, path) ? CAUSE_NONE : refuse_changeable(&r, path);
}

bool
git_local_remote_is_relative(const char *git_dir)
{
	auto_arena struct arena arena = {0};
	const char *path = path_join(&arena, git_dir, "config", NULL);
	struct git_file file = {0};
	struct gitconfig config = {0};
	bool has;

	if (path == NULL || !git_repo_has(git_dir, "config"))
		return path == NULL;
	has = git_install_read(AT_FDCWD, path, &file) != 0 ||
	      (git_config_parse(&arena, file.text, file.length, &config, NULL) == 1 &&
	       git_keys_has_relative_remote(&config));
	free(file.text);
	return has;
}
