/* SPDX-License-Identifier: MIT */
/*
 * Everything below a folder, without recursion and with one descriptor: a command decides how deep its
 * folders are. Links are not followed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct subtree_entry {
	int folder;	   /* the folder that it is in */
	const char *below; /* the path of that folder from the top: "" or "/a/b" */
	const char *name;
	bool is_folder;
};

/* What a callback returns to have the entries of a folder visited, too. */
#define SUBTREE_ENTER (-1)

/* 0: go on; SUBTREE_ENTER; an errno ends the walk and is its result. */
typedef int subtree_fn(void *context, const struct subtree_entry *entry);

/* 0 or an errno: the callback's, or of a folder that cannot be listed. */
int subtree_each(int top, subtree_fn *fn, void *context);

/* PATH, the entry's folder and its name in one text; false: it is longer than a path may be. */
bool subtree_path(const char *path, const struct subtree_entry *entry, char *to, size_t room);
