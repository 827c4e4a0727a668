/* SPDX-License-Identifier: MIT */
/*
 * Runs the user's git to read a repository that a command may have changed: its settings start no
 * program, no hooks and no network, and time is limited. git is one the plan cannot change.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "plan/plan.h"

struct git_run {
	const struct plan *plan;
	const char *git_dir;	/* of the project's working tree */
	const char *program;	/* NULL: git was not found */
	bool with_replacements; /* apply refs/replace/, as the user's git does */
	int64_t until; /* deadline in milliseconds of the monotonic clock; 0: one per query */
};

/* Finds the project's repository and git; git_dir is NULL if there is none. In arena. */
int git_run_open(struct arena *arena, const struct plan *plan, struct git_run *ret,
		 struct cordon_error *err);

/* Is there anything below refs/replace/? True also if that cannot be read. */
bool git_run_has_replacements(const struct git_run *in);

/* Sets one deadline for all following queries together. */
void git_run_limit(struct git_run *in);
/* Has the deadline passed? */
bool git_run_is_late(const struct git_run *in);

struct git_run_text {
	char *text; /* freed by the caller */
	size_t length;
};
/*
 * Runs git with arguments (ended by NULL) and input (or NULL). Returns 1 with its output in *ret; 0
 * if git failed, was too slow or wrote too much; or an error.
 */
int git_run_query(const struct git_run *in, const char *const *arguments,
		  const struct git_run_text *input, struct git_run_text *ret,
		  struct cordon_error *err);
