/* SPDX-License-Identifier: MIT */
/* Adds the rules of a plan to a Landlock ruleset. */
#pragma once

#include <sys/stat.h>

#include "linux/landlock/ruleset.h"

/* A ruleset under construction. */
struct ruleset_build {
	const struct plan *plan;
	const struct ruleset_options *options;
	struct landlock_access handled;
	int ruleset;
	bool root; /* runs as root, so file modes do not protect secrets */
	struct cordon_error *err;
};

/* All grants of the plan, with the private tmp. */
int rules_all(const struct ruleset_build *m);
/* Only moves between directories (REFER), wherever allowed. */
int rules_moves(const struct ruleset_build *m);
int rules_tmp(const struct ruleset_build *m, const char *path);

/* ---- rules_paths.c ---- */

/* Adds the planned rules from index first up to last. *seen: bits of the pty paths among them. */
int rules_add_range(const struct ruleset_build *m, size_t first, size_t last, unsigned *seen);
/* Grants the pty paths that were not seen; a wider rule or the default may allow them. */
int rules_terminals(const struct ruleset_build *m, unsigned seen);

/* ---- rules_access.c ---- */

/* An opened path; fd -1: not open. */
struct opened_path {
	int fd;
	bool is_folder, is_terminal;
	struct stat at; /* valid after rules_look */
};

/*
 * Files that one layer opened and the next one grants too, mostly devices. Looked up by planned path, so
 * only for layers of one plan.
 */
#define SHARED_FILES_MAX 16
struct shared_files {
	size_t count;
	struct {
		const char *path;
		struct opened_path opened;
	} items[SHARED_FILES_MAX];
};
/* Closes the fds; called by the owner of the layers. */
void rules_close_shared(struct shared_files *shared);

/* Calls fstat. Returns -1 with errno. */
int rules_look(struct opened_path *opened);
/* rules_add adds one rule; rules_allow first removes what the layer withholds. */
int rules_add(const struct ruleset_build *m, int fd, uint64_t access, bool folder,
	      const char *path);
int rules_allow(const struct ruleset_build *m, int fd, uint64_t access, bool folder,
		const char *path);
/*
 * What the layer withholds at path: in the inner layer what the broker decides, and execute for a whole
 * directory that contains a denied program.
 */
uint64_t rules_withheld(const struct ruleset_build *m, const char *path);
unsigned rules_decide(const struct ruleset_build *m, const char *path);
/* May a file be executed, or new files in a directory? */
bool rules_run(const struct ruleset_build *m, const char *path);
bool rules_run_below(const struct ruleset_build *m, const char *folder);
/* Access that the broker needs for these rights: it fills a new file through the fd that created it. */
uint64_t rules_for_broker(unsigned rights);
/* Notes in *wider if a grant for the broker lets the command read or execute more than planned. */
void rules_note_wider(const struct ruleset_build *m, uint64_t granted, uint64_t planned);
/*
 * rules_access_for: access to grant for these rights. rules_most_for: the most that any rule could grant.
 */
uint64_t rules_access_for(const struct ruleset_build *m, const struct tree_rights *tree_rights,
			  const struct opened_path *opened);
uint64_t rules_most_for(const struct ruleset_build *m, const struct tree_rights *tree_rights);

/* ---- rules_entries.c ---- */

#define FILE_BY_NAME (FILE_READ | FILE_WRITE | FILE_TRUNCATE | FILE_MAKE_REG | FILE_REMOVE)
/* Does the directory have entries readable by root alone? */
bool rules_is_parted(const char *path);
/* Grants the directory's entries that are not readable by root alone, and listing. */
int rules_allow_parts(const struct ruleset_build *m, int folder, const char *path);
/*
 * Calls fn for every entry of a directory, with its full path, until one fails. Returns 1 if the directory
 * cannot be listed.
 */
struct rules_entry {
	int folder; /* the directory it is in */
	const char *path;
	unsigned char type; /* d_type; may be DT_UNKNOWN */
};
typedef int rules_entry_fn(const struct ruleset_build *m, const struct rules_entry *entry,
			   void *context);
int rules_each(const struct ruleset_build *m, int folder, const char *path, rules_entry_fn *fn,
	       void *context);
/* guard: leave out entries readable by root alone. */
int rules_allow_entries(const struct ruleset_build *m, int folder, const char *path, bool guard);
/*
 * rules_fail_open fails. rules_pass_over skips a path that is missing or not accessible, and fails on any
 * other error.
 */
int rules_fail_open(const struct ruleset_build *m, const char *path);
int rules_pass_over(const struct ruleset_build *m, const char *path);

/* ---- rules_exec.c ---- */

/* Grants execute entry by entry in a directory that has a denied program at any depth. */
int rules_exec_list(const struct ruleset_build *m, int folder, const char *path);
