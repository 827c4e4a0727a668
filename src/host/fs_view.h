/* SPDX-License-Identifier: MIT */
/*
 * The one view of a file system that planning has. Nothing in plan/ looks at a path in any other
 * way, so a test can describe a tree in a table and a macOS plan can be made on Linux.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum fs_kind {
	FS_MISSING,
	FS_FILE,
	FS_DIR,
	FS_LINK,
	FS_SOCKET,
	FS_OTHER,
	FS_HIDDEN, /* it may exist, but cannot be looked at */
	FS_FAILED, /* the machine could not say; errno is why */
};

/* What execve makes of a regular file. */
enum fs_start {
	FS_START_DATA,	 /* nothing: ENOEXEC */
	FS_START_SCRIPT, /* starts an interpreter, which has to open the file by itself */
	FS_START_BINARY,
	FS_START_HIDDEN, /* its content cannot be read */
};

/* Not 0: no further entry is wanted. kind is FS_OTHER where the listing does not tell. */
typedef int fs_entry_fn(void *context, const char *name, enum fs_kind kind);

struct fs_view {
	const void *ctx;
	/* The kind of path itself, not followed; FS_LINK puts its target in link[PATH_MAX]. */
	enum fs_kind (*look)(const void *ctx, const char *path, char *link);
	/*
	 * How much of an absolute path, up to a slash, is known to name a folder without any link
	 * on the way. NULL: never known.
	 */
	size_t (*plain)(const void *ctx, const char *path);
	/*
	 * Calls fn for each entry of a folder. What fn returned last, or -1: it cannot be listed.
	 * NULL, with the two below: the view does not know what lies in a folder, nor what is absent.
	 */
	int (*list)(const void *ctx, const char *folder, fs_entry_fn *fn, void *context);
	/* How a regular file begins, and whether its mode lets anybody execute it. */
	enum fs_start (*start)(const void *ctx, const char *path, bool *ret_is_executable);
	/* Are both names of one inode? */
	bool (*same)(const void *ctx, const char *path, const char *other);
};

/* This machine. */
extern const struct fs_view fs_real;
/*
 * A macOS of which only the fixed part is known: / and /private with etc, tmp and var, and the
 * three links to them. Every other path is FS_MISSING, which says "not known", not "absent".
 */
extern const struct fs_view fs_macos_minimal;

/*
 * A view that remembers what another one said, so that one plan looks at each path once, and sees
 * each path in one state only. For as long as a plan is being made: afterwards it would be stale.
 */
struct fs_memory {
	struct fs_view view; /* what to look through */
	const struct fs_view *of;
	struct arena arena;
	struct fs_seen *slots; /* a hash table; a slot without a path is free */
	size_t count, room;
};

/* memory must stay where it is while its view is in use. Never fails: at worst it remembers less. */
void fs_cache_start(struct fs_memory *memory, const struct fs_view *of);
void fs_cache_end(struct fs_memory *memory);
/* What the other view said about path, unless it is known already. Of a link it is not enough. */
void fs_cache_tell(struct fs_memory *memory, const char *path, enum fs_kind kind);
