/* SPDX-License-Identifier: MIT */
/*
 * Patterns of policies as regular expressions of Seatbelt, which are a small dialect: classes,
 * groups, branches, "*", "+", "?" and the two anchors. What cannot be said in it is refused.
 */
#pragma once

#include <stdbool.h>

#include "macos/sbpl/path_filter.h"

/* Where a match has to end. */
enum pattern_end {
	PATTERN_HERE, /* the whole path */
	PATTERN_BELOW /* the path or a folder above it */
};

/* Paths a glob matches. nocase: ASCII letters in either case. */
const struct filter *glob_regex_glob(struct filters *in, const char *glob, enum pattern_end end,
				     bool nocase);
/* Of those, the ones whose match goes on behind folder, which lies on its way. */
const struct filter *glob_regex_glob_below(struct filters *in, const char *glob,
					   const char *folder);
/* The direct children of a folder. */
const struct filter *glob_regex_children(struct filters *in, const char *folder);
/* Paths that end in text. */
const struct filter *glob_regex_ending(struct filters *in, const char *text);
/*
 * A regular expression as policies write them, PCRE2 for the whole path. NULL with *ret_reason when
 * it says something Seatbelt cannot, worded to follow the expression ("... uses ...").
 */
const struct filter *pcre_regex(struct filters *in, const char *regex, const char **ret_reason);
