/* SPDX-License-Identifier: MIT */
/* Makes a commented first policy for a project, from the files in its root. */
#pragma once

#include "base/str.h"
#include "plan/plan.h"

/* Adds the text of a .cordon.json for the plan's project to `to`. Uses the host's view. */
int starter_make(const struct plan *plan, struct str *to, struct cordon_error *err);
/* Does the project's root have a name that suggests this profile? */
bool starter_suggests(const struct plan *plan, const char *profile);
