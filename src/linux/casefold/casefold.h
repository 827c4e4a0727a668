/* SPDX-License-Identifier: MIT */
/*
 * Folders in which names of different spelling are one (chattr +F, FAT and its like): there ".ENV" is
 * ".env", and so is what Unicode takes for it. The kernel's own name for a file is then whatever
 * somebody wrote first, so a name that only a folding folder would make a denied one is looked at
 * twice. Everywhere else spellings differ, as ever.
 */
#pragma once

#include "rules/index.h"

struct casefold;

/* For the plan's rules; top is the project, by whose name as it stands everything in it is reached. */
struct casefold *casefold_new(const struct index *index, const char *top);
struct casefold *casefold_free(struct casefold *fold);
/* What the plan says about a canonical path, and about every spelling of it that is the same there. */
struct verdict casefold_decide(struct casefold *fold, const char *path);
/* Of a path at or below root, in any spelling of the two, the part that is root; else 0. */
size_t casefold_below(const char *path, const char *root);
