/* SPDX-License-Identifier: MIT */
/*
 * By which the processes of one session are known, however far they went: two files of its own, one
 * that its profile allows to be read and one that it denies. No other profile treats these two so,
 * and no process can take a profile off.
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

/* Below state_dir, which is the user's own; id is the session's. Both files exist afterwards. */
int fingerprint_make(const char *state_dir, const char *id, struct fingerprint *ret_fingerprint,
		     struct cordon_error *err);
/* The pair of a folder that was made before; nothing is looked at. False: the name is too long. */
bool fingerprint_at(const char *folder, struct fingerprint *ret_fingerprint);
/* Has path the form of such a folder? */
bool fingerprint_is_one(const char *path);
/* Does the process treat the two in opposite ways? One that cannot be asked does not. */
bool fingerprint_matches(const struct fingerprint *fingerprint, pid_t pid);
/* Removes both files and their folder. Repeatable; forgets them. */
void fingerprint_remove(struct fingerprint *fingerprint);
