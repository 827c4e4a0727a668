/* SPDX-License-Identifier: MIT */
/* Everything below a folder, through the view of a plan. Memory is used for folders, no recursion. */
#pragma once

#include "host/fs_view.h"

enum below_next { BELOW_ENTER, BELOW_PASS, BELOW_STOP };

/* BELOW_PASS: what is in this entry is not wanted. */
typedef enum below_next below_fn(void *context, const char *path, enum fs_kind kind);

struct below {
	const struct fs_view *view;
	below_fn *fn;
	void *context;
	size_t left;	/* entries that may still be looked at */
	bool is_hidden; /* something could not be looked at: not listed, or too long a path */
	bool is_out_of_memory;
	bool is_cut; /* there are more entries than that */
	bool is_stopped;
};

/* root is not handed to fn. The last four fields are the result. Links are not followed. */
void fs_tree_each(struct below *below, const char *root);
