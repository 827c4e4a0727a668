/* SPDX-License-Identifier: MIT */
/*
 * Patterns for paths. "*" is any text within a name, "**" any number of names, "?" one character of
 * a name, "\x" is x itself; everything else stands for itself. A pattern starts with "/" or "**",
 * and "**" stands alone between slashes. In front and in the middle "**" may be no name at all, at
 * the end it is at least one. Slashes are collapsed and a final one dropped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

struct glob;

/*
 * A pattern that means nothing is -CORDON_E_POLICY; *ret_reason then says why, worded to follow the
 * pattern ("... has ..."). ret_reason may be NULL. The result lives in arena.
 */
int glob_compile(struct arena *arena, const char *pattern, struct glob **ret,
		 const char **ret_reason, struct cordon_error *err);
/* The pattern that matches this text and nothing else. */
void glob_quote(const char *text, struct str *to);
/*
 * Does the pattern match path or a directory above it? path is canonical. Time is bounded by the
 * product of both lengths, whatever the pattern.
 */
bool glob_match(const struct glob *glob, const char *path);
/*
 * Length of the shortest part of path, up to the end of a name, that matches; 0 if none. nocase: ASCII
 * letters match in either case.
 */
size_t glob_match_prefix(const struct glob *glob, const char *path, bool nocase);
/* As above, of the longest such part. */
size_t glob_match_longest(const struct glob *glob, const char *path, bool nocase);
