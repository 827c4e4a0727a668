/* SPDX-License-Identifier: MIT */
/*
 * Parsing git's settings files and one-line pointer files exactly as git reads them, and checking
 * that new content is harmless. Pure: the caller says where paths lead.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "policy/model/cause.h"

/* Larger files are refused; no real settings are that large. */
#define GITCONFIG_MAX (1u << 20)

struct gitconfig_item {
	const char *name;  /* section and variable in lower case, the subsection as written */
	const char *value; /* NULL: a name without "=", which means true */
};

struct gitconfig {
	struct gitconfig_item *items;
	size_t count;
	enum cause bad; /* why the text was refused */
	int line;	/* where it was refused */
};

/*
 * Returns 1 with every setting that git would see; 0 if git would refuse the text or might read it
 * differently; or an error (no memory).
 */
int git_config_parse(struct arena *arena, const char *text, size_t length, struct gitconfig *ret,
		     struct cordon_error *err);

enum gitconfig_kind {
	GITCONFIG_REPOSITORY, /* config, config.worktree */
	GITCONFIG_MODULES     /* .gitmodules */
};

enum gitconfig_use {
	GITCONFIG_WORKTREE, /* a working tree, as written in a git directory */
	GITCONFIG_BARE,	    /* no path: a value of core.bare */
	GITCONFIG_REMOTE,   /* a local repository that is fetched from and pushed to */
	GITCONFIG_SHARED    /* no path: a value that lets the group change the repository */
};

/* Returns CAUSE_NONE, or why the path must not be used there. */
struct gitconfig_path_check {
	enum cause (*refuse)(void *context, enum gitconfig_use use, const char *path);
	void *context;
};

struct gitconfig_refusal {
	char what[96]; /* the key, or the line */
	enum cause why;
};

struct gitconfig_text {
	const char *text;
	size_t length;
};

/*
 * Returns 1 if the text has only harmless keys and settings that the present text (or NULL) has
 * too; 0 if refused; or an error.
 */
int git_keys_check(struct arena *arena, enum gitconfig_kind kind, const struct gitconfig_text *text,
		   const struct gitconfig_text *present,
		   const struct gitconfig_path_check *path_check, struct gitconfig_refusal *ret,
		   struct cordon_error *err);

/*
 * Keeps the address of a remote that is still named (git_remotes.c). Returns 1 if text was replaced
 * by what to write, in arena; 0 if it is unchanged; or an error.
 */
int git_remotes_keep(struct arena *arena, struct gitconfig_text *text,
		     const struct gitconfig_text *present, struct cordon_error *err);

/* git_remotes.c: has a remote of that name an address? git treats any other name as a path. */
bool git_remotes_has(const struct gitconfig *config, const char *name, size_t length);
/* Is a remote a path that means another directory in another working tree? */
bool git_keys_has_relative_remote(const struct gitconfig *config);

/* Returns the single line of a pointer file after word ("" for none), in arena, or NULL. */
const char *git_config_pointer(struct arena *arena, const char *word,
			       const struct gitconfig_text *text, struct cordon_error *err);
