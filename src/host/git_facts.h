/* SPDX-License-Identifier: MIT */
/* What discovery found about git's directories and settings: a part of struct host. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct git_dirs {
	const char *git_dir;	/* canonical, or NULL */
	const char *common_dir; /* canonical; equal to git_dir for a submodule */
	const char
		*inner; /* canonical directory in the project that its .git file names, or NULL */
	const char *refused; /* why a .git file was not followed, for people; or NULL */
};

enum git_ref_kind {
	GIT_REF_HOOKS, /* a hooks directory: git runs its files, or copies them to where they run */
	GIT_REF_NAMES, /* holds other files too: only those named like a hook are hooks */
	GIT_REF_UNKNOWN,  /* any file below named like a hook may be one */
	GIT_REF_SETTINGS, /* a settings file */
	GIT_REF_PROGRAM,  /* a program that git runs */
	GIT_REF_FILE,	  /* an existing argument of such a program, which may be a script */
	GIT_REF_REMOTE	  /* a repository that is pushed to; it may change but not become a link */
};

struct git_ref_path {
	enum git_ref_kind kind;
	const char *path; /* canonical */
	bool is_there;
};

struct git_ref_texts {
	const char **items;
	size_t count;
};

/* Values of settings, with tildes expanded. */
struct git_ref_words {
	struct git_ref_texts hooks;    /* directories */
	struct git_ref_texts programs; /* first words of commands */
	struct git_ref_texts files;    /* further words, which may be files */
};

struct git_ref_paths {
	struct git_ref_path *items;
	size_t count;
	struct git_ref_words
		words; /* relative ones from the user's settings, which apply to each repository */
	struct git_ref_texts
		places; /* paths that a value named or passed; "/" if they cannot be known */
};
