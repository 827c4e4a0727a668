/* SPDX-License-Identifier: MIT */
/*
 * Folders in which all programs make files, some to share: POSIX shared memory and semaphores. A profile
 * grants regular files in one by their names, and nothing in its subfolders.
 */
#pragma once

#include "plan/plan.h"

/* Is path such a folder; in one, at any depth or the folder itself; directly in one? */
bool shared_is_folder(const char *path);
bool shared_has(const char *path);
bool shared_has_entry(const char *path);

/* Is path in such a folder, and may it be changed by the word of a profile alone? */
bool plan_is_by_name(const struct plan *plan, const char *path);
/*
 * Of the rights that a profile grants by name, those that do not hold for what is at path now: it is no
 * regular file.
 */
unsigned plan_unshared(const struct plan *plan, const char *path, const struct verdict *verdict);
/*
 * Of asked, which is granted by name: for which files and calls does it hold, in words? NULL: for
 * all, or it is not granted by name.
 */
const char *plan_shared_only(const struct plan *plan, const char *path,
			     const struct verdict *verdict, unsigned asked);
/*
 * The broker opens what is granted by name; Landlock could only grant it with all subfolders. So without
 * a broker such a rule is left out. To be called when the routing is known.
 */
void plan_leave_out_shared(struct plan *plan);
