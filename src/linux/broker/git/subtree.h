/* SPDX-License-Identifier: MIT */
/*
 * Visits everything below a directory without recursion and with one fd, because a command decides how deep
 * its directories are nested. Does not follow links.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct subtree_entry {
	int folder;	   /* fd of the directory it is in */
	const char *below; /* path of that directory below the top: "" or "/a/b" */
	const char *name;
	bool is_folder;
};

/* Returned by a callback to visit the entries of a directory, too. */
#define SUBTREE_ENTER (-1)

/* Returns 0 to go on, SUBTREE_ENTER, or an errno that ends the walk and is its result. */
typedef int subtree_fn(void *context, const struct subtree_entry *entry);

/* Returns 0 or an errno: that of the callback, or of a directory that cannot be listed. */
int subtree_each(int top, subtree_fn *fn, void *context);

/* Joins path, the entry's directory and its name. Returns false if the result is longer than PATH_MAX. */
bool subtree_path(const char *path, const struct subtree_entry *entry, char *to, size_t room);
