/* SPDX-License-Identifier: MIT */
/* Walks everything below a directory, through the file system view of a plan. Not recursive. */
#pragma once

#include "host/fs_view.h"

enum fs_tree_next { FS_TREE_ENTER, FS_TREE_PASS, FS_TREE_STOP };

/* FS_TREE_PASS: do not enter this directory. */
typedef enum fs_tree_next fs_tree_fn(void *context, const char *path, enum fs_kind kind);

struct fs_tree {
	const struct fs_view *view;
	fs_tree_fn *fn;
	void *context;
	size_t left;	/* number of entries that may still be visited */
	bool is_hidden; /* a directory could not be listed, or a path was too long */
	bool is_out_of_memory;
	bool is_cut; /* more entries than the limit */
	bool is_stopped;
};

/* Calls fn for everything below root, without following links. The last four fields are results. */
void fs_tree_each(struct fs_tree *tree_walk, const char *root);
