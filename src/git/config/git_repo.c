// SPDX-License-Identifier: MIT
/*
 * Reads one directory: whether it is a working tree or a bare repository, its settings, and the
 * repositories nested in its git directory. Hooks of submodules and worktrees start in other
 * directories. Everything is read as git does; beyond a limit it fails.
 */
#include "git/config/git_repo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "git/config/git_config.h"
#include "git/config/git_scan.h"
#include "host/host.h"
#include "host/resolve.h"

#define KEPT_MAX 65536
#define POINTER_MAX (PATH_MAX + 16)

struct repo_read_state {
	struct arena arena; /* temporary: settings can be long, and little of them is kept */
	struct git_repo *to;
	const struct host *host;
	struct git_ref_texts waiting; /* directories of submodules still to be read */
	int left;		      /* number of directories that may still be read */
	bool is_blind;		      /* a directory could not be opened */
};

int
git_repo_mark_incomplete(struct arena *arena, const char *folder, struct git_ref_paths *to)
{
	struct git_ref_path *slot = arena_push(arena, &to->items, &to->count, sizeof *slot, NULL);

	if (slot == NULL || folder == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct git_ref_path){GIT_REF_UNKNOWN, arena_strdup(arena, folder, NULL), true};
	return slot->path == NULL ? -CORDON_E_MEMORY : 0;
}

static int
add_path(struct arena *arena, struct git_ref_texts *to, const char *path)
{
	const char **slot = arena_push(arena, &to->items, &to->count, sizeof *slot, NULL);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = arena_strdup(arena, path, NULL);
	return *slot == NULL ? -CORDON_E_MEMORY : 0;
}

static int
add_paths(struct arena *arena, struct git_ref_texts *to, const struct git_ref_texts *from)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->count; i++)
		rc = add_path(arena, to, from->items[i]);
	return rc;
}

/* Records where a path leads and the links on the way, all of which can change. */
static int
record_path(struct repo_read_state *l, const char *path)
{
	struct git_repo *to = l->to;
	struct resolved found;
	int rc;

	if (path == NULL)
		return -CORDON_E_MEMORY;
	if (resolve_path(&l->arena, &fs_real, path, &found, NULL) < 0)
		return add_path(&to->arena, &to->places, "/");
	rc = add_path(&to->arena, &to->places, found.path);
	for (size_t i = 0; rc == 0 && i < found.link_count; i++)
		rc = add_path(&to->arena, &to->places, found.links[i]);
	return rc;
}

bool
git_repo_has(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat at;

	return snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX &&
	       fstatat(AT_FDCWD, path, &at, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A dangling link may get a target later. */
static int
record_if_there(struct repo_read_state *l, const char *folder, const char *name)
{
	return git_repo_has(folder, name) ? record_path(l, path_join(&l->arena, folder, name, NULL))
					  : 0;
}

static int
read_hooks(struct repo_read_state *l, const struct git_repo_dirs *repo)
{
	struct git_repo *to = l->to;
	struct git_ref_paths found;

	if (git_ref_paths_read(&l->arena, l->host, repo, &found, NULL) < 0)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < found.count; i++) {
		struct git_ref_path *slot =
			arena_push(&to->arena, &to->dirs, &to->count, sizeof *slot, NULL);

		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = found.items[i];
		slot->path = arena_strdup(&to->arena, slot->path, NULL);
		if (slot->path == NULL)
			return -CORDON_E_MEMORY;
	}
	return add_paths(&to->arena, &to->places, &found.places);
}

/* Returns the path in a pointer file; folder if there is no such file; NULL: no memory. */
static const char *
follow(struct repo_read_state *l, const char *folder, const char *name, const char *word)
{
	struct arena *arena = &l->arena;
	const char *path = path_join(arena, folder, name, NULL), *line;
	struct cordon_error why = {0};
	struct gitconfig_text text;
	char *content;

	if (path == NULL)
		return NULL;
	if (fd_read_file(arena, path, POINTER_MAX, &content, &text.length, NULL, &why) < 0)
		return why.code == CORDON_E_MEMORY || git_scan_is_temporary(why.sys) ||
				       record_if_there(l, folder, name) < 0
			       ? NULL
			       : folder;
	text.text = content;
	if (record_path(l, path) < 0)
		return NULL;
	line = git_config_pointer(arena, word, &text, NULL);
	if (line == NULL)
		return folder;
	return *line == '/' ? line : path_join(arena, folder, line, NULL);
}

static int
read_repository(struct repo_read_state *l, const char *root, const char *git_dir)
{
	struct git_repo_dirs repo = {root, git_dir, git_dir};

	if (record_path(l, root) < 0 || record_path(l, git_dir) < 0)
		return -CORDON_E_MEMORY;
	repo.common_dir = follow(l, git_dir, "commondir", "");
	if (repo.common_dir == NULL ||
	    (repo.common_dir != git_dir && record_path(l, repo.common_dir) < 0))
		return -CORDON_E_MEMORY;
	return read_hooks(l, &repo);
}

bool
git_repo_is_repository(const char *folder)
{
	return git_repo_has(folder, "HEAD") &&
	       (git_repo_has(folder, "objects") || git_repo_has(folder, "commondir"));
}

bool
git_repo_holds_repository(int folder)
{
	struct stat at;

	return fstatat(folder, "HEAD", &at, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (fstatat(folder, "objects", &at, AT_SYMLINK_NOFOLLOW) == 0 ||
		fstatat(folder, "commondir", &at, AT_SYMLINK_NOFOLLOW) == 0);
}

bool
git_repo_is_plain(int folder)
{
	struct stat at;

	return fstatat(folder, ".git", &at, 0) < 0 && errno == ENOENT &&
	       fstatat(folder, "HEAD", &at, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

/* Queues a directory instead of recursing: a command may nest them without limit. */
static int
enqueue(struct repo_read_state *l, const char *folder)
{
	const char **slot =
		arena_push(&l->arena, &l->waiting.items, &l->waiting.count, sizeof *slot, NULL);

	if (slot == NULL || folder == NULL)
		return -CORDON_E_MEMORY;
	*slot = folder;
	return 0;
}

/* Reads a submodule. Names of submodules contain slashes, so other directories are entered. */
static int
read_module(struct repo_read_state *l, const char *path)
{
	if (!git_repo_is_repository(path))
		return enqueue(l, path);
	return read_repository(l, path, path) < 0
		       ? -CORDON_E_MEMORY
		       : enqueue(l, path_join(&l->arena, path, "modules", NULL));
}

/* Reads a worktree, whose hooks start in its working tree. */
static int
read_worktree(struct repo_read_state *l, const char *path)
{
	const char *pointer = follow(l, path, "gitdir", "");
	const char *root = pointer == NULL ? NULL : path_parent(&l->arena, pointer, NULL);

	return root == NULL ? -CORDON_E_MEMORY : read_repository(l, root, path);
}

/* Exceeding the limit is an error: a command could hide a repository among many. */
static int
read_each(struct repo_read_state *l, const char *folder,
	  int (*read)(struct repo_read_state *l, const char *path))
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int rc = 0;

	if (dir == NULL && git_scan_is_temporary(errno))
		return -CORDON_E_SYSTEM;
	l->is_blind = l->is_blind || (dir == NULL && errno != ENOENT && errno != ENOTDIR);
	if (dir != NULL)
		rc = record_path(l, folder);
	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
		const char *path;

		/* a submodule may be called ".x" */
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		path = path_join(&l->arena, folder, entry->d_name, NULL);
		rc = path == NULL || l->left-- == 0 ? -CORDON_E_MEMORY : read(l, path);
	}
	if (dir != NULL)
		closedir(dir);
	return rc;
}

/* Reads repositories nested in a git directory: their hooks may be in another working tree. */
static int
read_nested(struct repo_read_state *l, const char *folder)
{
	const char *git_dir = arena_strndup(&l->arena, folder, strlen(folder) - 1, NULL);
	const char *modules = git_dir == NULL ? NULL
					      : path_join(&l->arena, git_dir, "modules", NULL),
		   *worktrees = git_dir == NULL ? NULL
						: path_join(&l->arena, git_dir, "worktrees", NULL);
	struct git_ref_paths found;
	int rc = worktrees == NULL ? -CORDON_E_MEMORY : enqueue(l, modules);

	for (size_t i = 0; rc == 0 && i < l->waiting.count; i++)
		rc = read_each(l, l->waiting.items[i], read_module);
	if (rc == 0)
		rc = read_each(l, worktrees, read_worktree);
	if (rc < 0 || !l->is_blind)
		return rc;
	found = (struct git_ref_paths){.items = l->to->dirs, .count = l->to->count};
	rc = git_repo_mark_incomplete(&l->to->arena, path_parent(&l->arena, git_dir, NULL), &found);
	l->to->dirs = found.items;
	l->to->count = found.count;
	return rc;
}

static bool
has_nested(const char *git_dir)
{
	char path[PATH_MAX + 16];
	struct stat at;

	snprintf(path, sizeof path, "%s/modules", git_dir);
	if (stat(path, &at) == 0)
		return true;
	snprintf(path, sizeof path, "%s/worktrees", git_dir);
	return stat(path, &at) == 0;
}

static int
look(struct repo_read_state *l, const char *folder)
{
	char dot_git[PATH_MAX + 8];
	const char *git_dir = dot_git;
	struct stat at;

	snprintf(dot_git, sizeof dot_git, "%s/.git", strcmp(folder, "/") == 0 ? "" : folder);
	if (add_path(&l->to->arena, &l->to->places, folder) < 0)
		return -CORDON_E_MEMORY;
	if (stat(dot_git, &at) < 0) {
		if (record_if_there(l, folder, ".git") < 0)
			return -CORDON_E_MEMORY;
		return git_repo_is_repository(folder) ? read_repository(l, folder, folder) : 0;
	}
	if (!S_ISDIR(at.st_mode))
		git_dir = follow(l, folder, ".git", "gitdir: ");
	if (git_dir == NULL || read_repository(l, folder, git_dir) < 0 ||
	    record_if_there(l, git_dir, "modules") < 0 ||
	    record_if_there(l, git_dir, "worktrees") < 0)
		return -CORDON_E_MEMORY;
	if (has_nested(git_dir))
		l->to->nested_dir = arena_printf(&l->to->arena, NULL, "%s/", git_dir);
	return has_nested(git_dir) && l->to->nested_dir == NULL ? -CORDON_E_MEMORY : 0;
}

static void
run(struct git_repo *one, const struct host *host,
    int (*step)(struct repo_read_state *l, const char *folder))
{
	struct repo_read_state state = {.to = one, .host = host, .left = KEPT_MAX};

	one->is_failed = step(&state, one->folder) < 0;
	arena_free(&state.arena);
}

void
git_repo_read(struct git_repo *one, const struct host *host)
{
	run(one, host, look);
}

void
git_repo_read_nested(struct git_repo *one, const struct host *host)
{
	run(one, host, read_nested);
}

int
git_repo_read_dir(struct git_repo *one, const struct host *host, const char *root,
		  const char *git_dir)
{
	struct repo_read_state state = {.to = one, .host = host, .left = KEPT_MAX};
	int rc = read_repository(&state, root, git_dir);

	arena_free(&state.arena);
	return rc;
}

/* ---- around the directory ---- */

static int
add_part(struct arena *arena, const struct git_repo *from, const struct repo_part *part,
	 struct git_ref_paths *to)
{
	for (size_t i = 0; i < from->count; i++) {
		struct git_ref_path *slot;

		if (path_below(from->dirs[i].path, part->tree) == part->is_outside)
			continue;
		slot = arena_push(arena, &to->items, &to->count, sizeof *slot, NULL);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = from->dirs[i];
		slot->path = arena_strdup(arena, slot->path, NULL);
		if (slot->path == NULL)
			return -CORDON_E_MEMORY;
	}
	if (part->places != NULL && add_paths(arena, part->places, &from->places) < 0)
		return -CORDON_E_MEMORY;
	return from->is_failed ? -CORDON_E_MEMORY : 0;
}

int
git_repo_collect(struct arena *arena, const struct host *host, const struct repo_part *part,
		 struct git_ref_paths *to)
{
	struct git_repo one = {.folder = strdup(part->folder)}, kept = {0};
	int rc = -CORDON_E_MEMORY;

	if (one.folder != NULL) {
		git_repo_read(&one, host);
		rc = add_part(arena, &one, part, to);
	}
	if (rc == 0 && one.nested_dir != NULL) {
		kept.folder = strdup(one.nested_dir);
		if (kept.folder != NULL)
			git_repo_read_nested(&kept, host);
		rc = kept.folder == NULL ? -CORDON_E_MEMORY : add_part(arena, &kept, part, to);
	}
	git_repo_forget(&kept);
	git_repo_forget(&one);
	return rc;
}

/* git ignores repositories of other users, and their owner could block names in ours. */
static bool
is_trusted(const char *folder)
{
	char path[PATH_MAX];
	struct stat at;

	return snprintf(path, sizeof path, "%s/.git", strcmp(folder, "/") == 0 ? "" : folder) <
		       PATH_MAX &&
	       stat(path, &at) == 0 && (at.st_uid == geteuid() || at.st_uid == 0);
}

int
git_repo_read_parents(struct arena *arena, const struct host *host, struct git_ref_paths *to,
		      struct cordon_error *err)
{
	const char *common = host->git.common_dir, *folder = host->project;
	struct repo_part part = {.tree = host->project};
	int rc = 0;

	while (rc == 0 && strcmp(folder, "/") != 0) {
		part.folder = folder = path_parent(arena, folder, err);
		if (folder == NULL)
			return -CORDON_E_MEMORY;
		if (is_trusted(folder))
			rc = git_repo_collect(arena, host, &part, to);
	}
	if (rc == 0 && common != NULL && strcmp(path_last(common), ".git") == 0)
		common = path_parent(arena, common, err);
	part.folder = common;
	if (rc == 0 && host->git.common_dir != NULL)
		rc = common == NULL ? -CORDON_E_MEMORY : git_repo_collect(arena, host, &part, to);
	return rc < 0 ? cordon_fail(err, CORDON_E_SYSTEM, 0,
				    "cannot determine what git runs around %.120s: too many "
				    "repositories, or too little memory",
				    host->project)
		      : 0;
}

void
git_repo_forget(struct git_repo *one)
{
	free(one->folder);
	arena_free(&one->arena);
	*one = (struct git_repo){0};
}
