/* SPDX-License-Identifier: MIT */
/*
 * The repositories inside the project, without the one that it is itself. They are looked for at the first
 * change, and now and then once more; those that the command makes are expected.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "base/mem.h"

#define HOOKROOTS_MOMENT_NS 1000000000ll

struct hookroot {
	char *path;
	int64_t until; /* it counts whether it is a repository or not; 0: it was found to be one */
};

struct hookroots {
	pthread_mutex_t walking; /* one looks for them, and no other */
	struct hookroot *items;
	size_t count;
	bool is_walked, is_whole; /* they were looked for, and everywhere, */
	int64_t again;		  /* and when that is done again */
};

void hookroots_start(struct hookroots *roots);
void hookroots_end(struct hookroots *roots);
/* The clock of all times here. */
int64_t hookroots_now(void);

/* For what follows the caller holds the lock that the list is under. */

/*
 * Looks for them if it is time to, without the lock; *time is then a later one, and again another. false:
 * it cannot be seen.
 */
bool hookroots_find(struct hookroots *roots, pthread_mutex_t *lock, const char *project,
		    int64_t *time);
/* The first length bytes of path may become one. */
bool hookroots_expect(struct hookroots *roots, const char *path, size_t length, int64_t time);
/* Their paths, for who reads them without the lock; NULL: there is no memory. */
const char **hookroots_copy(const struct hookroots *roots, struct arena *arena, size_t *ret_count);
