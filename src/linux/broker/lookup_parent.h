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

struct long_names;

enum lookup_follow {
	LOOKUP_NAME,  /* the name is made, removed or moved: a link is never followed */
	LOOKUP_KEEP,  /* a link as last component is meant itself, but for slashes behind it */
	LOOKUP_FOLLOW /* it is followed, also to where nothing is yet */
};

enum lookup_result {
	LOOKUP_FOUND,
	LOOKUP_ELSEWHERE, /* procfs, or a way that only the caller can go */
	LOOKUP_FAILED	  /* why is set */
};

struct dir_entry {
	int folder;	     /* held by O_PATH */
	char name[PATH_MAX]; /* what is done to in folder, as the caller wrote it: with slashes */
	char *path; /* of what is meant, canonical; may be longer than PATH_MAX (long_name.h) */
	bool is_folder_itself; /* "", ".", "..": name stands for a folder that is there */
	int why;
	struct long_names *deep; /* borrowed; NULL: none */
};

static inline void
auto_dir_entry_fn(const struct dir_entry *spot)
{
	if (spot->folder >= 0)
		close(spot->folder);
	free(spot->path);
}
#define auto_dir_entry __attribute__((cleanup(auto_dir_entry_fn)))

/*
 * base is borrowed, and so is what deep of the place points to: the rest of it is filled. folder and path of a place
 * that was found belong to the caller.
 */
enum lookup_result lookup_parent(int base, const char *path, enum lookup_follow follow,
				 struct dir_entry *place);
/*
 * Is the folder still where it was when path was found? To be asked while names are held: what is
 * judged is a path, and what is acted on is a folder. If not, as if it had been moved before: ENOENT.
 */
bool lookup_unchanged(const struct dir_entry *spot);
/*
 * The canonical name of what a descriptor holds, to be freed; NULL with errno when it has none any more, or
 * one that the kernel does not tell: ENAMETOOLONG.
 */
char *lookup_fd_name(int fd);
/*
 * The same for a folder, sooner, and however long it is: the calling thread, whose working folder must be its own,
 * goes there. deep may be NULL.
 */
char *lookup_dir_name(struct long_names *deep, int folder);
/* FOLDER/NAME without the slashes behind it, to be freed; NULL: no memory. */
char *lookup_join(const char *folder, const char *name);
/* Is it in procfs, where "self" is whoever looks? */
bool lookup_is_procfs(int fd);
