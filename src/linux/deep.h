/* SPDX-License-Identifier: MIT */
/*
 * Names of folders that are longer than the kernel tells. Such a folder is reached by relative calls only. Its name
 * is put together from the last folder above it whose name the kernel tells, and the names on the way down.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Of a name; a folder further down has none. */
#define DEEP_MAX 65536

/* What a thread remembers of names that it told; all zero in the beginning. Only a guess: looked at again each time. */
#define DEEP_NAMES 16
struct deep {
	struct deep_folder {
		dev_t device;
		ino_t inode;
		size_t length; /* of the part of name that is this folder's */
		char *name;    /* NULL: nothing is remembered here */
	} folders[DEEP_NAMES];
	unsigned next;
};

/* To be freed. NULL with errno: ENAMETOOLONG, or why it cannot be told. deep may be NULL. */
char *deep_name(struct deep *deep, int folder);
/* Can the kernel not tell such a name, and opens nothing by it? */
bool deep_is(const char *path);
