/* SPDX-License-Identifier: MIT */
/* Refusals that a user need not look at after a success: histories and time stamps that programs try to keep. */
#pragma once

#include "plan/plan.h"

/* Is the refused change one of such a file of the home directory? what is the word of the event. */
bool harmless_change(const struct plan *plan, const char *what, const char *subject);
