/* SPDX-License-Identifier: MIT */
/* What fold is made of: texts, and folders. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Has a text no other spelling that a folder might take for it? */
bool casefold_is_plain(const char *text);
/* The text as it is compared; false: it is too long, or a name of it is nothing. */
bool casefold_text(const char *text, bool is_pattern, char *to, size_t room);
/* Is a name of the path one of git's, and written so that only a folding folder knows it? */
bool casefold_is_disguise(const char *path, const char *folded);
/* Does this folder fold? may: what is said of one that is there and cannot be looked at. */
bool casefold_dir_folds(const char *folder, bool may);
/*
 * Is a name behind the first top bytes there, in a folder that folds, and listed as another? Which one
 * GIT~1 stands for nobody says.
 */
bool casefold_dir_has_short_name(const char *path, size_t top);
