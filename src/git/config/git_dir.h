/* SPDX-License-Identifier: MIT */
/*
 * Finds git directories outside the project that belong to it: of a linked worktree or a submodule.
 * A sandbox can write PROJECT/.git, so a directory counts only if it points back to exactly this
 * project.
 */
#pragma once

#include "base/arena.h"
#include "host/git_facts.h"

/*
 * Examines PROJECT/.git on the real file system. All members are NULL if it is no pointer file or
 * leads into the project. A pointer that cannot be confirmed sets only `refused` and is no error.
 */
int git_dir_find(struct arena *arena, const char *project, struct git_dirs *ret,
		 struct cordon_error *err);
