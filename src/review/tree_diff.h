/* SPDX-License-Identifier: MIT */
/* Many trees at once, each held against another one: only what it has of its own is looked at. */
#pragma once

#include "review/tree_check.h"

struct compared {
	const char *base;   /* by any name; one that is none: everything is looked at */
	const char *tree;   /* likewise; one that is none is left out */
	const char *prefix; /* of its paths, "" or with a slash at the end */
	const char *from;   /* what names it */
};

/* By two questions. 1: all was told; 0: something cannot be read, and the rest was told. */
int tree_diff_check(const struct gitread *in, const struct compared *pairs, size_t count,
		    committed_fn *tell, void *sink);
