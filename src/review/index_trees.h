/* SPDX-License-Identifier: MIT */
/*
 * Trees that an index names beside its entries (its extension TREE): git commits them without looking at the
 * entries below. A file that a command wrote need not have made them from these.
 */
#pragma once

#include "review/tree_check.h"

/* Tells what the trees of the index in this git directory have that those of the commit do not have. */
int index_trees_check(const struct gitread *in, const char *head, committed_fn *tell, void *sink);
