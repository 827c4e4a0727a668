/* SPDX-License-Identifier: MIT */
/*
 * What a command needs beyond a policy: options that were found to be missing, merged, and printed as a policy
 * with the reason of each.
 */
#pragma once

#include "explain/denials.h"

struct learned_item {
	const char *option;	 /* as in struct event_refused; "": no option may be suggested */
	const char *reason;	 /* what was refused: "read PATH" */
	bool is_asked, is_given; /* the caller was asked, and the command has it */
};

struct learned {
	struct arena arena;
	struct learned_item *items;
	size_t count;
};

/*
 * Adds what a run was refused. Three files or more in one folder become the folder, unless that is unwise.
 * plan: of that run.
 */
int learned_add(struct learned *learned, const struct denials *denials, const struct plan *plan,
		struct cordon_error *err);
/* Prints the whole policy. argv: the command, for the heading. */
void learned_print(const struct learned *learned, const struct plan *plan, char *const *argv,
		   struct str *to);
/* Prints one line for each member that the policy of the plan lacks. */
void learned_print_diff(const struct learned *learned, const struct plan *plan, struct str *to);
void learned_free(struct learned *learned);
