/* SPDX-License-Identifier: MIT */
/*
 * Which files that run by themselves later (autorun_names.h) a session changed. Whoever acts for the command
 * notes a name before it is touched; what became of it is looked at when all is over. So nothing
 * is searched, and nothing is said of what was only tried. The table lies in memory that both
 * processes have: it cannot be flooded away as a line can, and it outlives who wrote it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/* So many are known by name; the others are counted. */
#define CHANGED_MAX 4096
#define CHANGED_TEXT (128 * CHANGED_MAX)
#define CHANGED_SLOTS (2 * CHANGED_MAX)
#define CHANGED_BITS 65536

/* What was at a path before. */
enum changed_kind { CHANGED_NOTHING, CHANGED_FOLDER, CHANGED_FILE };
struct changed_file {
	uint64_t device, inode;
	int64_t time;  /* of its last change, in nanoseconds: a program cannot set it */
	uint32_t text; /* where its path begins */
	uint16_t rank;
	uint8_t was;
};

/* Filled by one process, under a lock of its own, and read by another afterwards. */
struct autorun_changes {
	unsigned count;
	unsigned used;	  /* of the texts, which lie in the order of the files */
	unsigned more;	  /* names that found no place, or lost it */
	unsigned fresh;	  /* notes since the last tidying */
	unsigned highest; /* no file has a rank above it, once all places were taken */
	bool is_crowded;  /* autorun_changes_tidy would help */
	struct changed_file files[CHANGED_MAX];
	uint16_t slots[CHANGED_SLOTS];	   /* files by their hashes, from 1 */
	uint8_t counted[CHANGED_BITS / 8]; /* which found no place, by their hashes */
	char texts[CHANGED_TEXT];
};

/* What became of one. */
struct autorun_change {
	const char *what; /* "added", "changed" or "removed" */
	const char *path;
	const char *reason;
};

int autorun_changes_new(struct autorun_changes **ret_changed, struct cordon_error *err);
struct autorun_changes *autorun_changes_free(struct autorun_changes *changed);
/* A name is about to be touched; at: what is there, NULL: nothing. Most are none to be noted. */
void autorun_changes_note(struct autorun_changes *changed, const char *path, const struct stat *at);
/* Makes room, by what is gone again. To be called when nothing is between its note and its act. */
void autorun_changes_tidy(struct autorun_changes *changed);

/*
 * What became of them all: first what is there now, and of that what is near the root. At most max
 * are told; returns how many more there are. A file that was touched and is the same is none.
 */
typedef void changed_fn(void *sink, const struct autorun_change *change);
unsigned autorun_changes_tell(const struct autorun_changes *changed, unsigned max, changed_fn *tell,
			      void *sink);
