/* SPDX-License-Identifier: MIT */
/* Reads which paths the settings of one repository refer to. Decides nothing. */
#pragma once

#include <stdint.h>

#include "git/config/git_ref_paths.h"

/* Nested directories that refer to nothing; to is 0: none. */
struct repo_run {
	uint64_t generation, hash;
	int64_t until;
	size_t from, to; /* lengths of the paths of the first and last */
};

/* A directory, or with a trailing slash a git directory read for its nested repositories. */
struct git_repo {
	char *folder; /* NULL: none */
	uint64_t generation;
	int64_t until;
	struct repo_run run; /* the run that ends here */
	struct arena arena;  /* of the members below */
	struct git_ref_path *dirs;
	size_t count;
	struct git_ref_texts
		places; /* paths that were read: only a change of these can change the result */
	const char
		*nested_dir; /* its git directory if that contains nested repositories; or NULL */
	bool is_failed;
};

/* Has folder an entry of that name, even a dangling link? */
bool git_repo_has(const char *folder, const char *name);
/* Does git take the directory for a repository, whatever its name? */
bool git_repo_is_repository(const char *folder);
bool git_repo_holds_repository(int folder);
/* Is the directory neither a working tree nor a repository? */
bool git_repo_is_plain(int folder);
/* Reads the repository of one->folder. Sets is_failed if memory runs out. */
void git_repo_read(struct git_repo *one, const struct host *host);
/* The same for submodules and worktrees stored in a git directory. */
void git_repo_read_nested(struct git_repo *one, const struct host *host);
/* Reads a repository that may be made. Returns 0, or < 0 without memory. */
int git_repo_read_dir(struct git_repo *one, const struct host *host, const char *root,
		      const char *git_dir);
/* Selects a part of the paths that a directory and its nested repositories refer to. */
struct repo_part {
	const char *folder;
	const char *tree;	      /* those below tree */
	bool is_outside;	      /* or those not below it */
	struct git_ref_texts *places; /* also receives the paths that were read; or NULL */
};
/* Adds that part, in arena. Returns < 0 if something cannot be read. */
int git_repo_collect(struct arena *arena, const struct host *host, const struct repo_part *part,
		     struct git_ref_paths *to);
/* Records that not everything was read: any hook name below folder is protected. */
int git_repo_mark_incomplete(struct arena *arena, const char *folder, struct git_ref_paths *to);
/*
 * Adds paths in the project to which repositories around it refer: those of directories above it,
 * and the one whose worktree it is.
 */
int git_repo_read_parents(struct arena *arena, const struct host *host, struct git_ref_paths *to,
			  struct cordon_error *err);
/* Frees all members and zeroes the struct. */
void git_repo_forget(struct git_repo *one);
