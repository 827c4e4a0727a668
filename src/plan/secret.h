/* SPDX-License-Identifier: MIT */
/* Paths below the home that hold credentials. */
#pragma once

#include "plan/plan.h"

/* Is path a file or directory whose content is secret? */
bool secret_is_path(const struct plan *plan, const char *path);
/* Adds the notice that the project is a home, with the secrets that can be read there. */
int secret_note_home(struct plan *plan, struct cordon_error *err);
