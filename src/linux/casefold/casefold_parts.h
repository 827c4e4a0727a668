/* SPDX-License-Identifier: MIT */
/* The parts of casefold: texts and directories. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns true if no directory takes another spelling for this text. */
bool casefold_is_plain(const char *text);
/* Writes the folded form. Returns false if it is too long or a component becomes empty. */
bool casefold_text(const char *text, bool is_pattern, char *to, size_t room);
/* Returns true if a component is a git name in a spelling that only a folding directory resolves. */
bool casefold_is_disguise(const char *path, const char *folded);
/* Does this directory fold names? may: the answer for one that exists but cannot be read. */
bool casefold_dir_folds(const char *folder, bool may);
/*
 * Looks for a component behind the first top bytes that exists in a folding directory under an unlisted
 * short name. Which file GIT~1 is cannot be found out.
 */
bool casefold_dir_has_short_name(const char *path, size_t top);
