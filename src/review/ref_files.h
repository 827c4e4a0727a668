/* SPDX-License-Identifier: MIT */
/* Refs as files: HEAD and its like, and those below refs/. Reads, and asks git nothing. */
#pragma once

#include "review/new_refs.h"

/* A ref that was met. */
typedef int ref_fn(void *context, const char *name, const char *value);

struct ref_reading {
	struct arena arena; /* of what is read, and not kept */
	const struct refs *refs;
	int left;
	int64_t since; /* what did not change after that is known; 0: nothing is */
	bool is_still; /* so are the folders up to refs/ */
	bool is_cut;   /* there are more, or deeper ones */
	bool has_odd;  /* one leads out of refs/: that may change while it does not */
	ref_fn *met;
	void *context;
};

/* When it was changed last, in nanoseconds. */
int64_t ref_files_time(const struct stat *at);
struct refs_signature ref_files_sign(const char *folder, const char *name);
/* The name of an object that text begins with, in small letters, or NULL. */
const char *ref_files_object(struct arena *arena, const char *text);

/* Git directories of linked worktrees, each with a HEAD and an index of its own. */
typedef int worktree_fn(void *context, const char *folder);

int ref_files_worktrees(const struct refs *refs, worktree_fn *met, void *context);
/* Every value but those that are packed; HEAD first. */
int ref_files_all(struct ref_reading *r);
