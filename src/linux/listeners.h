/* SPDX-License-Identifier: MIT */
/*
 * Servers of the session's own on loopback, told from everybody else's. A socket has a number that
 * no other ever gets (its cookie): those that were made to listen here are remembered, and the
 * kernel is asked who listens at a port now.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listener_entry {
	uint64_t cookie;
	uint64_t times; /* it was told to listen: to stop and begin again is not to have gone on */
};

struct listeners {
	pthread_mutex_t lock;
	struct listener_entry *items;
	size_t count, room;
};

enum listening {
	LISTENS_NOBODY,
	LISTENS_OTHER, /* somebody who is not of the session, or nobody knows */
	LISTENS_OWN    /* whoever comes is taken by the session, and by nobody else */
};

/*
 * To be called before fd, a TCP socket, listens, and again after: one that does not listen is
 * forgotten when room is needed. Without memory it is nobody's.
 */
void listeners_add(struct listeners *listeners, int fd);
/*
 * Who takes a connection to this address (IPv4 as mapped) and port. LISTENS_OWN twice with the same
 * *ret_mark: the same sockets listened all the while between.
 */
enum listening listeners_find(struct listeners *listeners, const uint8_t address[16], uint16_t port,
			      uint64_t *ret_mark);
