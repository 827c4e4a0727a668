/* SPDX-License-Identifier: MIT */
/* Compares many pairs of trees at once and examines only the differences. */
#pragma once

#include "review/tree_check.h"

struct compared {
	const char *base;   /* any name; if it does not exist, everything counts as new */
	const char *tree;   /* any name; if it does not exist, the pair is skipped */
	const char *prefix; /* of its paths: "" or with a trailing slash */
	const char *from;   /* the file that names it */
};

/* Returns 1 if all was reported; 0 if a part could not be read. */
int tree_diff_check(const struct git_run *in, const struct compared *pairs, size_t count,
		    committed_fn *report, void *sink);
