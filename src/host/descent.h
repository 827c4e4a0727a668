/* SPDX-License-Identifier: MIT */
/*
 * The folders on a path, held one after the other, each opened from the one above it: the kernel resolves every
 * name once, however many folders are asked for.
 */
#pragma once

#include <stddef.h>

struct descent {
	const char *path; /* absolute and canonical */
	int fd;		  /* of the folder that was reached; -1: none yet */
	size_t length;	  /* of its path */
	int why;	  /* the errno by which it ended, or 0 */
};

/*
 * The folder whose path is the first length bytes, at least as many as the last time. It stays open until the
 * next call. -1: errno says why, and the folders below it give the same.
 */
int descent_to(struct descent *d, size_t length);
void descent_end(const struct descent *d);
