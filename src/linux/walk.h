/* SPDX-License-Identifier: MIT */
/*
 * Where a path of the caller leads: a folder that is held, and a last name in it. The name of the
 * folder is the kernel's own, so links, "..", and mounts are behind us when it is judged.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

enum walk_follow {
	WALK_NAME,  /* the name is made, removed or moved: a link is never followed */
	WALK_KEEP,  /* a link as last component is meant itself, but for slashes behind it */
	WALK_FOLLOW /* it is followed, also to where nothing is yet */
};

enum walk_end {
	WALK_FOUND,
	WALK_ELSEWHERE, /* procfs, or a way that only the caller can go */
	WALK_FAILED	/* why is set */
};

struct spot {
	int folder;	       /* held by O_PATH */
	char name[PATH_MAX];   /* what is done to in folder, as the caller wrote it: with slashes */
	char path[PATH_MAX];   /* of what is meant, canonical */
	bool is_folder_itself; /* "", ".", "..": name stands for a folder that is there */
	int why;
};

static inline void
auto_spot_fn(const struct spot *spot)
{
	if (spot->folder >= 0)
		close(spot->folder);
}
#define auto_spot __attribute__((cleanup(auto_spot_fn)))

/* base is borrowed. folder of a place that was found belongs to the caller. */
enum walk_end walk(int base, const char *path, enum walk_follow follow, struct spot *ret_place);
/*
 * Is the folder still where it was when path was found? To be asked while names are held: what is
 * judged is a path, and what is acted on is a folder. If not, as if it had been moved before: ENOENT.
 */
bool walk_is_still(const struct spot *spot);
/* The canonical name of what a descriptor holds; false when it has none any more. */
bool walk_name(int fd, char to[PATH_MAX]);
/*
 * The same for a folder, sooner: the calling thread, whose working folder must be its own, goes
 * there.
 */
bool walk_folder_name(int folder, char to[PATH_MAX]);
/* Is it in procfs, where "self" is whoever looks? */
bool walk_is_proc(int fd);
