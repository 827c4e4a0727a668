/* SPDX-License-Identifier: MIT */
/*
 * Case-folding directories (chattr +F, FAT and others). There ".ENV" and ".env" are one file, as are
 * spellings that Unicode treats as equal. The kernel reports a file's path as it was first written, so a
 * path is also decided in folded form if it lies in such a directory. Elsewhere each spelling is a
 * different name.
 */
#pragma once

#include "rules/index.h"

struct casefold;

/* For the plan's rules. top is the project, which is reached by its path as it stands. */
struct casefold *casefold_new(const struct index *index, const char *top);
struct casefold *casefold_free(struct casefold *fold);
/* Decides for a canonical path and for all its spellings that are the same file. */
struct verdict casefold_decide(struct casefold *fold, const char *path);
/*
 * If path is at or below root in any spelling, returns the length of the part of path that is root; else 0.
 */
size_t casefold_below(const char *path, const char *root);
