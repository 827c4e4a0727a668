// SPDX-License-Identifier: MIT
/* Entries of the table of nests, and limits of open query sockets. */
#include "linux/broker/call/nest_table.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

/* Limits of query sockets, one fd each: per session, and per nest. */
#define LINES_MAX 256
#define LINES_SHARE 4 /* divisor of the broker's fd limit */
#define LINES_EACH(all) ((all) / 2)

/* Has it ended? The broker does nothing more for its processes, nor for unregistered ones in it. */
static bool
has_ended(const struct nests *nests, const struct nest *nest)
{
	while (nest->is_unregistered)
		nest = nest_at(nests, nest->parent);
	return nest->depth > 0 && !has_line(nest);
}

/* Do no call and no other nest refer to it? */
static bool
is_free(const struct nests *nests, struct nest *nest)
{
	bool waits;

	if (nest->users > 0 || nest->inside > 0 || !has_ended(nests, nest))
		return false;
	pthread_mutex_lock(&nest->queue);
	waits = nest->late > 0 || nest->waiting != NULL;
	pthread_mutex_unlock(&nest->queue);
	return !waits;
}

/* Returns an entry never used, or -1. */
static int
find_new_slot(struct nests *nests)
{
	int slot = nests->count;
	struct nest **chunk = &nests->chunks[slot / CHUNK];

	if (slot == SLOTS)
		return -1;
	if (*chunk == NULL)
		*chunk = calloc(CHUNK, sizeof **chunk);
	if (*chunk == NULL)
		return -1;
	pthread_mutex_init(&nest_at(nests, slot)->lock, NULL);
	pthread_mutex_init(&nest_at(nests, slot)->queue, NULL);
	return slot;
}

/* Returns the entry of the nest that ended first, or -1. */
static int
find_free_slot(struct nests *nests)
{
	for (int i = 1; i < nests->count; i++) {
		struct nest *nest, *parent;

		nests->next = nests->next % (nests->count - 1) + 1;
		nest = nest_at(nests, nests->next);
		if (!is_free(nests, nest))
			continue;
		parent = nest_at(nests, nest->parent);
		parent->inside--;
		if (parent->unregistered == nests->next)
			parent->unregistered = 0;
		return nests->next;
	}
	return -1;
}

int
nest_table_add(struct nests *nests, int parent, bool is_unregistered, int line)
{
	uint64_t id = nests->made * SLOTS;
	struct nest *nest, *around = nests->made == 0 ? NULL : nest_at(nests, parent);
	int slot;

	errno = EMFILE;
	if (nests->made > 0 && id + SLOTS > nests->top)
		return -1;
	slot = find_new_slot(nests);
	if (slot < 0)
		slot = find_free_slot(nests);
	if (slot < 0)
		return -1;
	nest = nest_at(nests, slot);
	nest->id = id + (uint64_t)slot;
	nest->parent = parent;
	nest->is_unregistered = is_unregistered;
	nest->depth = around == NULL ? 0 : around->depth + 1;
	nest->outermost = nest->depth > 1 ? around->outermost : slot;
	nest->unregistered = nest->inside = 0;
	nest->expects = 0;
	nest->is_pending = false;
	__atomic_store_n(&nest->line, line, __ATOMIC_RELAXED);
	if (around != NULL)
		around->inside++;
	nests->made++;
	if (slot == nests->count)
		__atomic_store_n(&nests->count, slot + 1, __ATOMIC_SEQ_CST);
	return slot;
}

void
nest_table_close_dead(struct nests *nests, int slots)
{
	for (int i = 1; i < nests->count && i <= slots; i++) {
		struct pollfd line = {.events = 0};
		struct nest *nest;

		nests->swept = nests->swept % (nests->count - 1) + 1;
		nest = nest_at(nests, nests->swept);
		/* locked: a query is under way */
		if (!has_line(nest) || pthread_mutex_trylock(&nest->lock) != 0)
			continue;
		line.fd = nest->line;
		if (line.fd >= 0 && poll(&line, 1, 0) == 1)
			nest_close(nest);
		pthread_mutex_unlock(&nest->lock);
	}
}

bool
nest_table_is_full(const struct nests *nests, int parent, int numbers)
{
	int most = numbers > 0 && numbers / LINES_SHARE < LINES_MAX ? numbers / LINES_SHARE
								    : LINES_MAX;
	int outermost = parent == 0 ? 0 : nest_at(nests, parent)->outermost, all = 0, beside = 0;

	for (int i = 1; i < nests->count; i++) {
		const struct nest *nest = nest_at(nests, i);

		all += has_line(nest);
		beside += has_line(nest) && nest->outermost == outermost;
	}
	return all >= most || (outermost > 0 && beside >= LINES_EACH(most));
}
