/* SPDX-License-Identifier: MIT */
/* One search for what git's settings name, for git_ref_paths.c and git_scan.c. */
#pragma once

#include "git/config/git_ref_paths.h"

struct git_scan {
	struct arena *arena;
	const struct host *host;
	const char *inside; /* only what lies below it counts; NULL: all */
	struct git_ref_words words;
	struct git_ref_texts remotes; /* repositories of this machine */
	struct git_ref_texts roots;   /* what relative ones start from */
	int looked, read;	      /* files of settings, there or not; those that are */
	bool is_unread;		      /* there are settings that cannot be read */
	struct git_ref_paths *to;
	struct cordon_error *err;
};

struct gitconfig_item;
struct resolved;

/* text NULL: there was no memory for it. */
int git_scan_keep(struct git_scan *s, struct git_ref_texts *to, const char *text);
/* Where path leads, and the links on the way: who replaces one of them leads git elsewhere. */
int git_scan_add(struct git_scan *s, enum git_ref_kind kind, const char *path);
/* Notes where a path led and by which links. */
int git_scan_pass(struct git_scan *s, const struct resolved *found);
/* One file of settings, and what it includes; depth is 0. path NULL: there was no memory for it. */
int git_scan_read(struct git_scan *s, const char *path, int depth);
/* One of its keys, as if it stood in file. */
int git_scan_item(struct git_scan *s, const char *file, const struct gitconfig_item *item,
		  int depth);
/* git_env.c: what the caller's environment says to git. */
int git_env_scan(struct git_scan *s);
/* git_ref_paths.c: a file of the user's; folder NULL: name is its path. It counts also as a link. */
int git_scan_own(struct git_scan *s, const char *folder, const char *name);
/* git_ref_paths.c: a repository and what it says. */
int git_scan_repository(struct git_scan *s, const struct git_repo_dirs *repo);
/* A path could not be looked at: nobody knows what git runs then. */
int git_scan_fail(struct git_scan *s, const struct cordon_error *why);
/* Says this errno nothing about the file, but that it cannot be read just now? Somebody may want that. */
bool git_scan_is_passing(int why);
