/* SPDX-License-Identifier: MIT */
/*
 * Directories for POSIX shared memory and semaphores, where all programs make files. A profile
 * grants regular files in one by name, and nothing in subdirectories.
 */
#pragma once

#include "plan/plan.h"

/* Is path such a directory; in or equal to one; directly in one? */
bool shared_dirs_is_one(const char *path);
bool shared_dirs_cover(const char *path);
bool shared_dirs_have_entry(const char *path);

/* Is path in such a directory and changeable only by a profile's grant? */
bool plan_is_by_name(const struct plan *plan, const char *path);
/* Returns the rights granted by name that do not apply because the file at path is not regular. */
unsigned plan_unshared(const struct plan *plan, const char *path, const struct verdict *verdict);
/*
 * If `asked` is granted by name: to which files and calls it applies, in words. NULL: to all, or
 * not granted by name.
 */
const char *plan_shared_only(const struct plan *plan, const char *path,
			     const struct verdict *verdict, unsigned asked);
/*
 * Marks grants by name as absent if nothing is supervised: Landlock could only grant them with all
 * subdirectories. Call this when the routing is known.
 */
void plan_mark_absent_shared(struct plan *plan);
