/* SPDX-License-Identifier: MIT */
/*
 * Patterns of policies as Seatbelt regular expressions, a small dialect: classes, groups, alternatives,
 * "*", "+", "?" and the two anchors. A pattern that it cannot express is refused.
 */
#pragma once

#include <stdbool.h>

#include "macos/sbpl/path_filter.h"

/* Where a match must end. */
enum pattern_end {
	PATTERN_HERE, /* the whole path */
	PATTERN_BELOW /* the path, or a directory above it */
};

/* Matches the paths of a glob. nocase: ASCII letters in either case. */
const struct filter *glob_regex_glob(struct filters *in, const char *glob, enum pattern_end end,
				     bool nocase);
/* The same for paths below folder only, which must be on the way of the glob. */
const struct filter *glob_regex_glob_below(struct filters *in, const char *glob,
					   const char *folder);
/* Matches the entries of a directory. */
const struct filter *glob_regex_children(struct filters *in, const char *folder);
/* Matches samples of hooks, as git_ref_paths_is_sample knows them. */
const struct filter *glob_regex_samples(struct filters *in);
/*
 * Translates a regular expression of a policy (PCRE2, whole path). Returns NULL if Seatbelt cannot express
 * it; *ret_reason continues a sentence after the expression ("... uses ...").
 */
const struct filter *pcre_regex(struct filters *in, const char *regex, const char **ret_reason);
