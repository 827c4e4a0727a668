/* SPDX-License-Identifier: MIT */
/* A commented first policy for a project, from the files that lie in its root. */
#pragma once

#include "base/str.h"
#include "plan/plan.h"

/* Adds the text of a .cordon.json for the plan's project to `to`. Looks through the host's view. */
int starter_make(const struct plan *plan, struct str *to, struct cordon_error *err);
