/* SPDX-License-Identifier: MIT */
/*
 * Trees cached in an index (extension TREE). git commits them without reading the entries, and an
 * index that a command wrote can name other trees.
 */
#pragma once

#include "review/tree_check.h"

/* Reports what the cached trees of the index contain beyond those of the commit. */
int index_trees_check(const struct git_run *in, const char *head, committed_fn *report, void *sink);
