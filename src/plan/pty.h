/* SPDX-License-Identifier: MIT */
/*
 * Decides grants of /dev/pts. A profile grants it for programs that create ptys, and means the
 * session's own ptys, not those of the user's other programs. Pure.
 */
#pragma once

#include "plan/plan.h"

#define TERMINALS "/dev/pts"

/*
 * Which of read and write at path (a pty, or /dev/pts) apply only to the session's own ptys? Not
 * rights that a user's rule gives, and none if the broker does not supervise opens.
 */
unsigned plan_own_terminals(const struct plan *plan, const char *path);
