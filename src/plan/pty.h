/* SPDX-License-Identifier: MIT */
/*
 * Terminals. A profile grants /dev/pts for programs that make terminals; what it means by that is the
 * terminals a command has or makes, not those of the user's other programs. Pure.
 */
#pragma once

#include "plan/plan.h"

#define TERMINALS "/dev/pts"

/*
 * Of reading and writing a terminal at path (one, or the folder of all), which does the command get for
 * its own terminals alone? Not what somebody named, itself or by what it lies in, nor anything where nobody
 * looks at who opens it.
 */
unsigned plan_own_terminals(const struct plan *plan, const char *path);
