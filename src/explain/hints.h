/* SPDX-License-Identifier: MIT */
/* Places of well-known programs that no profile lets be changed: why not, and what to do instead. */
#pragma once

#include "plan/plan.h"

struct hint {
	const char *folder; /* as policies write it */
	const char *why;    /* one clause */
	const char *allow;  /* an option that has the program use another place; NULL: none */
};

/* What is known about a place that is not granted; NULL: nothing. */
const struct hint *hint_find(const struct plan *plan, const char *path);
