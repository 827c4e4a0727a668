/* SPDX-License-Identifier: MIT */
/* State of one scan of git's settings. For git_ref_paths.c, git_scan.c and git_env.c. */
#pragma once

#include "git/config/git_ref_paths.h"

struct git_scan {
	struct arena *arena;
	const struct host *host;
	const char *inside; /* only paths below it count; NULL: all */
	struct git_ref_words words;
	struct git_ref_texts remotes; /* local repositories */
	struct git_ref_texts roots;   /* directories that relative paths start from */
	int looked, read;	      /* settings files tried, and read */
	bool is_unread;		      /* some settings could not be read */
	struct git_ref_paths *to;
	struct cordon_error *err;
};

struct gitconfig_item;
struct resolved;

/* text NULL: the caller ran out of memory. */
int git_scan_add_text(struct git_scan *s, struct git_ref_texts *to, const char *text);
/* Adds the target of path and the links on the way: replacing one would lead git elsewhere. */
int git_scan_add(struct git_scan *s, enum git_ref_kind kind, const char *path);
/* Records where a path led and the links on the way. */
int git_scan_record(struct git_scan *s, const struct resolved *found);
/* Reads a settings file and its includes; depth is 0. path NULL: no memory. */
int git_scan_read(struct git_scan *s, const char *path, int depth);
/* Handles one setting as if it were in file. */
int git_scan_item(struct git_scan *s, const char *file, const struct gitconfig_item *item,
		  int depth);
/* git_env.c: the environment of the caller. */
int git_env_scan(struct git_scan *s);
/* git_ref_paths.c: a file of the user, itself if a link. folder NULL: name is its path. */
int git_scan_own(struct git_scan *s, const char *folder, const char *name);
/* git_ref_paths.c: a repository and its settings. */
int git_scan_repository(struct git_scan *s, const struct git_repo_dirs *repo);
/* Fails: a path could not be examined, so what git runs is unknown. */
int git_scan_fail(struct git_scan *s, const struct cordon_error *why);
/* Is the errno temporary, so that it tells nothing about the file? */
bool git_scan_is_temporary(int why);
