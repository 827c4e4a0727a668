/* SPDX-License-Identifier: MIT */
/*
 * Names of objects in other files of a git directory than refs: what an unfinished rebase, merge or bisect goes back
 * to, logs of refs, files that git takes for refs because they have their names.
 */
#pragma once

#include "review/new_refs.h"

struct gitstate_name {
	const char *file;   /* its path below the git directory */
	const char *object; /* or the beginning of its name, in small letters */
};

struct gitstate {
	struct gitstate_name *items;
	size_t count;
	bool has_index; /* what an index shares with others changed */
	bool is_cut;	/* there is more */
};

/* Notes the texts of logs, as many as are few. */
void git_state_note(struct refs *refs);
/* Those in files that changed since then and were in no log. In the arena of refs. */
int git_state_find(struct refs *refs, struct gitstate *ret);
/* What they bring that the tree at the start did not have. 1: all was told; 0: something cannot be read. */
int git_state_look(const struct refs *refs, const struct gitread *in, const struct gitstate *state,
		   committed_fn *tell, void *sink);
