/* SPDX-License-Identifier: MIT */
/* What was found out about git's folders and settings, as a part of struct host. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct git_dirs {
	const char *git_dir;	/* canonical, or NULL */
	const char *common_dir; /* canonical; the same as git_dir for a submodule */
	const char *inner;   /* canonical: what the pointer names in the project itself, or NULL */
	const char *refused; /* why a pointer was not believed, for people; or NULL */
};

enum git_ref_kind {
	GIT_REF_HOOKS,	  /* git runs what lies in it, or copies it to where it is run */
	GIT_REF_NAMES,	  /* it holds much else: only what is named like a hook is one */
	GIT_REF_UNKNOWN,  /* anything below it that is named like a hook may be one */
	GIT_REF_SETTINGS, /* git obeys it */
	GIT_REF_PROGRAM,  /* git runs it */
	GIT_REF_FILE,	  /* a file that such a program may be told to run; it is there */
	GIT_REF_REMOTE	  /* a repository that is pushed to: it may change, and not become a link */
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

/* As settings have it, tildes replaced. */
struct git_ref_words {
	struct git_ref_texts hooks;    /* folders */
	struct git_ref_texts programs; /* the first words of commands, */
	struct git_ref_texts files;    /* and the others, which may be some */
};

struct git_ref_paths {
	struct git_ref_path *items;
	size_t count;
	struct git_ref_words words; /* of the user's, relative: each repository may have such */
	struct git_ref_texts
		places; /* that a value led to or by, and "/" where that cannot be told */
};
