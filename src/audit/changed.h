/* SPDX-License-Identifier: MIT */
/*
 * Which files that run by themselves later (later.h) a session changed. Whoever acts for the command
 * notes a name before it is touched; what became of it is looked at when all is over. So nothing
 * is searched, and nothing is said of what was only tried. The table lies in memory that both
 * processes have: it cannot be flooded away as a line can, and it outlives who wrote it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/* So many are known by name; the others are counted. */
#define CHANGED_MAX 64
#define CHANGED_BITS 65536

/* What was at a path before. */
enum changed_kind { CHANGED_NOTHING, CHANGED_FOLDER, CHANGED_FILE };
struct changed_file {
	enum changed_kind was;
	uint64_t device, inode;
	int64_t time; /* of its last change, in nanoseconds: a program cannot set it */
	unsigned rank;
	char path[PATH_MAX];
};

/* Filled by one process, under a lock of its own, and read by another afterwards. */
struct changed {
	unsigned count;
	unsigned more; /* names that found no place */
	struct changed_file files[CHANGED_MAX];
	uint8_t counted[CHANGED_BITS / 8]; /* which of those, by their hashes */
};

/* What became of one. */
struct change {
	const char *what; /* "added", "changed" or "removed" */
	const char *path;
	const char *reason;
};

int changed_new(struct changed **ret_changed, struct cordon_error *err);
struct changed *changed_free(struct changed *changed);
/* A name is about to be touched; at: what is there, NULL: nothing. Most are none to be noted. */
void changed_note(struct changed *changed, const char *path, const struct stat *at);
/* Goes through them, those near the root first; false: that was all. *at starts with 0. */
bool changed_next(const struct changed *changed, unsigned *at, struct change *ret_change);
