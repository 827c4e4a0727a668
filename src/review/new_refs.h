/* SPDX-License-Identifier: MIT */
/*
 * Which refs of the project's repository, and whether its index, changed during a run. At the start only their
 * values are noted, of few files; what they lead to is looked at in the end, and only of those that are new.
 */
#pragma once

#include "audit/autorun_changes.h"
#include "review/tree_check.h"

struct refs_signature {
	uint64_t device, inode, size;
	int64_t time; /* of its last change, in nanoseconds */
};

struct refs_text {
	const char *text;
	size_t length;
};

struct refs {
	struct arena arena;
	struct gitread in;
	const char *common_dir;
	const char **values; /* names of objects that were there */
	size_t count;
	bool is_cut;  /* not all of them were read */
	bool has_odd; /* one leads out of refs/ */
	int64_t started;
	const char *head;	/* the commit that was checked out; NULL: none */
	struct refs_text *logs; /* texts of logs */
	size_t log_count;
	char *packed; /* the text of packed-refs, NULL: it has none or is too large */
	struct refs_signature index, packed_refs, tables;
};

/* Notes what is there. Nothing where there is no repository, or none can be told. */
void new_refs_note(struct refs *refs, const struct plan *plan);
/*
 * Tells what the new ones bring, as "committed" or "staged". NULL, or in words what was not looked at. To be
 * called when everything has ended: until then it could still be changed.
 */
const char *new_refs_tell(struct refs *refs, changed_fn *tell, void *sink);
void new_refs_forget(struct refs *refs);
