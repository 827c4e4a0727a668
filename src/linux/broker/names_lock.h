/* SPDX-License-Identifier: MIT */
/*
 * Serialises decisions about names with the action that follows, against other threads and against other
 * sessions of the user, which have their own brokers and may work in the same project. All of them lock
 * ranges of one file (names_range.h), whose content also tells which cached settings are outdated.
 */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "linux/broker/names_range.h"

struct brokered_trees;
struct git_repo_cache;
struct names_state;

/* Threads that can hold the lock of the file at a time; the others wait. */
#define NAMES_LINES 5

struct names_lock {
	pthread_rwlock_t lock; /* for the threads of this broker */
	pthread_mutex_t gate;  /* protects the members up to memory */
	pthread_cond_t freed;  /* a line is free */
	/* fds of the lock file, each with its own locks; none: no other session is known */
	int lines[NAMES_LINES];
	int line_count;
	bool is_busy[NAMES_LINES];
	struct names_state *state; /* content of the file; NULL: not readable */
	uint64_t generation;	   /* generation last read from it */
	struct names_mounts mounts;
	struct names_ranges last; /* where the last call was */
	char *even;		  /* a directory with the same ranges for all paths below, */
	struct names_ranges even_ranges;
	struct git_repo_cache
		*memory;  /* cache to invalidate when another session has changed names; or NULL */
	bool is_taken;	  /* a thread of this broker holds it exclusively */
	bool keeps_cache; /* that thread changes nothing that is cached */
	char changing[2][PATH_MAX]; /* the paths that it changes; "": none */
	/* a path is locked with the topmost of these directories that it is in; or NULL */
	const struct brokered_trees *trees;
	const char *private_tmp;
};

/* The state of the lock for one call. */
struct names_use {
	struct names_lock *names;
	enum { NAMES_FREE, NAMES_SHARED, NAMES_EXCLUSIVE } how;
	struct names_ranges ranges;
	int line; /* index; -1: none */
};

/* State at the time of names_lock_suspend. */
struct names_lock_loan {
	int slot; /* in the lock file */
	uint64_t motions, changes;
	int64_t until;
};

/* Stands for all paths. */
#define NAMES_ALL ""

void names_lock_start(struct names_lock *names);
/* Other sessions have the same file, an fd of which is given; -1: none. */
void names_lock_join(struct names_lock *names, int file);
void names_lock_leave(struct names_lock *names);
/*
 * Locks path shared. NULL: not known yet, so the last path is locked: call names_lock_covers when the path is
 * known, and if it is not covered, unlock and lock again.
 */
void names_lock_read(struct names_use *use, const char *path);
bool names_lock_covers(const struct names_use *use, const char *path);
/* Locks two paths exclusively; the second may be NULL. Call names_lock_changes before a change. */
void names_lock_write(struct names_use *use, const char *path, const char *other);
/* Tells other sessions. Without it, all cached settings are invalidated after the change. */
void names_lock_changes(struct names_lock *names, const char *path, const char *other);
/* The holder changes nothing that this session caches. */
void names_lock_keep_cache(struct names_lock *names);
void names_lock_release(struct names_use *use);
/*
 * names_lock_suspend releases the lock to other sessions while a call takes long; false: it is not released.
 * names_lock_resume locks again, and returns false if another session may have changed names there, or if it
 * took too long: then all decisions must be repeated.
 */
bool names_lock_suspend(struct names_use *use, struct names_lock_loan *ret_loan);
bool names_lock_resume(struct names_use *use, const struct names_lock_loan *loan);
