/* SPDX-License-Identifier: MIT */
/*
 * Serialises decisions about names with the action that follows, against other threads and against other
 * sessions of the user, which have their own brokers and may work in the same project. All of them lock
 * one file, whose content also tells which cached settings are outdated.
 */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct git_repo_cache;

struct names_lock {
	pthread_rwlock_t lock; /* for the threads of this broker */
	pthread_mutex_t gate;  /* protects sharing and generation */
	int others;	       /* fd of the lock file; -1: none, so no other session is known */
	unsigned sharing;      /* threads that hold it shared */
	uint64_t generation;   /* generation last read from the file */
	struct git_repo_cache
		*memory;   /* cache to invalidate when another session has changed names; or NULL */
	bool is_taken;	   /* a thread of this broker holds it exclusively */
	bool keeps_memory; /* that thread changes nothing that is cached */
	char changing[2][PATH_MAX]; /* the paths that it changes; "": none */
};

/* The state of the lock for one call. */
struct names_hold {
	struct names_lock *names;
	enum { NAMES_FREE, NAMES_SHARED, NAMES_EXCLUSIVE } how;
};

/* State at the time of names_suspend. */
struct names_lock_loan {
	bool is_taken;
	uint64_t generation, motions;
	int64_t until;
};

void names_lock_start(struct names_lock *names);
/* Locks shared. */
void names_rdlock(struct names_hold *hold);
/* Locks exclusively. Call names_lock_changes before a change, or all cached settings are invalidated. */
void names_wrlock(struct names_hold *hold);
void names_lock_changes(struct names_lock *names, const char *path, const char *other);
/* The holder changes nothing that this session caches. */
void names_lock_keep_memory(struct names_lock *names);
void names_unlock(struct names_hold *hold);
/*
 * names_suspend releases the lock to other sessions while a call waits for a nest; false: nothing to
 * release. names_resume locks again, and returns false if another session may have changed names, or if an
 * exclusive holder waited too long: then all decisions must be repeated.
 */
bool names_suspend(const struct names_hold *hold, struct names_lock_loan *ret_loan);
bool names_resume(const struct names_hold *hold, const struct names_lock_loan *loan);
