/* SPDX-License-Identifier: MIT */
/*
 * Records which autorun files (autorun_names.h) a session changed. The broker notes a path before it
 * changes the file; the state at the end of the session is compared with the noted one. So no tree is
 * searched, and attempts that changed nothing are not reported. The table is in memory shared by broker and
 * supervisor: it cannot overflow as a socket can, and it survives the death of the broker.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/* Entries with path; further ones are only counted. */
#define CHANGED_MAX 4096
#define CHANGED_TEXT (128 * CHANGED_MAX)
#define CHANGED_SLOTS (2 * CHANGED_MAX)
#define CHANGED_BITS 65536

/* What a path was before. */
enum changed_kind { CHANGED_NOTHING, CHANGED_FOLDER, CHANGED_FILE };
struct changed_file {
	uint64_t device, inode;
	int64_t time;  /* ctime in nanoseconds: a program cannot set it */
	uint32_t text; /* offset of the path in text */
	uint16_t rank;
	uint8_t was;
};

/* Written by one process under its own lock, read by another after that one has ended. */
struct autorun_changes {
	unsigned count;
	unsigned used;	  /* bytes of text, in the order of the files */
	unsigned more;	  /* paths that were not listed or were dropped */
	unsigned fresh;	  /* notes since the last autorun_changes_tidy */
	unsigned highest; /* once the table was full: no listed file has a higher rank */
	bool is_crowded;  /* autorun_changes_tidy is due */
	bool has_objects; /* objects of a repository may have been about to change */
	struct changed_file files[CHANGED_MAX];
	uint16_t slots[CHANGED_SLOTS];	   /* hash table of indexes into files, counted from 1 */
	uint8_t counted[CHANGED_BITS / 8]; /* hash set of the paths that were not listed */
	char texts[CHANGED_TEXT];
};

/* The change of one file. */
struct autorun_change {
	const char *what;
	const char *path;
	const char *reason;
	bool is_planted; /* a protected name in a ref or an index, no file */
};

int autorun_changes_new(struct autorun_changes **ret_changed, struct cordon_error *err);
struct autorun_changes *autorun_changes_free(struct autorun_changes *changed);
/*
 * Notes that path is about to change. at: the file there now, NULL if none. Most paths are no autorun files
 * and are ignored.
 */
void autorun_changes_note(struct autorun_changes *changed, const char *path, const struct stat *at);
/* Drops entries whose file is gone again. Call it only while no noted change is still in progress. */
void autorun_changes_tidy(struct autorun_changes *changed);

/*
 * Calls back for each changed file, at most max: first existing files, those near the root first. Unchanged
 * files are skipped. Returns how many more there are.
 */
typedef void changed_fn(void *sink, const struct autorun_change *change);
unsigned autorun_changes_tell(const struct autorun_changes *changed, unsigned max, changed_fn *tell,
			      void *sink);
