/* SPDX-License-Identifier: MIT */
/* Paths below the home that hold credentials. */
#pragma once

#include "plan/plan.h"

/* Folders and files whose whole point is to be secret. */
bool secret_is_path(const struct plan *plan, const char *path);
