/* SPDX-License-Identifier: MIT */
/* After a failure in which nothing was seen to be refused: an argument of the command that could not be read. */
#pragma once

#include "discover/context.h"
#include "ipc/refusal.h"

/* Returns the first argument that names an existing file which the plan does not let be read. */
bool guess_argument(const struct plan *plan, char *const *argv, struct refusal *ret_refusal);
