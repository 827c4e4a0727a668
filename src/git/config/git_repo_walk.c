// SPDX-License-Identifier: MIT
/*
 * Searches for repositories breadth first, never through a link or into .git. node_modules comes
 * last: it is most of a tree, and commands rarely run there.
 */
#include "git/config/git_repo_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "git/config/git_repo.h"

enum turn { TURN_FIRST, TURN_LAST, TURNS };

struct dir_queue {
	const char **items;
	size_t count, next;
};

struct repo_walk {
	struct arena arena; /* of the queued directories */
	size_t left;	    /* number of directories that may still be read */
	bool is_blind;	    /* some could not be read */
	struct dir_queue queues[TURNS];
	struct arena *to;
	struct repositories *found;
};

static int
store(struct arena *arena, const char ***items, size_t *count, const char *path)
{
	const char **slot = path == NULL ? NULL
					 : arena_push(arena, items, count, sizeof *slot, NULL);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = path;
	return 0;
}

/* /proc, /sys and /dev are endless and have no repositories; nor has .git. */
static bool
is_passed_over(const char *folder, const char *name)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0)
		return true;
	return strcmp(folder, "/") == 0 &&
	       (strcmp(name, "proc") == 0 || strcmp(name, "sys") == 0 || strcmp(name, "dev") == 0);
}

static int
put_off(struct repo_walk *w, enum turn turn, const char *folder, const char *name)
{
	struct dir_queue *queue;

	if (is_passed_over(folder, name))
		return 0;
	queue = &w->queues[strcmp(name, "node_modules") == 0 ? TURN_LAST : turn];
	/* one more than the limit shows that the search is incomplete */
	if (queue->count - queue->next > w->left)
		return 0;
	return store(&w->arena, &queue->items, &queue->count,
		     path_join(&w->arena, folder, name, NULL));
}

static int
look_into(struct repo_walk *w, enum turn turn, const char *folder, DIR *dir)
{
	const struct dirent *entry;
	bool has_git = false, has_head = false;
	int rc = 0;

	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		/* in a casefold directory another case is the same name */
		has_git = has_git || ascii_same(entry->d_name, ".git");
		has_head = has_head || ascii_same(entry->d_name, "HEAD");
		if (fd_is_dir_entry(dirfd(dir), entry))
			rc = put_off(w, turn, folder, entry->d_name);
	}
	if (rc == 0 && (has_git || (has_head && git_repo_is_repository(folder))))
		rc = store(w->to, &w->found->roots, &w->found->count,
			   arena_strdup(w->to, folder, NULL));
	return rc;
}

/* objects/ of a bare repository has many directories and no repositories. */
static bool
is_gits(struct repo_walk *w, const char *folder)
{
	const char *above;

	if (strcmp(path_last(folder), "objects") != 0)
		return false;
	above = path_parent(&w->arena, folder, NULL);
	return above != NULL && git_repo_is_repository(above);
}

/* Returns NULL with *ret_rc 0 if access is denied. */
static DIR *
open_folder(const char *folder, int *ret_rc)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	*ret_rc = errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -CORDON_E_SYSTEM : 0;
	if (dir == NULL && fd >= 0) {
		close(fd);
		*ret_rc = -CORDON_E_MEMORY;
	}
	return dir;
}

/* The owner can make it readable again, so it may hide something. */
static bool
is_own(const char *folder)
{
	struct stat at;

	return lstat(folder, &at) == 0 && at.st_uid == geteuid();
}

static int
visit(struct repo_walk *w, enum turn turn, const char *folder)
{
	int rc;
	DIR *dir = open_folder(folder, &rc);

	if (dir == NULL) {
		w->is_blind = w->is_blind || (errno == EACCES && is_own(folder));
		return rc;
	}
	rc = look_into(w, turn, folder, dir);
	closedir(dir);
	return rc;
}

static int
visit_all(struct repo_walk *w)
{
	for (;;) {
		enum turn turn = w->queues[TURN_FIRST].next < w->queues[TURN_FIRST].count
					 ? TURN_FIRST
					 : TURN_LAST;
		struct dir_queue *queue = &w->queues[turn];
		const char *folder;
		int rc;

		if (queue->next == queue->count)
			return 1;
		folder = queue->items[queue->next++];
		if (is_gits(w, folder))
			continue;
		if (w->left-- == 0)
			return 0;
		rc = visit(w, turn, folder);
		if (rc < 0)
			return rc;
	}
}

/* ---- subdirectories only ---- */

static bool
is_repository_in(int folder, const char *name, const char *path)
{
	char inner[NAME_MAX + 8];
	struct stat at;

	snprintf(inner, sizeof inner, "%s/.git", name);
	if (fstatat(folder, inner, &at, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	snprintf(inner, sizeof inner, "%s/HEAD", name);
	return fstatat(folder, inner, &at, AT_SYMLINK_NOFOLLOW) == 0 &&
	       git_repo_is_repository(path);
}

static int
look_beside(struct arena *arena, const char *top, DIR *dir, size_t limit, struct repositories *ret)
{
	const struct dirent *entry;
	int rc = 0;

	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		const char *path;

		if (is_passed_over(top, entry->d_name) || !fd_is_dir_entry(dirfd(dir), entry))
			continue;
		ret->is_whole = false;
		if (limit-- == 0)
			break;
		path = path_join(arena, top, entry->d_name, NULL);
		if (path == NULL || is_repository_in(dirfd(dir), entry->d_name, path))
			rc = store(arena, &ret->roots, &ret->count, path);
	}
	return rc;
}

int
git_repo_walk_beside(struct arena *arena, const char *top, size_t limit, struct repositories *ret)
{
	int rc;
	DIR *dir = open_folder(top, &rc);

	*ret = (struct repositories){.is_whole = dir != NULL};
	if (dir == NULL)
		return rc;
	rc = look_beside(arena, top, dir, limit, ret);
	closedir(dir);
	return rc;
}

/* ---- whole tree ---- */

int
git_repo_walk_find(struct arena *arena, const char *top, size_t limit, struct repositories *ret)
{
	struct repo_walk walk = {.left = limit, .to = arena, .found = ret};
	struct dir_queue *first = &walk.queues[TURN_FIRST];
	int rc;

	*ret = (struct repositories){0};
	rc = store(&walk.arena, &first->items, &first->count, top);
	if (rc == 0)
		rc = visit_all(&walk);
	ret->is_whole = rc == 1 && !walk.is_blind;
	arena_free(&walk.arena);
	return rc < 0 ? rc : 0;
}
