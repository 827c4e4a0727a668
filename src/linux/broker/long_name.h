/* SPDX-License-Identifier: MIT */
/*
 * Names of folders that are longer than the kernel tells. Such a folder is reached by relative calls only. Its name
 * is put together from the last folder above it whose name the kernel tells, and the names on the way down.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Of a name; a folder further down has none. */
#define DEEP_MAX 65536

/* What is remembered of names that were told. Only a guess: looked at again each time. */
#define DEEP_NAMES 32
struct long_names {
	pthread_mutex_t lock; /* for the rest, all zero in the beginning */
	struct long_name_dir {
		dev_t device;
		ino_t inode;
		char *name; /* NULL: nothing is remembered here */
	} folders[DEEP_NAMES];
	unsigned next;
};

/* To be freed. NULL with errno: ENAMETOOLONG, or why it cannot be told. deep may be NULL. */
char *long_name_name(struct long_names *deep, int folder);
/* Can the kernel not tell such a name, and opens nothing by it? */
bool long_name_is(const char *path);
