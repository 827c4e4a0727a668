/* SPDX-License-Identifier: MIT */
/*
 * Terminals. A profile grants /dev/pts for programs that make terminals; what it means by that is the
 * terminals a command has or makes, not those of the user's other programs. Pure.
 */
#pragma once

#include "plan/plan.h"

#define TERMINALS "/dev/pts"

/*
 * Of the terminals at path (one, or the folder), does the command get its own alone? Not where somebody
 * named them or what they lie in, nor where nobody looks at who opens them.
 */
bool plan_has_own_terminals(const struct plan *plan, const char *path);
