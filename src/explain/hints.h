/* SPDX-License-Identifier: MIT */
/* Directories of programs that no profile makes writable: the reason, and an alternative. */
#pragma once

#include "plan/plan.h"

struct hint {
	const char *folder; /* as written in policies */
	const char *why;    /* one clause */
	const char *allow;  /* an option that makes the program use another directory; NULL: none */
};

/* Returns the hint for a path that is not granted, or NULL. */
const struct hint *hint_find(const struct plan *plan, const char *path);
