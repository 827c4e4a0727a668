/* SPDX-License-Identifier: MIT */
/*
 * The repositories inside the project, without the one that it is itself. At the first change the nearest
 * folders are looked into, a few; all of them only when a name is to be made that git would run as a hook.
 * Those that the command makes are expected.
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

enum hookroots_reach { HOOKROOTS_NOWHERE, HOOKROOTS_NEAR, HOOKROOTS_ALL };

struct hookroots {
	pthread_mutex_t walking; /* one looks for them, and no other */
	struct hookroot *items;
	size_t count, many;	    /* with as many, those that are gone are forgotten */
	enum hookroots_reach reach; /* how far they were looked for, */
	bool is_whole;		    /* and whether that was everywhere */
};

void hookroots_start(struct hookroots *roots);
void hookroots_end(struct hookroots *roots);
/* The clock of all times here. */
int64_t hookroots_now(void);

/* For what follows the caller holds the lock that the list is under. */

/* Looks for them as far as that, without the lock, unless it was done. false: it cannot be seen. */
bool hookroots_find(struct hookroots *roots, pthread_mutex_t *lock, const char *project,
		    enum hookroots_reach reach);
/* The first length bytes of path may become one. */
bool hookroots_expect(struct hookroots *roots, const char *path, size_t length, int64_t time);
/* Their paths, for who reads them without the lock; NULL: there is no memory. */
const char **hookroots_copy(const struct hookroots *roots, struct arena *arena, size_t *ret_count);
