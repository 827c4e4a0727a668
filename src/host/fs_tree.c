// SPDX-License-Identifier: MIT
/* Walks a directory tree breadth first: directories are listed in the order in which they were found. */
#include "host/fs_tree.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"

struct fs_tree_walk {
	struct fs_tree *tree_walk;
	struct arena arena;
	const char **folders; /* all directories found */
	size_t count, next;   /* next: index of the one to list next */
	const char *folder;   /* the one being listed */
	char path[PATH_MAX];  /* of the current entry */
};

static void
add_folder(struct fs_tree_walk *d, const char *path)
{
	const char *copy = arena_strdup(&d->arena, path, NULL);
	const char **slot =
		copy == NULL ? NULL
			     : arena_push(&d->arena, &d->folders, &d->count, sizeof *slot, NULL);

	if (slot == NULL)
		d->tree_walk->is_out_of_memory = true;
	else
		*slot = copy;
}

static int
take_entry(void *context, const char *name, enum fs_kind kind)
{
	struct fs_tree_walk *d = context;
	struct fs_tree *tree_walk = d->tree_walk;
	char link[PATH_MAX];
	enum fs_tree_next next;

	if (tree_walk->left == 0)
		return tree_walk->is_cut = true;
	tree_walk->left--;
	if (snprintf(d->path, sizeof d->path, "%s/%s", strcmp(d->folder, "/") == 0 ? "" : d->folder,
		     name) >= (int)sizeof d->path) {
		tree_walk->is_hidden = true;
		return 0;
	}
	if (kind == FS_OTHER)
		kind = tree_walk->view->look(tree_walk->view->ctx, d->path, link);
	next = tree_walk->fn(tree_walk->context, d->path, kind);
	if (next == FS_TREE_ENTER && kind == FS_DIR)
		add_folder(d, d->path);
	return tree_walk->is_stopped = next == FS_TREE_STOP;
}

void
fs_tree_each(struct fs_tree *tree_walk, const char *root)
{
	struct fs_tree_walk d = {.tree_walk = tree_walk};

	add_folder(&d, root);
	while (d.next < d.count && !tree_walk->is_cut && !tree_walk->is_stopped) {
		d.folder = d.folders[d.next++];
		if (tree_walk->view->list(tree_walk->view->ctx, d.folder, take_entry, &d) < 0)
			tree_walk->is_hidden = true;
	}
	arena_free(&d.arena);
}
