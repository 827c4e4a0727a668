// SPDX-License-Identifier: MIT
/* Breadth first: directories are listed in the order in which they were found. */
#include "host/fs_tree.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"

struct fs_tree_walk {
	struct below *below;
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
		d->below->is_out_of_memory = true;
	else
		*slot = copy;
}

static int
take_entry(void *context, const char *name, enum fs_kind kind)
{
	struct fs_tree_walk *d = context;
	struct below *below = d->below;
	char link[PATH_MAX];
	enum below_next next;

	if (below->left == 0)
		return below->is_cut = true;
	below->left--;
	if (snprintf(d->path, sizeof d->path, "%s/%s", strcmp(d->folder, "/") == 0 ? "" : d->folder,
		     name) >= (int)sizeof d->path) {
		below->is_hidden = true;
		return 0;
	}
	if (kind == FS_OTHER)
		kind = below->view->look(below->view->ctx, d->path, link);
	next = below->fn(below->context, d->path, kind);
	if (next == BELOW_ENTER && kind == FS_DIR)
		add_folder(d, d->path);
	return below->is_stopped = next == BELOW_STOP;
}

void
fs_tree_each(struct below *below, const char *root)
{
	struct fs_tree_walk d = {.below = below};

	add_folder(&d, root);
	while (d.next < d.count && !below->is_cut && !below->is_stopped) {
		d.folder = d.folders[d.next++];
		if (below->view->list(below->view->ctx, d.folder, take_entry, &d) < 0)
			below->is_hidden = true;
	}
	arena_free(&d.arena);
}
