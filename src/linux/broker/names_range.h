/* SPDX-License-Identifier: MIT */
/*
 * The part of all names that a lock covers, as ranges of offsets in the lock file. A directory's range
 * contains those of all directories below it, by whatever mount or path they are named; directories side by
 * side have different ranges, or by chance the same one. So two sessions lock overlapping ranges if one of
 * the two paths, or a directory of the other, is at or below the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define NAMES_RANGES 6
/* Offsets from here on are free for other locks. */
#define NAMES_RANGE_END ((int64_t)1 << 62)

struct names_range {
	int64_t start, length;
	bool is_point; /* of a mount point: only renames above it matter, so it is always locked shared */
};

/* Sorted and disjoint. */
struct names_ranges {
	struct names_range at[NAMES_RANGES];
	size_t count;
};

struct mount_entry;

/* The mounts, which show where two paths lead to the same directory. Not shared by threads. */
struct names_mounts {
	int fd;		/* /proc/self/mountinfo; -1: not read */
	bool is_hidden; /* cannot be read: every range is the whole */
	struct arena arena;
	struct mount_entry *list;
	size_t count;
};

struct names_ranges names_range_whole(void);
/* Reads the mounts again if they changed. Returns true if so. */
bool names_range_refresh(struct names_mounts *mounts);
/* Replaces the mounts by the text of a mountinfo file; for tests. */
void names_range_read(struct names_mounts *mounts, const char *text);
/*
 * Adds the range of the directory that is the first length bytes of path, and of the mount points on the
 * way to path.
 */
void names_range_add(const struct names_mounts *mounts, const char *path, size_t length,
		     struct names_ranges *to);
/* Has the directory the same ranges for all paths below it? */
bool names_range_is_even(const struct names_mounts *mounts, const char *path, size_t length);
/* Does the first contain all of the second? */
bool names_range_contains(const struct names_ranges *ranges, const struct names_ranges *part);
/* Adds all of the second to the first. */
void names_range_join(struct names_ranges *to, const struct names_ranges *more);
void names_range_end(struct names_mounts *mounts);
