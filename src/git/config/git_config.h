/* SPDX-License-Identifier: MIT */
/*
 * Files that tell git what to do: its config in one or more files, and one-line pointers. They are
 * read as git reads them, or refused; and every key that is not known to be harmless is refused by
 * its name. Pure: what a path leads to is asked of the caller.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Larger ones are not read: nobody's settings are. */
#define GITCONFIG_MAX (1u << 20)

struct gitconfig_item {
	const char *name;  /* section and variable in small letters, the part between as it is */
	const char *value; /* NULL: a name alone, which means true */
};

struct gitconfig {
	struct gitconfig_item *items;
	size_t count;
	const char *bad; /* why the text was refused */
	int line;	 /* and where */
};

/*
 * 1: everything that git would see is in ret; 0: it would refuse the text, or might read it in
 * another way than we do; or an error (no memory).
 */
int git_config_parse(struct arena *arena, const char *text, size_t length, struct gitconfig *ret,
		     struct cordon_error *err);

enum gitconfig_kind {
	GITCONFIG_REPOSITORY, /* config, config.worktree */
	GITCONFIG_MODULES     /* .gitmodules */
};

enum gitconfig_place {
	GITCONFIG_WORKTREE, /* a working tree, as written in a git directory */
	GITCONFIG_BARE,	    /* none: the value says so */
	GITCONFIG_REMOTE,   /* a repository of this machine that is fetched from and pushed to */
	GITCONFIG_SHARED    /* none: the value lets the group change the repository */
};

/* NULL, or why the path must not lead there. */
struct gitconfig_asker {
	const char *(*refuse)(void *context, enum gitconfig_place place, const char *path);
	void *context;
};

struct gitconfig_refusal {
	char what[96];	 /* the key, or the line */
	const char *why; /* "can start a program", ... */
};

struct gitconfig_text {
	const char *text;
	size_t length;
};

/*
 * 1: only harmless keys, and what stands in the present text in the same words (NULL: there is
 * none). 0: refused. Or an error.
 */
int git_keys_check(struct arena *arena, enum gitconfig_kind kind, const struct gitconfig_text *text,
		   const struct gitconfig_text *present, const struct gitconfig_asker *asker,
		   struct gitconfig_refusal *ret, struct cordon_error *err);

/*
 * A remote that is still named keeps the address that it has in the present text (git_remotes.c). 1: text is what
 * is to be written, in arena; 0: it stays as it is; or an error.
 */
int git_remotes_keep(struct arena *arena, struct gitconfig_text *text,
		     const struct gitconfig_text *present, struct cordon_error *err);

/* Does it name a repository by a path that leads elsewhere from another working tree? */
bool git_keys_has_relative_remote(const struct gitconfig *config);

/* The one line of a pointer file after its first word ("" for none), or NULL. In arena. */
const char *git_config_pointer(struct arena *arena, const char *word,
			       const struct gitconfig_text *text, struct cordon_error *err);
