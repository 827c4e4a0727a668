/* SPDX-License-Identifier: MIT */
/*
 * Resolves paths. Symbolic links are followed by component and ".." goes to the real parent, as in
 * the kernel. macOS firmlinks are not links and stay as written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "host/fs_view.h"

#define RESOLVE_LINKS_MAX 40

struct resolved {
	const char *path;  /* absolute; without ".", "..", "//" and final "/" (except "/") */
	bool exists;	   /* false also for FS_HIDDEN */
	enum fs_kind kind; /* of path; never FS_LINK */
	/* Paths of the links that were followed, in that order. */
	const char *const *links;
	size_t link_count;
};

/*
 * path must be absolute. Missing names are kept as text, also below a file or a hidden directory,
 * and ".." removes them. Fails for a relative path, more than RESOLVE_LINKS_MAX links (err->sys
 * ELOOP) and a path beyond PATH_MAX (ENAMETOOLONG).
 */
int resolve_path(struct arena *arena, const struct fs_view *view, const char *path,
		 struct resolved *ret, struct cordon_error *err);
