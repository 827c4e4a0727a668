/* SPDX-License-Identifier: MIT */
/*
 * Directories that must not be moved for a pattern to work. Moving "a" away takes "a/secret" out
 * of the rule. macOS has one operation for moving and removing a directory, so there such
 * directories can be emptied but not removed.
 */
#pragma once

#include "plan/plan.h"

struct glob;

/* A glob for such directories: exactly there, or there and everywhere below. */
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

/* Collects them for every pattern that denies and every protected name. */
int pattern_dirs_make(struct arena *arena, const struct plan *plan, struct pattern_dirs *ret,
		      struct cordon_error *err);
/* Returns the entry that matches the directory path, or NULL. */
const struct pattern_dir *pattern_dirs_find(const struct pattern_dirs *dirs, const char *path);

/* Splits a glob at slashes; names stay quoted, and "**" is a name of its own. */
int pattern_dirs_split_glob(struct arena *arena, const char *glob, const char *const **ret_names,
			    size_t *ret_count, struct cordon_error *err);
/* Returns the directory of every possible match of a regular expression, or "/". */
char *pattern_dirs_regex_root(struct arena *arena, const char *regex, struct cordon_error *err);
