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

struct listener {
	uint64_t cookie;
	uint64_t by; /* the sandbox inside this one whose process listens; 0: none */
};

struct own_listeners {
	pthread_mutex_t still; /* held while one begins to listen, and while one is connected to */
	pthread_mutex_t lock;  /* for the rest */
	struct listener *all;
	size_t count, room;
};

/* Who was found: the same mark twice, with still held: the same sockets listened all the while between. */
struct listening_by {
	uint64_t mark;
	uint64_t nest; /* of all of them; 0: of none, or not of the same */
};

enum listening {
	LISTENS_NOBODY,
	LISTENS_OTHER, /* somebody who is not of the session, or nobody knows */
	LISTENS_OWN,   /* whoever comes is taken by the session, and by nobody else */
	LISTENS_FULL   /* the same, but not right now */
};

/* To be called with still held before fd, a TCP socket, listens. Without memory it is nobody's. */
void own_listeners_add(struct own_listeners *listeners, int fd, uint64_t by);
/* Who takes a connection to this address (IPv4 as mapped) and port. */
enum listening own_listeners_find(struct own_listeners *listeners, const uint8_t address[16],
				  uint16_t port, struct listening_by *ret_by);
