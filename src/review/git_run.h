/* SPDX-License-Identifier: MIT */
/*
 * Asking the user's git about a repository that a command may have changed: with settings that start nothing,
 * no hooks, no network and a time limit. The program comes from a folder that the plan leaves alone.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "plan/plan.h"

struct gitread {
	const struct plan *plan;
	const char *git_dir;	/* of the project's working tree */
	const char *program;	/* NULL: there is no git */
	bool with_replacements; /* objects as refs/replace/ has them, as the user's git takes them */
	int64_t until; /* milliseconds of the clock that only goes on; 0: each answer by itself */
};

/* Where the project's repository is, and git; git_dir NULL: there is none. In arena. */
int git_run_open(struct arena *arena, const struct plan *plan, struct gitread *ret,
		 struct cordon_error *err);

/* Does anything lie below refs/replace/? Also where that cannot be told. */
bool git_run_has_replacements(const struct gitread *in);

/* From now on all answers together may take as long as one alone. */
void git_run_limit(struct gitread *in);
/* Is that time over? */
bool git_run_is_late(const struct gitread *in);

struct gitread_text {
	char *text; /* to be freed */
	size_t length;
};
/*
 * What git with these arguments, up to a NULL, says about input (NULL: none). 1: *ret is there; 0: git ended
 * with an error, was too slow or said too much; or an error.
 */
int git_run_ask(const struct gitread *in, const char *const *arguments,
		const struct gitread_text *input, struct gitread_text *ret,
		struct cordon_error *err);
