/* SPDX-License-Identifier: MIT */
/*
 * Decides execution as the kernel does. Landlock grants only whole trees that exist at the start.
 * A deny of one program is enforced by granting every other entry of its directories, if the
 * command cannot create entries there. Elsewhere a denied program is a gap.
 */
#pragma once

#include "plan/plan.h"

/*
 * Sets plan->listed to the denies that are enforced entry by entry, and plan->unenforced to the first
 * deny that is not enforced. Searches the directories in which such a program could be.
 */
int exec_gaps_find(struct plan *plan, struct cordon_error *err);
bool exec_rules_is_listed(const struct plan *plan, const struct planned_rule *rule);
/* Is one of them below this directory? */
bool exec_rules_has_inside(const struct plan *plan, const char *folder);
/* Do the layers let a regular file at path be executed, regardless of the rules? */
bool exec_rules_is_granted(const struct plan *plan, const char *path);
/* Is it a script that can be executed but not be opened by its interpreter? */
bool exec_gaps_is_unread_script(const struct plan *plan, const char *path);
/*
 * Can a process execute the file at path although the rules deny it? False if no program is there
 * and the command can create none.
 */
bool exec_gaps_is_unenforced(const struct plan *plan, const char *path);
/* exec_rules.c: the first step of exec_gaps_find. */
void exec_rules_list(struct plan *plan);
