/* SPDX-License-Identifier: MIT */
/*
 * Who decides about names and then acts must not be disturbed in between: not by another thread, and not
 * by another session of the user's, which has a broker of its own and may work in the same project. All
 * of these lock one file; what stands in it tells the others that something is not as they remember it.
 */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct git_repo_cache;

struct names_lock {
	pthread_rwlock_t lock; /* for our own threads */
	pthread_mutex_t gate;  /* for sharing and turn */
	int others;	       /* the file; -1: there is none, and nobody else is known */
	unsigned sharing;      /* threads of ours that do */
	uint64_t generation;   /* as it was when we looked last */
	struct git_repo_cache
		*memory;	    /* forgotten when another session has changed names; or NULL */
	bool is_taken;		    /* by one of ours, alone */
	bool keeps_memory;	    /* nothing that we remember was changed by that one */
	char changing[2][PATH_MAX]; /* by that one; "": nothing more */
};

/* How one call holds it. */
struct names_hold {
	struct names_lock *names;
	enum { NAMES_FREE, NAMES_SHARED, NAMES_EXCLUSIVE } how;
};

/* What was as it is when the lock was lent. */
struct names_lock_loan {
	bool is_taken;
	uint64_t generation, motions;
	int64_t until;
};

void names_lock_start(struct names_lock *names);
/* Beside others who only share. */
void names_rdlock(struct names_hold *hold);
/* Alone. Who has it says what will be changed before it is: everything that is remembered is forgotten else. */
void names_wrlock(struct names_hold *hold);
void names_lock_changes(struct names_lock *names, const char *path, const char *other);
/* Nothing came of it that this session remembers. */
void names_lock_keep_memory(struct names_lock *names);
void names_unlock(struct names_hold *hold);
/*
 * Whoever has to wait for somebody else's answer lends the lock to other sessions meanwhile: false when the
 * call holds nothing. Afterwards: has nothing happened that it kept from happening? Then it is as
 * if it had been kept; else whatever was decided is to be decided anew.
 */
bool names_suspend(const struct names_hold *hold, struct names_lock_loan *ret_loan);
bool names_resume(const struct names_hold *hold, const struct names_lock_loan *loan);
