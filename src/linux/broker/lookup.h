/* SPDX-License-Identifier: MIT */
/*
 * Looks up a path for the caller: what is there, or a directory and a name in it. Both are O_PATH fds, and are decided
 * about by their canonical path, in which links, ".." and mounts are resolved.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

struct long_names;
struct notif_call;

enum lookup_want {
	LOOKUP_OBJECT, /* what is there */
	LOOKUP_NEW,    /* what is there, or else the name that can be created */
	LOOKUP_ENTRY   /* directory and name, whether or not it is there, and the canonical path */
};

enum lookup_follow {
	LOOKUP_NAME, /* a link as last name is never followed: the name is created, removed or moved */
	LOOKUP_KEEP,  /* it is followed only if slashes follow */
	LOOKUP_FOLLOW /* it is followed, also to where nothing is */
};

enum lookup_result {
	LOOKUP_FOUND,
	LOOKUP_ELSEWHERE, /* an entry in procfs, or one that only the caller can reach */
	LOOKUP_FAILED	  /* why is set */
};

struct lookup {
	int object;	     /* an O_PATH fd; -1: nothing is there, or it was not asked for */
	int folder;	     /* an O_PATH fd; -1: not asked for */
	char name[PATH_MAX]; /* in folder, as the caller wrote it: with slashes */
	char *path;	     /* of an entry: canonical; may be longer than PATH_MAX (long_name.h) */
	bool is_folder_itself; /* the name is "", "." or "..": a directory that is there */
	bool is_proc;	       /* the object, or the directory of what is not there, is in procfs */
	bool by_steps;	       /* openat2 without magic links would not have led here */
	int why;	       /* an errno */
	struct long_names *deep; /* borrowed; NULL: none */
};

static inline void
auto_lookup_fn(const struct lookup *found)
{
	if (found->object >= 0)
		close(found->object);
	if (found->folder >= 0)
		close(found->folder);
	free(found->path);
}
#define auto_lookup __attribute__((cleanup(auto_lookup_fn)))
#define LOOKUP_NONE                        \
	{                                  \
		.object = -1, .folder = -1 \
	}

/*
 * Fills ret_found, whose fds and path the calling function has to free. base is borrowed, and used only if path is
 * relative. Only LOOKUP_ENTRY can end elsewhere; why is then the errno that a call on it fails with.
 */
enum lookup_result lookup(const struct notif_call *request, int base, const char *path,
			  enum lookup_want want, enum lookup_follow follow,
			  struct lookup *ret_found);
/* The same by openat2 alone. Elsewhere: only a walk by steps can tell; why is what openat2 failed with, or ELOOP. */
enum lookup_result lookup_by_kernel(const struct notif_call *request, int base, const char *path,
				    enum lookup_want want, enum lookup_follow follow,
				    struct lookup *ret_found);
/*
 * Only the directory and the name, without looking whether the name is there or the directory is in procfs. False:
 * lookup() must tell.
 */
bool lookup_new(int base, const char *path, struct lookup *ret_found);
/* LOOKUP_ENTRY by the caller's fd `folder`, or AT_FDCWD, and the path at `address` of its memory. */
enum lookup_result lookup_caller_path(const struct notif_call *request, int folder,
				      uint64_t address, enum lookup_follow follow,
				      struct lookup *ret_entry);
/* The entry of an fd, by its canonical path, if it is still there. */
bool lookup_object_parent(int object, struct lookup *ret_entry);
/* The caller's fd that "/proc/self/fd/N" and the like name; -1: the path is no such text. */
int lookup_caller_fd(const struct notif_call *request, uint64_t address);
int lookup_fd_in_path(const char *path);

/*
 * Does the directory of an entry still have the path it had? To be checked while names are locked: the path is decided
 * about, but the call is made on the directory. If not, errno is ENOENT, as if it had been moved before.
 */
bool lookup_unchanged(const struct lookup *entry);
/* The canonical path of an fd, to be freed. NULL with errno: ENOENT if it was removed or never had one, or ENAMETOOLONG. */
char *lookup_fd_name(int fd);
/*
 * The same for a directory, faster, and of any length. The calling thread, whose working directory must be its own,
 * changes to it. deep may be NULL.
 */
char *lookup_dir_name(struct long_names *deep, int folder);
/* FOLDER/NAME without the slashes after it, to be freed; NULL: no memory. */
char *lookup_join(const char *folder, const char *name);
/* Is it in procfs, where "self" is the process that looks? */
bool lookup_is_procfs(int fd);
