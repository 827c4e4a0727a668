/* SPDX-License-Identifier: MIT */
/*
 * What a checkout would bring that a command may not make itself: protected names, links to them, submodules
 * that start programs. They come by a commit or by the index, which git changes without writing any of them.
 */
#pragma once

#include "api/gitread.h"

struct committed {
	const char *path; /* absolute */
	const char *reason;
	const char *from; /* of the pair; NULL: there is none */
	bool is_same;	  /* as what lies in the working tree: nothing would change */
};
typedef void committed_fn(void *teller, const struct committed *one);

/* In what git knows by this name; NULL: in the index. 1: all was told; 0: it cannot be read; or an error. */
int committed_find(const struct gitread *in, const char *name, committed_fn *tell, void *teller,
		   struct cordon_error *err);

/* Trees that are held against others: only what the second one has of its own is looked at. */
struct committed_pair {
	const char *base, *tree;
	const char *prefix; /* of its paths, "" or with a slash at the end */
	const char *from;   /* what names it */
};
/* All of them by one question. Where one of them cannot be read, the others still are, and 0 is returned. */
int committed_compare(const struct gitread *in, const struct committed_pair *pairs, size_t count,
		      committed_fn *tell, void *teller);
