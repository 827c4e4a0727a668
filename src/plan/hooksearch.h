/* SPDX-License-Identifier: MIT */
/* One search for what git's settings name, for hookdir.c and hooksearch.c. */
#pragma once

#include "plan/hookdir.h"

struct texts {
	const char **items;
	size_t count;
};

struct hooksearch {
	struct arena *arena;
	const struct host *host;
	const char *inside;    /* only what lies below it counts; NULL: all */
	struct texts values;   /* as written, of folders with hooks */
	struct texts programs; /* the first words of commands, */
	struct texts files;    /* and the others, which may be some */
	struct texts remotes;  /* repositories of this machine */
	struct texts roots;    /* what relative ones start from */
	int looked, read;      /* files of settings, there or not; those that are */
	bool is_unread;	       /* there are settings that cannot be read */
	struct hookdirs *to;
	struct cordon_error *err;
};

/* text NULL: there was no memory for it. */
int hooksearch_keep(struct hooksearch *s, struct texts *to, const char *text);
/* Where path leads, and the links on the way: who replaces one of them leads git elsewhere. */
int hooksearch_add(struct hooksearch *s, enum hookdir_kind kind, const char *path);
/* One file of settings, and what it includes; depth is 0. path NULL: there was no memory for it. */
int hooksearch_read(struct hooksearch *s, const char *path, int depth);
