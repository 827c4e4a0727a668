/* SPDX-License-Identifier: MIT */
/*
 * The table of the sandboxes inside this one. A place is used again when the sandbox has ended and no call knows
 * it; a number never is. All of it is for who holds the lock.
 */
#pragma once

#include "linux/broker/nest.h"

#define CHUNK 64
#define CHUNKS 64
#define PLACES (CHUNK * CHUNKS)

struct nests {
	pthread_mutex_t lock;
	uint64_t plain, top; /* the mark of a process in no nest; that of nest 0 */
	uint64_t made;	     /* nests that there ever were */
	int count;	     /* places that were ever in use */
	int next, swept;     /* the place that is looked at next: for another nest, for its line */
	struct nest *chunks[CHUNKS];
};

static inline struct nest *
nest_at(const struct nests *nests, int place)
{
	return &nests->chunks[place / CHUNK][place % CHUNK];
}

static inline bool
has_line(const struct nest *nest)
{
	return __atomic_load_n(&nest->line, __ATOMIC_RELAXED) >= 0;
}

/* The place of a new one, or -1 with errno. */
int nests_add(struct nests *nests, int parent, bool is_unregistered, int line);
/* Closes lines whose other end is gone, looking at so many places. An agent may run thousands, one after the other. */
void nests_close_dead(struct nests *nests, int places);
/* Are there as many lines as may be, in all or in the sandbox that parent is in? numbers: of our descriptors. */
bool nests_are_full(const struct nests *nests, int parent, int numbers);
