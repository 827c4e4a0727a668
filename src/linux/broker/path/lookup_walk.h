/* SPDX-License-Identifier: MIT */
/* Shared by the lookup by openat2 (lookup.c) and the lookup by steps (lookup_steps.c). */
#pragma once

#include <sys/stat.h>

#include "linux/broker/lookup.h"
#include "linux/broker/notif.h"

#define LINKS_MAX 40 /* the kernel's limit */
#define NO_MAGIC_LINKS 0x02u
#define NO_SYMLINKS 0x04u

/* openat2 with O_PATH. */
int lookup_open(int base, const char *path, uint64_t flags, uint64_t resolve);
/* Closes the fds of to. Returns LOOKUP_ELSEWHERE for ELOOP, because there may be a magic link. */
enum lookup_result lookup_fail(struct lookup *to, int why);
/* Is the name "", "." or "..", with or without slashes after it? */
bool lookup_is_dots(const char *name);
/* Is a symbolic link as last name followed? */
bool lookup_follows(enum lookup_follow follow, const char *name);
/* fs.protected_symlinks: links of other users are not followed in a sticky world-writable directory. */
bool lookup_is_protected(int folder, const struct stat *link);
/* Sets what `want` requires; folder and name are set already. */
enum lookup_result lookup_end(struct lookup *to, enum lookup_want want);
/* Looks up name by name, where the result depends on the calling process. No fd of to is open yet. */
enum lookup_result lookup_by_steps(const struct notif_call *request, int base, const char *path,
				   enum lookup_want want, enum lookup_follow follow,
				   struct lookup *to);
