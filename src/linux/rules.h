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

/* running.c: the right to run what is in a folder with a denied program somewhere in it. */
int rules_list_running(const struct making *m, int folder, const char *path);
/* For it: one rule, less what the layer withholds; what the plan says of a file, and of new ones. */
int rules_allow(const struct making *m, int fd, uint64_t access, bool folder, const char *path);
bool rules_run(const struct making *m, const char *path);
bool rules_run_below(const struct making *m, const char *folder);
