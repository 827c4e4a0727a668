/* SPDX-License-Identifier: MIT */
/*
 * The file system as planning sees it. The rules and the plan look at paths only through a view, so
 * that a test can describe a tree in a table and a macOS plan can be made on Linux.
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
	FS_HIDDEN, /* it may exist, but access is denied */
	FS_FAILED, /* the lookup failed; errno says why */
};

/* What execve does with a regular file. */
enum fs_start {
	FS_START_DATA,	 /* fails with ENOEXEC */
	FS_START_SCRIPT, /* starts an interpreter, which opens the file itself */
	FS_START_BINARY,
	FS_START_HIDDEN, /* the content cannot be read */
};

/* Returns non-zero to stop. kind is FS_OTHER if the listing does not tell. */
typedef int fs_entry_fn(void *context, const char *name, enum fs_kind kind);

struct fs_view {
	const void *ctx;
	/*
	 * Returns the kind of path without following it; for FS_LINK, link[PATH_MAX] is the target.
	 */
	enum fs_kind (*look)(const void *ctx, const char *path, char *link);
	/*
	 * Length of the prefix of an absolute path, up to a slash, known to be a directory with no
	 * link on the way. May be NULL.
	 */
	size_t (*plain)(const void *ctx, const char *path);
	/*
	 * Calls fn for each entry of a directory. Returns fn's last result, or -1 if it cannot be
	 * listed. NULL, as the two below, if the view does not know the contents of directories.
	 */
	int (*list)(const void *ctx, const char *folder, fs_entry_fn *fn, void *context);
	/* How a regular file begins, and whether its mode has an execute bit. */
	enum fs_start (*start)(const void *ctx, const char *path, bool *ret_is_executable);
	/* Do both paths name one inode? */
	bool (*same)(const void *ctx, const char *path, const char *other);
};

/* The kind of path, where the target of a link does not matter. */
enum fs_kind fs_kind_of(const struct fs_view *view, const char *path);

/* The real file system. */
extern const struct fs_view fs_real;
/*
 * The fixed part of any macOS: /, /private with etc, tmp and var, and the three links to them.
 * Every other path is FS_MISSING, which here means "not known".
 */
extern const struct fs_view fs_macos_minimal;

/*
 * A cache in front of another view, so that one plan looks at each path once and sees it in one
 * state. Valid only while a plan is being made.
 */
struct fs_cache {
	struct fs_view view; /* the view that uses the cache */
	const struct fs_view *of;
	struct arena arena;
	struct fs_cache_entry *slots; /* hash table; a slot without path is free */
	size_t count, room;
};

/* cache must not move while its view is in use. Never fails: at worst less is cached. */
void fs_cache_start(struct fs_cache *cache, const struct fs_view *of);
void fs_cache_end(struct fs_cache *cache);
/*
 * Adds what the other view answered for path, unless it is known. A link needs its target and is
 * not added.
 */
void fs_cache_add(struct fs_cache *cache, const char *path, enum fs_kind kind);
