/* SPDX-License-Identifier: MIT */
/*
 * What the settings of the repository that a folder is the working tree of name as git's. Reads settings
 * and pointers, and decides nothing.
 */
#pragma once

#include <stdint.h>

#include "git/config/git_ref_paths.h"

/* Folders one below the other that name nothing; to 0: none. */
struct looked_run {
	uint64_t turn, hash;
	int64_t until;
	size_t from, to; /* lengths of the paths of the first and the last of them */
};

/* A folder that was looked at, or with a slash behind it a git directory for those that it keeps. */
struct git_repo {
	char *folder; /* NULL: none */
	uint64_t turn;
	int64_t until;
	struct looked_run run; /* that ends here */
	struct arena arena;    /* of what follows */
	struct git_ref_path *dirs;
	size_t count;
	struct git_ref_texts
		places;	    /* that were looked at; who changes none of them changes nothing here */
	const char *keeper; /* its git directory, if there are others in that; or NULL */
	bool is_failed;
};

/* Is there something of that name in it, be it a link? */
bool git_repo_has(const char *folder, const char *name);
/* Does it hold what makes git take it for one, whatever its name? */
bool git_repo_is_repository(const char *folder);
bool git_repo_holds_repository(int folder);
/* Is the folder neither a working tree nor a repository? */
bool git_repo_is_plain(int folder);
/* From its folder on; for want of memory it is marked as failed. */
void git_repo_read(struct git_repo *one, const struct host *host);
/* The same for the submodules and worktrees that are kept in a git directory. */
void git_repo_read_nested(struct git_repo *one, const struct host *host);
/* A repository that may come to be: 0, or for want of memory less. */
int git_repo_read_dir(struct git_repo *one, const struct host *host, const char *root,
		      const char *git_dir);
/* Which part of what a folder and those that are kept in it name. */
struct looked_part {
	const char *folder;
	const char *tree;	      /* what lies in this, */
	bool is_outside;	      /* or does not */
	struct git_ref_texts *places; /* also adds those that were looked at; or NULL */
};
/* Adds it, in arena. Less than 0: it cannot be seen. */
int git_repo_collect(struct arena *arena, const struct host *host, const struct looked_part *part,
		     struct git_ref_paths *to);
/* There is more than was looked at: any name of a hook below the folder may be one. */
int git_repo_mark_incomplete(struct arena *arena, const char *folder, struct git_ref_paths *to);
/*
 * Adds what those name in the project that lie around it: of the folders above it, and the one whose
 * worktree it is.
 */
int git_repo_read_parents(struct arena *arena, const struct host *host, struct git_ref_paths *to,
			  struct cordon_error *err);
/* Leaves nothing behind. */
void git_repo_forget(struct git_repo *one);
