/* SPDX-License-Identifier: MIT */
/*
 * Looks up a path for the caller: the object, or a directory and a name in it, as O_PATH fds. They are
 * decided about by canonical path, in which links, ".." and mounts are resolved.
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
	LOOKUP_OBJECT, /* the object */
	LOOKUP_NEW,    /* the object, or the name that can be created */
	LOOKUP_ENTRY   /* directory, name and canonical path, whether or not the object exists */
};

enum lookup_follow {
	LOOKUP_NAME, /* a link as last name is never followed: the name is created, removed or moved */
	LOOKUP_KEEP,  /* followed only if slashes follow */
	LOOKUP_FOLLOW /* followed, even if the target does not exist */
};

enum lookup_result {
	LOOKUP_FOUND,
	LOOKUP_ELSEWHERE, /* an entry in procfs, or that only the caller can reach */
	LOOKUP_FAILED	  /* why is set */
};

struct lookup {
	int object;	     /* O_PATH fd; -1: does not exist, or not requested */
	int folder;	     /* O_PATH fd; -1: not requested */
	char name[PATH_MAX]; /* in folder, as the caller wrote it, with slashes */
	char *path; /* canonical path of an entry; may be longer than PATH_MAX (long_name.h) */
	bool is_folder_itself;	 /* the name is "", "." or "..": an existing directory */
	bool is_proc;		 /* the object, or the directory of a missing one, is in procfs */
	bool by_steps;		 /* openat2 without magic links would not find it */
	int why;		 /* an errno */
	struct long_names *deep; /* not owned; NULL: none */
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
 * Fills ret_found, whose fds and path the calling function frees. base is used only for a relative path.
 * Only LOOKUP_ENTRY can return LOOKUP_ELSEWHERE; why is then the errno of a call on the entry.
 */
enum lookup_result lookup(const struct notif_call *request, int base, const char *path,
			  enum lookup_want want, enum lookup_follow follow,
			  struct lookup *ret_found);
/* The same by openat2 alone. LOOKUP_ELSEWHERE, with openat2's errno or ELOOP: look up by steps. */
enum lookup_result lookup_by_kernel(const struct notif_call *request, int base, const char *path,
				    enum lookup_want want, enum lookup_follow follow,
				    struct lookup *ret_found);
/*
 * Finds only the directory and the name, without checking whether the name exists or the directory is in
 * procfs. Returns false if lookup() must be used.
 */
bool lookup_new(int base, const char *path, struct lookup *ret_found);
/* LOOKUP_ENTRY for the caller's fd `folder`, or AT_FDCWD, and the path at `address` in its memory. */
enum lookup_result lookup_caller_path(const struct notif_call *request, int folder,
				      uint64_t address, enum lookup_follow follow,
				      struct lookup *ret_entry);
/* Finds the entry of an fd by its canonical path. Returns false if another object is there now. */
bool lookup_object_parent(int object, struct lookup *ret_entry);
/* Returns the fd that a path such as "/proc/self/fd/N" names; -1 for any other path. */
int lookup_caller_fd(const struct notif_call *request, uint64_t address);
int lookup_fd_in_path(const char *path);

/*
 * Does the directory of an entry still have the same path? If not, errno is ENOENT. Call it with names
 * locked: the path is decided about, but the call is made on the directory.
 */
bool lookup_unchanged(const struct lookup *entry);
/* Returns the canonical path of an fd, to be freed. NULL with errno ENOENT (none) or ENAMETOOLONG. */
char *lookup_fd_name(int fd);
/*
 * The same for a directory of any path length. May change the calling thread's working directory, if that
 * is its own. deep may be NULL.
 */
char *lookup_dir_name(struct long_names *deep, int folder);
/* Returns FOLDER/NAME without the slashes after it, to be freed; NULL: no memory. */
char *lookup_join(const char *folder, const char *name);
/* Is the fd in procfs, where "self" depends on the calling process? */
bool lookup_is_procfs(int fd);
