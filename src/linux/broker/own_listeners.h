/* SPDX-License-Identifier: MIT */
/*
 * Recognises listening loopback sockets of the session. A socket's cookie is never reused: cookies of
 * sockets on which the session called listen are stored, and compared with those that sock_diag reports
 * for a port.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listener {
	uint64_t cookie;
	uint64_t by; /* the nest whose process listens; 0: none */
};

struct own_listeners {
	pthread_mutex_t still; /* locked during listen() and during a connect to an own server */
	pthread_mutex_t lock;  /* protects the rest */
	struct listener *all;
	size_t count, room;
};

/* The listeners found. With still locked, the same mark twice means that the same sockets listened. */
struct listening_by {
	uint64_t listener_set;
	uint64_t nest; /* of all of them; 0: of none, or of different ones */
};

enum listening {
	LISTENS_NOBODY,
	LISTENS_OTHER, /* another process listens, or it is unknown */
	LISTENS_OWN,   /* only sockets of the session accept */
	LISTENS_FULL   /* likewise, but the queue is full */
};

/*
 * Call it with still locked before fd, a TCP socket, listens. Without memory the socket does not count as
 * own.
 */
void own_listeners_add(struct own_listeners *listeners, int fd, uint64_t by);
/* Finds the sockets that would accept a connection to this address (IPv4 as mapped) and port. */
enum listening own_listeners_find(struct own_listeners *listeners, const uint8_t address[16],
				  uint16_t port, struct listening_by *ret_by);
