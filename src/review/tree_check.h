/* SPDX-License-Identifier: MIT */
/*
 * What a checkout would bring that a command may not make itself: protected names, links to them, submodules
 * that start programs. They come by a commit or by the index, which git changes without writing any of them.
 */
#pragma once

#include "review/git_run.h"

struct committed {
	const char *path; /* absolute */
	const char *reason;
	const char *from; /* what names it, where more than one thing is looked at; or NULL */
	bool is_same;	  /* as what lies in the working tree: nothing would change */
};
typedef void committed_fn(void *sink, const struct committed *one);

/* In what git knows by this name; NULL: in the index. 1: all was told; 0: it cannot be read; or an error. */
int tree_check(const struct gitread *in, const char *name, committed_fn *tell, void *sink,
	       struct cordon_error *err);

struct tree_check_sink {
	committed_fn *tell;
	void *sink;
	const char *from;
};
/* The same in entries as `git ls-tree` or `git ls-files -s` has them, each ended by a NUL. */
int tree_check_listing(const struct gitread *in, const struct gitread_text *listing,
		       const struct tree_check_sink *to, struct cordon_error *err);
