/* SPDX-License-Identifier: MIT */
/*
 * The repositories inside the project, without the one that it is itself. At the first change the nearest
 * folders are looked into, a few; all of them only when a name is to be made that git would run as a hook.
 * Those that the command makes are expected. What each of them names outside of itself is kept with it, and
 * read again when a name changes by which it was read: never because of another one.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "git/config/git_repo.h"
#include "git/config/git_repo_paths.h"

#define HOOKROOTS_MOMENT_NS 1000000000ll

struct git_repo_entry {
	char *path;
	int64_t until; /* it counts whether it is a repository or not; 0: it was found to be one */
	struct git_repo named;	   /* outside of itself */
	struct git_ref_texts keys; /* of the places that it was read by, in its arena */
	bool is_changed;	   /* it was not read yet, or not since a change */
	int64_t due;		   /* when it is read again, because the user may have changed it */
	struct git_repo_entry *before, *behind; /* those that are to be read come first */
};

enum hookroots_reach { HOOKROOTS_NOWHERE, HOOKROOTS_NEAR, HOOKROOTS_ALL };

struct git_repo_list {
	pthread_mutex_t walking;       /* one looks for them, and no other */
	struct git_repo_entry **items; /* sorted by their paths */
	size_t count, many;	       /* with as many, those that are gone are forgotten */
	struct git_repo_entry *first, *last;
	struct git_repo_entry **naming; /* those that name something */
	size_t naming_count;
	bool is_naming_old; /* that list has to be made anew */
	struct git_repo_paths places;
	uint64_t changes;	    /* so far; what was read meanwhile may be older than one */
	size_t exact;		    /* the length of the project's path, which has one spelling */
	enum hookroots_reach reach; /* how far they were looked for, */
	bool is_whole;		    /* and whether that was everywhere */
};

void git_repo_list_start(struct git_repo_list *roots);
void git_repo_list_end(struct git_repo_list *roots);
/* The clock of all times here. */
int64_t git_repo_list_now(void);

/* For what follows the caller holds the lock that the list is under. */

/* Looks for them as far as that, without the lock, unless it was done. false: it cannot be seen. */
bool git_repo_list_find(struct git_repo_list *roots, pthread_mutex_t *lock, const char *project,
			enum hookroots_reach reach);
/* The first length bytes of path may become one. */
bool git_repo_list_add_candidate(struct git_repo_list *roots, const char *path, size_t length,
				 int64_t time);
/* A name changed there. NULL: anywhere. */
void git_repo_list_changed(struct git_repo_list *roots, const char *path);

/*
 * Paths of those that have to be read: all that changed, and all whose time is over. Few are read a little
 * before their time, so that who asks often never has to read all of them at once. time 0: only those that
 * changed. false: there is no memory.
 */
bool git_repo_list_due(const struct git_repo_list *roots, struct arena *arena, int64_t time,
		       struct git_ref_texts *ret);
/* What was read of it, with its places, after that many changes at that time. Takes named over. */
bool git_repo_list_read(struct git_repo_list *roots, const char *path, struct git_repo *named,
			uint64_t changes, int64_t time);
/* Makes the list of those that name something. */
bool git_repo_list_list(struct git_repo_list *roots);
/* Paths of those that were read by way of something at path, or below it. false: there is no memory. */
bool git_repo_list_below(const struct git_repo_list *roots, struct arena *arena, const char *path,
			 struct git_ref_texts *ret);
