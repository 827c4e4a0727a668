/* SPDX-License-Identifier: MIT */
/* Reads refs that are files: HEAD and the like, and those below refs/. Does not run git. */
#pragma once

#include "review/new_refs.h"

/* Called for each ref. */
typedef int ref_fn(void *context, const char *name, const char *value);

struct ref_reading {
	struct arena arena; /* for temporary data */
	const struct refs *refs;
	int left;
	int64_t since;	   /* refs unchanged since then are known; 0: none are */
	bool is_unchanged; /* true if the directories up to refs/ did not change */
	bool is_cut;	   /* there are more, or deeper ones */
	bool has_odd;	   /* a ref leads out of refs/: its target may change while it does not */
	ref_fn *met;
	void *context;
};

/* Time of the last change, in nanoseconds. */
int64_t ref_files_time(const struct stat *at);
struct refs_signature ref_files_sign(const char *folder, const char *name);
/* Returns the object name at the start of text, in lower case, or NULL. */
const char *ref_files_object(struct arena *arena, const char *text);

/* Called for the git directory of each linked worktree, which has its own HEAD and index. */
typedef int worktree_fn(void *context, const char *folder);

int ref_files_worktrees(const struct refs *refs, worktree_fn *met, void *context);
/* Visits every value that is not packed, HEAD first. */
int ref_files_all(struct ref_reading *r);
