/* SPDX-License-Identifier: MIT */
/*
 * Object names in files of a git directory that are not refs: state of an unfinished rebase, merge
 * or bisect, logs of refs, and files that git accepts as refs by their name.
 */
#pragma once

#include "review/new_refs.h"

struct gitstate_name {
	const char *file;   /* path below the git directory */
	const char *object; /* its name or a prefix of it, in lower case */
};

struct gitstate {
	struct gitstate_name *items;
	size_t count;
	bool has_index; /* a shared part of an index changed */
	bool is_cut;	/* there are more */
};

/* Records the texts of logs, up to a limit. */
void git_state_record(struct refs *refs);
/* Finds those in files changed since then and in no log, in the arena of refs. */
int git_state_find(struct refs *refs, struct gitstate *ret);
/* Reports what they add to the tree at the start. Returns 1; 0: something is unreadable. */
int git_state_look(const struct refs *refs, const struct git_run *in, const struct gitstate *state,
		   committed_fn *report, void *sink);
