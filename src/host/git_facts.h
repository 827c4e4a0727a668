/* SPDX-License-Identifier: MIT */
/* What was found out about git's folders and settings, as a part of struct host. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct gitdirs {
	const char *git_dir;	/* canonical, or NULL */
	const char *common_dir; /* canonical; the same as git_dir for a submodule */
	const char *inner;   /* canonical: what the pointer names in the project itself, or NULL */
	const char *refused; /* why a pointer was not believed, for people; or NULL */
};

enum hookdir_kind {
	HOOKDIR_HOOKS,	  /* git runs what lies in it, or copies it to where it is run */
	HOOKDIR_NAMES,	  /* it holds much else: only what is named like a hook is one */
	HOOKDIR_UNKNOWN,  /* anything below it that is named like a hook may be one */
	HOOKDIR_SETTINGS, /* git obeys it */
	HOOKDIR_PROGRAM,  /* git runs it */
	HOOKDIR_FILE,	  /* a file that such a program may be told to run; it is there */
	HOOKDIR_REMOTE	  /* a repository that is pushed to: it may change, and not become a link */
};

struct hookdir {
	enum hookdir_kind kind;
	const char *path; /* canonical */
	bool is_there;
};

struct hooktexts {
	const char **items;
	size_t count;
};

/* As settings have it, tildes replaced. */
struct hookwords {
	struct hooktexts hooks;	   /* folders */
	struct hooktexts programs; /* the first words of commands, */
	struct hooktexts files;	   /* and the others, which may be some */
};

struct hookdirs {
	struct hookdir *items;
	size_t count;
	struct hookwords words;	 /* of the user's, relative: each repository may have such */
	struct hooktexts places; /* that a value led to or by, and "/" where that cannot be told */
};
