/* SPDX-License-Identifier: MIT */
/*
 * Who decides about names and then acts must not be disturbed in between: not by another thread, and not
 * by another session of the user's, which has a broker of its own and may work in the same project. All
 * of these lock one file; what stands in it tells the others that something is not as they remember it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct hookmemory;

struct namelock {
	pthread_rwlock_t lock;	   /* for our own threads */
	pthread_mutex_t gate;	   /* for sharing and turn */
	int others;		   /* the file; -1: there is none, and nobody else is known */
	unsigned sharing;	   /* threads of ours that do */
	uint64_t turn;		   /* as it was when we looked last */
	struct hookmemory *memory; /* forgotten when another session has changed names; or NULL */
	bool is_taken;		   /* by one of ours, alone */
};

void namelock_start(struct namelock *names);
/* Beside others who only share. */
void namelock_share(struct namelock *names);
/* Alone. */
void namelock_take(struct namelock *names);
void namelock_leave(struct namelock *names);
