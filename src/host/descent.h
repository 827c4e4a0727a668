/* SPDX-License-Identifier: MIT */
/*
 * Opens the directories of a path one by one, each from the fd of its parent, so that the kernel
 * looks up every component once.
 */
#pragma once

#include <stddef.h>

struct descent {
	const char *path; /* absolute and canonical */
	int fd;		  /* of the directory reached, or -1 */
	size_t length;	  /* length of its path */
	int why;	  /* the errno that stopped the descent, or 0 */
};

/*
 * Returns the fd of the directory named by the first length bytes of path; length never shrinks.
 * The fd stays open until the next call. -1 with errno, also for all directories below.
 */
int descent_to(struct descent *d, size_t length);
void descent_end(const struct descent *d);
