/* SPDX-License-Identifier: MIT */
/*
 * Paths that a mount gives a second name, such as a bind mount. Rules are about paths, and a deny
 * of one name would leave the other open, so it is applied to both.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct mount {
	const char *device; /* MAJOR:MINOR of the file system */
	const char *root;   /* the directory of it that is mounted */
	const char *point;
};
/* Two paths of one file or directory; rules for `behind` also apply to `at`. */
struct mount_twin {
	const char *at, *behind;
};
struct mounts {
	struct mount *list; /* in mount order */
	size_t count;
	struct mount_twin *twins; /* filled by mounts_find_twins */
	size_t twin_count;
	bool has_twins;
};

/*
 * Parses the text of /proc/PID/mountinfo; malformed lines are skipped. The list stays empty if no
 * file system is mounted twice.
 */
int mounts_read(struct arena *arena, const char *text, struct mounts *ret_mounts,
		struct cordon_error *err);
/*
 * Reads file for mounts_read. NULL if it does not exist or no file system is mounted twice;
 * *ret_is_hidden: it exists but cannot be read.
 */
int mounts_text(struct arena *arena, const char *file, const char **ret_text, bool *ret_is_hidden,
		struct cordon_error *err);
/* Finds all pairs of paths that mounts make equal, in both directions; once. */
int mounts_find_twins(struct arena *arena, struct mounts *mounts, struct cordon_error *err);
/* Returns the mount of path: the deepest, and of several at one point the last; or NULL. */
const struct mount *mounts_of(const struct mounts *mounts, const char *path);
/*
 * Returns the name by mount `to` of path, which is in mount `from`, or NULL. *ret_is_above: the
 * name is of something below path.
 */
int mounts_other_name(struct arena *arena, const struct mounts *mounts, const struct mount *from,
		      const struct mount *to, const char *path, const char **ret_name,
		      bool *ret_is_above, struct cordon_error *err);
