/* SPDX-License-Identifier: MIT */
/* What the kernel's walk (lookup.c) and the walk by steps (lookup_steps.c) share. */
#pragma once

#include <sys/stat.h>

#include "linux/broker/lookup.h"
#include "linux/broker/notif.h"

#define LINKS_MAX 40 /* as the kernel */
#define NO_MAGIC_LINKS 0x02u
#define NO_SYMLINKS 0x04u

/* openat2 with O_PATH. */
int lookup_open(int base, const char *path, uint64_t flags, uint64_t resolve);
/* Closes the fds of to. Elsewhere for ELOOP: there may be a magic link. */
enum lookup_result lookup_fail(struct lookup *to, int why);
/* Is the name, with slashes or without, "", "." or ".."? */
bool lookup_is_dots(const char *name);
/* Is a link followed that is the last name? */
bool lookup_follows(enum lookup_follow follow, const char *name);
/* fs.protected_symlinks: links of other users are not followed in a sticky directory that all may write. */
bool lookup_is_protected(int folder, const struct stat *link);
/* Completes what is wanted, once folder and name are set. */
enum lookup_result lookup_end(struct lookup *to, enum lookup_want want);
/* Name by name, for what the kernel would look up for us instead of the caller. No fd of to is open yet. */
enum lookup_result lookup_by_steps(const struct notif_call *request, int base, const char *path,
				   enum lookup_want want, enum lookup_follow follow,
				   struct lookup *to);
