/* SPDX-License-Identifier: MIT */
/*
 * Denies of running inside folders whose programs may be run. Landlock knows only whole trees, so
 * on the way to what is denied each entry of a folder is granted by itself. That is exact only where
 * a command makes no new entries; elsewhere such a deny is a gap.
 */
#pragma once

#include "plan/plan.h"

/* Fills plan->listed with the denies that are held so. */
void running_list(struct plan *plan);
bool running_is_listed(const struct plan *plan, const struct planned_rule *rule);
/* Is one of them inside this folder? */
bool running_has_inside(const struct plan *plan, const char *folder);
