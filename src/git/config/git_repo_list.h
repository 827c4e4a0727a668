/* SPDX-License-Identifier: MIT */
/*
 * The repositories inside the project, except its own. The first change searches near directories;
 * only creating a name of a hook searches all. Directories that the command may be turning into
 * repositories are added as candidates. Each entry has the paths outside it to which its settings
 * refer, and is read again only when a path changes through which it was read.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "git/config/git_repo.h"
#include "git/config/git_repo_paths.h"

#define GIT_REPO_MOMENT_NS 1000000000ll

struct git_repo_entry {
	char *path;
	int64_t until;	       /* it counts until then, repository or not; 0: it is a repository */
	struct git_repo named; /* what it refers to outside itself */
	struct git_ref_texts
		keys;	 /* of the paths through which it was read, in the arena of named */
	bool is_changed; /* not read yet, or not since a change */
	int64_t due;	 /* when to read it again, because the user may have changed it */
	struct git_repo_entry *before, *behind; /* list in which entries to be read come first */
};

enum git_repo_search { GIT_REPO_SEARCH_NONE, GIT_REPO_SEARCH_NEAR, GIT_REPO_SEARCH_ALL };

struct git_repo_list {
	pthread_mutex_t walking;       /* taken during a search: one at a time */
	struct git_repo_entry **items; /* sorted by path */
	size_t count, many;	       /* many: count at which vanished entries are removed */
	struct git_repo_entry *first, *last;
	struct git_repo_entry **naming; /* entries that refer to something */
	size_t naming_count;
	bool is_naming_old; /* naming must be rebuilt */
	struct git_repo_paths places;
	uint64_t changes; /* generation; something read meanwhile may be older */
	size_t exact;	  /* length of the project's path, in which case is significant */
	enum git_repo_search searched; /* how far the search went */
	bool is_whole;		       /* and whether it covered everything */
};

void git_repo_list_start(struct git_repo_list *roots);
void git_repo_list_end(struct git_repo_list *roots);
/* Clock of all times here. */
int64_t git_repo_list_now(void);

/* The caller of the following functions holds the lock that protects the list. */

/* Searches that far, without the lock, unless done before. False: the search failed. */
bool git_repo_list_find(struct git_repo_list *roots, pthread_mutex_t *lock, const char *project,
			enum git_repo_search search);
/* Adds the first length bytes of path, which may become a repository. */
bool git_repo_list_add_candidate(struct git_repo_list *roots, const char *path, size_t length,
				 int64_t time);
/* A name changed at path. NULL: anywhere. */
void git_repo_list_changed(struct git_repo_list *roots, const char *path);

/*
 * Returns paths of entries to read: those that changed, and those whose time is over. A few are
 * read early, so that frequent callers never have to read all at once. Candidates whose time is
 * over are removed unless they are repositories. time 0: only those that changed. False: no memory.
 */
bool git_repo_list_due(struct git_repo_list *roots, struct arena *arena, int64_t time,
		       struct git_ref_texts *ret);
/* Stores what was read since generation `changes`. Takes over the contents of named. */
bool git_repo_list_read(struct git_repo_list *roots, const char *path, struct git_repo *named,
			uint64_t changes, int64_t time);
/* Rebuilds naming. */
bool git_repo_list_list(struct git_repo_list *roots);
/* Returns paths of entries that were read through path or something below it. False: no memory. */
bool git_repo_list_below(const struct git_repo_list *roots, struct arena *arena, const char *path,
			 struct git_ref_texts *ret);
