/* SPDX-License-Identifier: MIT */
/*
 * Finds what a checkout would bring that the command may not make itself: protected names, links to
 * them, submodules that start programs. They can arrive by a commit, or by the index.
 */
#pragma once

#include "review/git_run.h"

struct committed {
	const char *path; /* absolute */
	const char *reason;
	const char *from; /* the file that names it, if several are examined; or NULL */
	bool is_same;	  /* equal to the working tree: a checkout changes nothing */
};
typedef void committed_fn(void *sink, const struct committed *one);

/* Checks the tree called name; NULL: the index. Returns 1, 0: unreadable, or an error. */
int tree_check(const struct git_run *in, const char *name, committed_fn *report, void *sink,
	       struct cordon_error *err);

struct tree_check_sink {
	committed_fn *report;
	void *sink;
	const char *from;
};
/* Examines entries of `git ls-tree -z` or `git ls-files -s -z`. */
int tree_check_listing(const struct git_run *in, const struct git_run_text *listing,
		       const struct tree_check_sink *to, struct cordon_error *err);
