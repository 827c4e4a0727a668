/* SPDX-License-Identifier: MIT */
/* Properties of the machine and the caller, gathered once, so that planning is pure. */
#pragma once

#include "host/fs_view.h"
#include "host/git_facts.h"
#include "policy/model/model.h"

struct verdict;

/* Lookup of rights in casefold directories, where names of different case are one file. */
struct spelling {
	/* path is canonical; the result points into spelling and lives as long */
	struct verdict (*decide)(const struct spelling *spelling, const char *path);
	/* like path_below, ignoring case where the directory does: length of root in path, or 0 */
	size_t (*below)(const char *path, const char *root);
};

struct host {
	enum system system;
	enum command command;
	const char *home;      /* NULL: not known */
	const char *cwd;       /* canonical */
	const char *cwd_token; /* value of $CWD; NULL if that would be a home or contain one */
	const char *project;   /* canonical */
	bool has_no_project; /* project is the working directory, which holds too much to be granted */
	const char *
		project_marker; /* its .git if a directory above would be the project without it; or NULL */
	const char *system_dir; /* directory of the system's policy file; NULL: not known */
	const char *config_dir; /* the user's cordon/ directories; NULL: not known */
	const char *state_dir;
	const char *runtime_dir;
	struct git_dirs git;
	struct git_ref_paths hooks;
	const char *const *environ; /* NAME=VALUE, NULL-terminated */
	const struct fs_view *view;
	const char *mounts; /* text of /proc/self/mountinfo; NULL: no mounts are known */
	bool mounts_hidden; /* mountinfo exists but cannot be read */
	const struct spelling *spelling; /* set by `why`; NULL: names are compared as spelt */
};

/* Value of an environment variable of the caller, or NULL. */
const char *host_getenv(const struct host *host, const char *name);

/* Reads a file for the plan into arena. */
int host_read_file(struct arena *arena, const char *path, size_t max, char **ret_text,
		   size_t *ret_length, struct cordon_error *err);

/* A written path that may contain tokens. */
struct token_text {
	const char *text;
	struct srcpos srcpos; /* for messages */
	bool optional;	      /* an unset token gives NULL instead of an error */
	bool glob;	      /* the text is a glob: quote the values */
};

/* Replaces the tokens of a path. Returns the text itself if it has none. */
int host_expand_token(struct arena *arena, const struct host *host, const struct token_text *text,
		      const char **ret_path, struct cordon_error *err);
