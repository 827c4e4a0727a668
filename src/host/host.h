/* SPDX-License-Identifier: MIT */
/* What the machine and the caller tell, gathered once, so that planning itself is pure. */
#pragma once

#include "host/fs_view.h"
#include "host/git_facts.h"
#include "policy/model/model.h"

struct verdict;

/* Where names of different spelling may be one: what a plan says of all of them. */
struct spelling {
	/* path is canonical; what the answer points to stays as long as this */
	struct verdict (*decide)(const struct spelling *spelling, const char *path);
	/* as path_below, in any spelling: the length of the part of path that is root, or 0 */
	size_t (*below)(const char *path, const char *root);
};

struct host {
	enum system system;
	enum command command;
	const char *home;      /* NULL: not known */
	const char *cwd;       /* canonical */
	const char *cwd_token; /* what $CWD stands for; NULL when that would be a home or more */
	const char *project;   /* canonical */
	const char *
		mark; /* its .git, where without that a folder around it would be the project; or NULL */
	const char *system_dir; /* where the system's policy file is; NULL: not known */
	const char *config_dir; /* the user's cordon/ folders; NULL: not known */
	const char *state_dir;
	const char *runtime_dir;
	struct git_dirs git;
	struct git_ref_paths hooks;
	const char *const *environ; /* NAME=VALUE, NULL-terminated */
	const struct fs_view *view;
	const char *mounts; /* as /proc/self/mountinfo has them; NULL: none are known */
	bool mounts_hidden; /* there may be some, and they are kept from us */
	const struct spelling *spelling; /* for who explains; NULL: a name is as it is spelt */
};

/* Value of a variable of the caller, or NULL. */
const char *host_getenv(const struct host *host, const char *name);

/* A file of the machine that a plan looks into: 0, with its text in arena, or why not. */
int host_read_file(struct arena *arena, const char *path, size_t max, char **ret_text,
		   size_t *ret_length, struct cordon_error *err);

/* How a path with tokens is written. */
struct token_text {
	const char *text;
	struct place place; /* for messages */
	bool optional;	    /* an unset token gives NULL instead of an error */
	bool glob;	    /* values are put in so that a glob takes them literally */
};

/* A written path with its tokens replaced, not yet resolved; the text itself where it has none. */
int host_expand_token(struct arena *arena, const struct host *host, const struct token_text *text,
		      const char **ret_path, struct cordon_error *err);
