/* SPDX-License-Identifier: MIT */
/*
 * Reports which refs and index of the project's repository changed during a run, and what they
 * contain. The start records only values, from few files; the end reads contents, only of new
 * values.
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
	struct git_run in;
	const char *common_dir;
	const char **values; /* names of objects at the start */
	size_t count;
	bool is_cut;  /* not all were read */
	bool has_odd; /* a ref leads out of refs/ */
	int64_t started;
	const char *head;	/* the commit checked out at the start; NULL: none */
	struct refs_text *logs; /* texts of logs */
	size_t log_count;
	char *packed; /* text of packed-refs; NULL: absent or too large */
	struct refs_signature index, packed_refs, tables, objects, packs;
};

/* Records the state at the start; records nothing without a readable repository. */
void new_refs_record(struct refs *refs, const struct plan *plan);
/*
 * Reports new contents as "committed" or "staged", and with has_objects false ones as "replaced".
 * Returns NULL, or what could not be examined, in words. Call this after all processes have ended.
 */
const char *new_refs_report(struct refs *refs, bool has_objects, changed_fn *report, void *sink);
void new_refs_free(struct refs *refs);
