// SPDX-License-Identifier: MIT
/*
 * A stack of directories to list, each as the length of its parent's path and a name. The last one is taken
 * first, so its parent's path is still a prefix of the current path.
 */
#include "linux/broker/git/subtree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/seccomp/syscalls.h"

#define NO_SYMLINKS 0x04u

struct waiting {
	size_t parent; /* length of its path */
	const char *name;
};

struct subtree {
	struct arena arena;
	struct waiting *items;
	size_t count, room;
	int top;
	char path[PATH_MAX]; /* of the current directory, below the top */
};

bool
subtree_path(const char *path, const struct subtree_entry *entry, char *to, size_t room)
{
	return (size_t)snprintf(to, room, "%s%s/%s", path, entry->below, entry->name) < room;
}

/* Not arena_push: the list shrinks, and an arena never frees. */
static bool
make_room(struct subtree *tree)
{
	size_t room = tree->room == 0 ? 16 : 2 * tree->room;
	struct waiting *items;

	if (tree->count < tree->room)
		return true;
	items = realloc(tree->items, room * sizeof *items);
	if (items == NULL)
		return false;
	tree->items = items;
	tree->room = room;
	return true;
}

static int
put_off(struct subtree *tree, const char *name)
{
	const char *copy = arena_strdup(&tree->arena, name, NULL);

	if (copy == NULL || !make_room(tree))
		return ENOMEM;
	tree->items[tree->count++] = (struct waiting){strlen(tree->path), copy};
	return 0;
}

static int
visit(struct subtree *tree, DIR *dir, subtree_fn *fn, void *context)
{
	const struct dirent *entry;
	int rc = 0;

	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
		struct subtree_entry one = {dirfd(dir), tree->path, entry->d_name,
					    fd_is_dir_entry(dirfd(dir), entry)};

		if (strcmp(one.name, ".") == 0 || strcmp(one.name, "..") == 0)
			continue;
		rc = fn(context, &one);
		if (rc == SUBTREE_ENTER)
			rc = one.is_folder ? put_off(tree, one.name) : 0;
	}
	return rc == 0 ? errno : rc;
}

static int
list(struct subtree *tree, subtree_fn *fn, void *context)
{
	const uint64_t how[3] = {O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, NO_SYMLINKS};
	int fd = (int)syscall(SYS_openat2, tree->top, *tree->path == '\0' ? "." : tree->path + 1,
			      how, sizeof how);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int rc = dir == NULL ? errno : visit(tree, dir, fn, context);

	if (dir != NULL)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return rc;
}

/* Makes the last stacked directory the current one. */
static bool
take_next(struct subtree *tree)
{
	const struct waiting *next = &tree->items[--tree->count];
	size_t room = sizeof tree->path - next->parent;

	return (size_t)snprintf(tree->path + next->parent, room, "/%s", next->name) < room;
}

int
subtree_each(int top, subtree_fn *fn, void *context)
{
	struct subtree *tree = calloc(1, sizeof *tree);
	int rc;

	if (tree == NULL)
		return ENOMEM;
	tree->top = top;
	rc = list(tree, fn, context);
	while (rc == 0 && tree->count > 0)
		rc = take_next(tree) ? list(tree, fn, context) : ENAMETOOLONG;
	arena_free(&tree->arena);
	free(tree->items);
	free(tree);
	return rc;
}
