/* SPDX-License-Identifier: MIT */
/*
 * Recognises the processes of a session, wherever they are: two files of which the session's profile allows
 * one to be read and denies the other. No other profile does this, and no process can leave its profile.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "macos/sbpl/profile.h"

struct fingerprint {
	char folder[PATH_MAX]; /* canonical; "": none */
	char allowed[PATH_MAX];
	char denied[PATH_MAX];
};

/* Creates both files below state_dir, a directory of the user; id is the session's. */
int fingerprint_make(const char *state_dir, const char *id, struct fingerprint *ret_fingerprint,
		     struct cordon_error *err);
/*
 * Fills in the paths of an existing fingerprint without looking at the disk. Returns false if folder is too
 * long.
 */
bool fingerprint_at(const char *folder, struct fingerprint *ret_fingerprint);
/*
 * The same for the fingerprint that Zed makes for a terminal and names by a UUID: it takes for its processes those
 * that may read one of two folders and not the other. The editor makes and removes them.
 */
bool fingerprint_of_editor(const char *uuid, struct fingerprint *ret_fingerprint);
/* Has path the form of a fingerprint directory? */
bool fingerprint_is_one(const char *path);
/* Is one path allowed for the process and the other denied? False also if the process cannot be queried. */
bool fingerprint_matches(const struct fingerprint *fingerprint, pid_t pid);
/* Removes both files and the directory and clears the struct. Repeatable. */
void fingerprint_remove(struct fingerprint *fingerprint);
