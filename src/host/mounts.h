/* SPDX-License-Identifier: MIT */
/*
 * The same files under other names: a folder that is mounted twice, or with what holds it. Rules
 * speak about paths, and a deny of one name would leave the others open; so it is said for each.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct mount {
	const char *device; /* MAJOR:MINOR, of the whole file system */
	const char *root;   /* what of it is mounted */
	const char *point;
};
/* Two names of one folder or file, of which the first is looked at as if it were the second. */
struct mount_twin {
	const char *at, *behind;
};
struct mounts {
	struct mount *list; /* in the order in which they were made */
	size_t count;
	struct mount_twin *twins; /* made by mounts_find_twins */
	size_t twin_count;
	bool has_twins;
};

/*
 * text is that of /proc/PID/mountinfo; lines that say something else are left out. None where no file
 * system is mounted twice.
 */
int mounts_read(struct arena *arena, const char *text, struct mounts *ret_mounts,
		struct cordon_error *err);
/*
 * All of file, for mounts_read; NULL where there is no such file, or it says of none. *ret_is_hidden: it is
 * there, and kept from us.
 */
int mounts_text(struct arena *arena, const char *file, const char **ret_text, bool *ret_is_hidden,
		struct cordon_error *err);
/* All places that have two names by mounts, each pair in both directions; found once. */
int mounts_find_twins(struct arena *arena, struct mounts *mounts, struct cordon_error *err);
/* Where path lies: the deepest, and of several at one place the last. NULL: nobody knows. */
const struct mount *mounts_of(const struct mounts *mounts, const char *path);
/*
 * Another name of path, which lies in from, by the mount to; NULL: none. *ret_is_above: not of path
 * itself, but all that is mounted there lies below path.
 */
int mounts_other_name(struct arena *arena, const struct mounts *mounts, const struct mount *from,
		      const struct mount *to, const char *path, const char **ret_name,
		      bool *ret_is_above, struct cordon_error *err);
