/* SPDX-License-Identifier: MIT */
/*
 * Keeps a caller on the processor where we are while a descriptor is put into its table. For that the
 * kernel wakes it where nobody is at work, it puts the descriptor there and waits again, and the
 * answer takes it back to us: on its way between the processors an open takes twice as long. The
 * caller cannot see it, because it is in its call all the while.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define AFFINITY_WORDS 16 /* 1,024 processors; with more of them nobody is kept */

/* Of one of our threads. */
struct affinity {
	bool is_useful; /* there are several processors, and all are free to us */
	unsigned long all[AFFINITY_WORDS]; /* these */
	unsigned long here[AFFINITY_WORDS];
	pid_t own, caller; /* we, and who called last */
	int stayed;	   /* calls of that one for which we have been here; 0: we are anywhere */
	bool is_kept;
	pid_t *staying; /* of all our threads: the one that stays, or 0 */
};

/* Looks whether it is of use; by a thread that was not kept anywhere yet. */
void affinity_start(struct affinity *affinity);
/* A thread that was started by one that stays somewhere need not stay there. */
void affinity_reset(const struct affinity *affinity);
/* near is NULL for none. */
void affinity_pin(struct affinity *affinity, pid_t caller);
/* As it was before, unless somebody else changed it meanwhile. */
void affinity_unpin(struct affinity *affinity, pid_t caller);
/* After a call: one that serves alone may stay here for the next, so that it is quicker. */
void affinity_end_call(struct affinity *affinity, bool is_unregistered);
/* There have been no calls for a while: whoever stays may be anywhere again. */
void affinity_end_all(pid_t *staying);
