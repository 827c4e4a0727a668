/* SPDX-License-Identifier: MIT */
/* The rules of a Landlock ruleset, from a plan. */
#pragma once

#include <sys/stat.h>

#include "linux/landlock/ruleset.h"

/* One ruleset being made. */
struct ruleset_build {
	const struct plan *plan;
	const struct ruleset_options *options;
	struct landlock_access handled;
	int ruleset;
	bool root; /* modes do not keep secrets from it, as they do from an ordinary user */
	struct cordon_error *err;
};

/* All that the plan grants, the private tmp included. */
int rules_all(const struct ruleset_build *m);
/* Nothing but moves between folders, wherever they are allowed. */
int rules_moves(const struct ruleset_build *m);
int rules_tmp(const struct ruleset_build *m, const char *path);

/* ---- rules_paths.c ---- */

/* The planned rules from first on, up to last. *seen: terminals among them, by number, are added. */
int rules_add_range(const struct ruleset_build *m, size_t first, size_t last, unsigned *seen);
/* Those that were not seen, which a wider rule or the default may bring. */
int rules_terminals(const struct ruleset_build *m, unsigned seen);

/* ---- rules_access.c ---- */

/* What stands at a path; fd -1: nothing is held. */
struct held {
	int fd;
	bool is_folder, is_terminal;
	struct stat at; /* only after rules_look */
};

/*
 * Files that one layer opened and the next one grants as well: devices, mostly. Looked up by the
 * planned path itself, so only between layers of one plan.
 */
#define KEPT_MAX 16
struct kept_files {
	size_t count;
	struct {
		const char *path;
		struct held held;
	} items[KEPT_MAX];
};
/* Whoever made the layers closes them. */
void rules_close_shared(struct kept_files *kept);

/* Looks at what is held; -1 with errno. */
int rules_look(struct held *held);
/* One rule; and one less what the layer withholds. */
int rules_add(const struct ruleset_build *m, int fd, uint64_t access, bool folder,
	      const char *path);
int rules_allow(const struct ruleset_build *m, int fd, uint64_t access, bool folder,
		const char *path);
/*
 * What is kept back at path: by the inner layer what the broker decides about there; and the right
 * to run all that is in a folder, where some of it must not be.
 */
uint64_t rules_withheld(const struct ruleset_build *m, const char *path);
unsigned rules_decide(const struct ruleset_build *m, const char *path);
/* May a file be run, and new ones in a folder? */
bool rules_run(const struct ruleset_build *m, const char *path);
bool rules_run_below(const struct ruleset_build *m, const char *folder);
/* What is made is filled through the descriptor that made it. */
uint64_t rules_for_broker(unsigned rights);
/* Of what is granted to the broker: does the command get to read or run more by it? */
void rules_note_wider(const struct ruleset_build *m, uint64_t granted, uint64_t planned);
/* What can be granted to what has these rights; and all that a rule could give it. */
uint64_t rules_access_for(const struct ruleset_build *m, const struct reach *reach,
			  const struct held *held);
uint64_t rules_most_for(const struct ruleset_build *m, const struct reach *reach);

/* ---- rules_entries.c ---- */

#define FILE_BY_NAME (FILE_READ | FILE_WRITE | FILE_TRUNCATE | FILE_MAKE_REG | FILE_REMOVE)
/* Are some of its entries for root alone? */
bool rules_is_parted(const char *path);
/* Its names, and all in it that is not for root alone. */
int rules_allow_parts(const struct ruleset_build *m, int folder, const char *path);
/* Hands over every entry of a folder, by its whole name, until one fails. 1: we may not list it. */
struct rules_entry {
	int folder; /* that it is in */
	const char *path;
	unsigned char type; /* as the listing has it: DT_UNKNOWN is possible */
};
typedef int rules_entry_fn(const struct ruleset_build *m, const struct rules_entry *entry,
			   void *context);
int rules_each(const struct ruleset_build *m, int folder, const char *path, rules_entry_fn *fn,
	       void *context);
/* guard: leave out what is for root alone. */
int rules_allow_entries(const struct ruleset_build *m, int folder, const char *path, bool guard);
/* A failure; and what is not there, or not for us, which is passed over unless it is one. */
int rules_not_held(const struct ruleset_build *m, const char *path);
int rules_pass_over(const struct ruleset_build *m, const char *path);

/* ---- rules_exec.c ---- */

/* The right to run what is in a folder with a denied program somewhere in it. */
int rules_exec_list(const struct ruleset_build *m, int folder, const char *path);
