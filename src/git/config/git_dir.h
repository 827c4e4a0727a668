/* SPDX-License-Identifier: MIT */
/*
 * The git directories that belong to a project but lie outside of it: of a linked worktree and of a
 * submodule. PROJECT/.git is writable from inside a sandbox, so its word alone counts for nothing:
 * a directory is believed only when it points back to exactly this project.
 */
#pragma once

#include "base/arena.h"
#include "host/git_facts.h"

/*
 * Looks at PROJECT/.git on the real file system. No pointer file there, or one that leads into the
 * project itself: nothing to add, all NULL. A pointer that is not believed sets only refused and is
 * no error.
 */
int git_dir_find(struct arena *arena, const char *project, struct git_dirs *ret,
		 struct cordon_error *err);
