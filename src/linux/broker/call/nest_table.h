/* SPDX-License-Identifier: MIT */
/*
 * The table of nests. An entry is reused when its nest has ended and no call refers to it; an id is never
 * reused. All functions require the lock.
 */
#pragma once

#include "linux/broker/nest.h"

#define CHUNK 64
#define CHUNKS 64
#define SLOTS (CHUNK * CHUNKS)

struct nests {
	pthread_mutex_t lock;
	uint64_t plain, top; /* nest id of a process in no nest; that of entry 0 */
	uint64_t made;	     /* number of nests so far */
	int count;	     /* entries ever used */
	/* the next entry to try for a new nest, and to check for a closed socket */
	int next, swept;
	struct nest *chunks[CHUNKS];
};

static inline struct nest *
nest_at(const struct nests *nests, int slot)
{
	return &nests->chunks[slot / CHUNK][slot % CHUNK];
}

static inline bool
has_line(const struct nest *nest)
{
	return __atomic_load_n(&nest->line, __ATOMIC_RELAXED) >= 0;
}

/* Returns the entry of a new nest, or -1 with errno. */
int nest_table_add(struct nests *nests, int parent, bool is_unregistered, int line);
/*
 * Checks some entries and closes sockets whose other end is closed. An agent may run thousands of nests in
 * a row.
 */
void nest_table_close_dead(struct nests *nests, int slots);
/* Is the limit of sockets reached, for all nests or for the parent's? numbers: the broker's fd limit. */
bool nest_table_is_full(const struct nests *nests, int parent, int numbers);
