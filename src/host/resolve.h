/* SPDX-License-Identifier: MIT */
/*
 * Where a path leads. Symbolic links are followed component by component and ".." is taken against
 * the real parent, as the kernel does it; firmlinks are no symbolic links and stay as written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "host/fs_view.h"

#define RESOLVE_LINKS_MAX 40

struct resolved {
	const char *path;  /* absolute; no ".", "..", "//" or final "/" ("/" itself stays) */
	bool exists;	   /* path was seen; false also for what is FS_HIDDEN */
	enum fs_kind kind; /* of path; never FS_LINK */
	/* Where each symbolic link that was followed lies, in the order of following. */
	const char *const *links;
	size_t link_count;
};

/*
 * path must be absolute. What does not exist is kept as text, and so is what stands below a file or
 * a hidden directory; ".." takes such a name back. Fails for a relative path, for more than
 * RESOLVE_LINKS_MAX links (err->sys ELOOP) and past PATH_MAX (ENAMETOOLONG).
 */
int resolve_path(struct arena *arena, const struct fs_view *view, const char *path,
		 struct resolved *ret, struct cordon_error *err);
