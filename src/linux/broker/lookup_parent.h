/* SPDX-License-Identifier: MIT */
/*
 * Where a path of the caller leads: a folder that is held, and a last name in it. The name of the
 * folder is the kernel's own, so links, "..", and mounts are behind us when it is judged.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct deep;

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
	int folder;	     /* held by O_PATH */
	char name[PATH_MAX]; /* what is done to in folder, as the caller wrote it: with slashes */
	char *path; /* of what is meant, canonical; may be longer than PATH_MAX (long_name.h) */
	bool is_folder_itself; /* "", ".", "..": name stands for a folder that is there */
	int why;
	struct deep *deep; /* borrowed; NULL: none */
};

static inline void
auto_spot_fn(const struct spot *spot)
{
	if (spot->folder >= 0)
		close(spot->folder);
	free(spot->path);
}
#define auto_spot __attribute__((cleanup(auto_spot_fn)))

/*
 * base is borrowed, and so is what deep of the place points to: the rest of it is filled. folder and path of a place
 * that was found belong to the caller.
 */
enum walk_end walk(int base, const char *path, enum walk_follow follow, struct spot *place);
/*
 * Is the folder still where it was when path was found? To be asked while names are held: what is
 * judged is a path, and what is acted on is a folder. If not, as if it had been moved before: ENOENT.
 */
bool walk_is_still(const struct spot *spot);
/*
 * The canonical name of what a descriptor holds, to be freed; NULL with errno when it has none any more, or
 * one that the kernel does not tell: ENAMETOOLONG.
 */
char *walk_name(int fd);
/*
 * The same for a folder, sooner, and however long it is: the calling thread, whose working folder must be its own,
 * goes there. deep may be NULL.
 */
char *walk_folder_name(struct deep *deep, int folder);
/* FOLDER/NAME without the slashes behind it, to be freed; NULL: no memory. */
char *walk_join(const char *folder, const char *name);
/* Is it in procfs, where "self" is whoever looks? */
bool walk_is_proc(int fd);
