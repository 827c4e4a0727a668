/* SPDX-License-Identifier: MIT */
/*
 * Path patterns. "*" matches any text within a name, "**" any number of names, "?" one character of
 * a name, "\x" x itself. A pattern starts with "/" or "**", and "**" stands alone between slashes.
 * "**" may match no name at the start and in the middle, and matches at least one at the end.
 * Repeated and trailing slashes are dropped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct glob;

/*
 * Compiles a pattern into arena. An invalid one is -CORDON_E_POLICY; *ret_reason (may be NULL) then
 * says why, worded to follow the pattern ("... has ...").
 */
int glob_compile(struct arena *arena, const char *pattern, struct glob **ret,
		 const char **ret_reason, struct cordon_error *err);
/* A compiled pattern is glob_words() words from its address on; a table in the program may have a copy. */
size_t glob_words(const struct glob *glob);
const struct glob *glob_of_words(const uint32_t *words);
/* Appends the pattern that matches exactly text. */
void glob_quote(const char *text, struct str *to);
char *glob_quoted(struct arena *arena, const char *text, struct cordon_error *err);
/*
 * Does the pattern match path, which is canonical, or a directory above it? Time is bounded by the
 * product of both lengths.
 */
bool glob_match(const struct glob *glob, const char *path);
/*
 * Returns the length of the shortest prefix of path, ending at the end of a name, that matches, or
 * 0. nocase: ASCII letters match in either case.
 */
size_t glob_match_prefix(const struct glob *glob, const char *path, bool nocase);
/* The same for the longest such prefix. */
size_t glob_match_longest(const struct glob *glob, const char *path, bool nocase);
