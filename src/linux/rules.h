/* SPDX-License-Identifier: MIT */
/* The rules of a Landlock ruleset, from a plan. */
#pragma once

#include "linux/landlock.h"

/* One ruleset being made. */
struct making {
	const struct plan *plan;
	const struct ruleset_options *options;
	struct landlock_access handled;
	int ruleset;
	bool root; /* modes do not keep secrets from it, as they do from an ordinary user */
	struct cordon_error *err;
};

/* All that the plan grants, the private tmp included. */
int rules_all(const struct making *m);
/* Nothing but moves between folders, wherever they are allowed. */
int rules_moves(const struct making *m);
int rules_tmp(const struct making *m, const char *path);
