/* SPDX-License-Identifier: MIT */
/*
 * Folders that a pattern needs where they are. Moving "a" away takes what "a/secret" denies out of
 * its rule, for reading or for changing and moving back. macOS knows one operation for moving and
 * removing a folder, so there such folders can be emptied and not removed.
 */
#pragma once

#include "plan/plan.h"

struct glob;

/* A glob that says where such folders are: exactly there, or there and everywhere below. */
struct pattern_dir {
	const char *glob;
	bool below;
	bool nocase;
	const char *by; /* the pattern that needs them */
	const struct glob *compiled;
};
struct pattern_dirs {
	struct pattern_dir *items;
	size_t count;
};

/* Of every pattern that denies and every protected name. */
int pattern_dirs_make(struct arena *arena, const struct plan *plan, struct pattern_dirs *ret,
		      struct cordon_error *err);
/* The one that holds the folder called path, or NULL. */
const struct pattern_dir *pattern_dirs_find(const struct pattern_dirs *holds, const char *path);

/* The names of a glob between its slashes, each still quoted; "**" stands alone. */
int pattern_dirs_split_glob(struct arena *arena, const char *glob, const char *const **ret_names,
			    size_t *ret_count, struct cordon_error *err);
/* The folder that holds everything a regular expression can match; "/" when that is not plain. */
char *pattern_dirs_regex_root(struct arena *arena, const char *regex, struct cordon_error *err);
