/* SPDX-License-Identifier: MIT */
/*
 * Paths that git's settings refer to: directories of hooks (core.hooksPath), templates, programs,
 * and included settings (include.path). Those that the command could write must not change.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "host/git_facts.h"

struct host;

/*
 * Finds those of the project's repository and of the user, including the environment: hooks
 * anywhere, and other paths in the project. husky's directories are skipped, since every install
 * rewrites them. Includes are followed whatever their condition.
 */
int git_ref_paths_find(struct arena *arena, const struct host *host, struct git_ref_paths *ret,
		       struct cordon_error *err);

/* Another repository. */
struct git_repo_dirs {
	const char *root;	/* its working tree, or git_dir */
	const char *git_dir;	/* of this working tree */
	const char *common_dir; /* the directory with the settings */
};

/* Finds those of one repository. If settings cannot be read, hook names are protected at least. */
int git_ref_paths_read(struct arena *arena, const struct host *host,
		       const struct git_repo_dirs *repo, struct git_ref_paths *ret,
		       struct cordon_error *err);

#define GIT_REF_WHY_HOOKS "git runs what lies in it (core.hooksPath)"
#define GIT_REF_WHY_PROGRAM "git runs it, as its settings say"
#define GIT_REF_WHY_SETTINGS "it is part of git's settings (include.path)"

/* Names of hooks, ended by NULL. */
extern const char *const git_hook_names[];

/* Is it an example of a hook, which git does not run, or the file as which rsync(1) receives one, .NAME.sample.XXXXXX? */
bool git_ref_paths_is_sample(const char *name);
