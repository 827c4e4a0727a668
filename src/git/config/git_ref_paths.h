/* SPDX-License-Identifier: MIT */
/*
 * What git obeys or runs because its settings say where it is: folders with hooks (core.hooksPath),
 * templates of new repositories, programs, and further files of settings (include.path). All that lies where a
 * command may write must stay as it is.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "host/git_facts.h"

struct host;

/*
 * Of the project's repository and of the user, whose environment is part of his settings: folders of hooks, and
 * what else lies in the project. None for husky's, which every install writes anew. Includes are followed
 * whatever their condition.
 */
int git_ref_paths_find(struct arena *arena, const struct host *host, struct git_ref_paths *ret,
		       struct cordon_error *err);

/* Another repository, by whatever way it was found. */
struct git_repo_dirs {
	const char *root;	/* its working tree, or git_dir */
	const char *git_dir;	/* the one of this working tree, */
	const char *common_dir; /* and the one with the settings */
};

/* Of this one, wherever it lies. What cannot be read closes at least the names of hooks. */
int git_ref_paths_read(struct arena *arena, const struct host *host,
		       const struct git_repo_dirs *repo, struct git_ref_paths *ret,
		       struct cordon_error *err);

#define GIT_REF_WHY_HOOKS "git runs what lies in it (core.hooksPath)"
#define GIT_REF_WHY_PROGRAM "git runs it, as its settings say"
#define GIT_REF_WHY_SETTINGS "it is part of git's settings (include.path)"

/* The names that git looks for, ended by NULL. */
extern const char *const git_hook_names[];

#define SAMPLE ".sample"

/* An example of a hook, which git does not run. */
bool git_ref_paths_is_sample(const char *name);
