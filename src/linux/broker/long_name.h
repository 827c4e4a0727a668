/* SPDX-License-Identifier: MIT */
/*
 * Paths of directories that are longer than PATH_MAX, which the kernel does not report. Such a directory is
 * reached by relative calls only. Its path is assembled from the last directory above it whose path the
 * kernel reports, and the names below that.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Limit of a path; a deeper directory has none. */
#define DEEP_MAX 65536

/* Cache of assembled paths. An entry is a hint and is checked at each use. */
#define DEEP_NAMES 32
struct long_names {
	bool has_own_folder;  /* each thread has its own working directory (CLONE_FS) */
	pthread_mutex_t lock; /* protects the rest; all zero initially */
	struct long_name_dir {
		dev_t device;
		ino_t inode;
		char *name; /* NULL: unused */
	} folders[DEEP_NAMES];
	unsigned next;
};

/*
 * Returns the path, which the caller frees. NULL with errno: ENAMETOOLONG, or why it cannot be found. deep
 * may be NULL.
 */
char *long_name_name(struct long_names *deep, int folder);
/*
 * The path of a directory as the kernel reports it, to be freed; NULL with errno. By the thread's working
 * directory, if it has its own: that takes a third of the time of reading procfs.
 */
char *long_name_path(const struct long_names *deep, int folder);
/* Is the path too long for the kernel to report or open? */
bool long_name_is(const char *path);
