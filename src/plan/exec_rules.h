/* SPDX-License-Identifier: MIT */
/*
 * Running programs, as the kernel decides it. Landlock knows only whole trees of what is there at the
 * start. A deny of one program is held where the others in its folders can be granted one by one,
 * which needs that a command makes no new ones there; elsewhere it is a gap if there is a program.
 */
#pragma once

#include "plan/plan.h"

/*
 * Fills plan->listed with the denies that are held entry by entry, and plan->unheld with the first
 * other one that does not keep a program from being executed. For that the folders are looked
 * through in which such a program could be.
 */
int exec_gaps_settle(struct plan *plan, struct cordon_error *err);
bool exec_rules_is_listed(const struct plan *plan, const struct planned_rule *rule);
/* Is one of them inside this folder? */
bool exec_rules_has_inside(const struct plan *plan, const char *folder);
/* Do the layers let a regular file at path be executed? Not whether the rules do. */
bool exec_rules_is_granted(const struct plan *plan, const char *path);
/* A script that can be executed, and then not be opened by the interpreter that runs it. */
bool exec_gaps_is_unread_script(const struct plan *plan, const char *path);
/*
 * Could a process execute the file at path although the rules deny it? Not if there is none that
 * execve takes, nor one that the command can make.
 */
bool exec_gaps_is_unheld(const struct plan *plan, const char *path);
/* exec_rules.c: the first of the two steps. */
void exec_rules_list(struct plan *plan);
