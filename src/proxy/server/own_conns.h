/* SPDX-License-Identifier: MIT */
/*
 * Which connections to the transparent listener and to the stub resolver belong to this session. The broker
 * announces each connect before it happens, and reports the client's address, or that there is none,
 * afterwards. A connection that arrives while none is expected belongs to another process and is closed at
 * once. So is one that is left when every connection expected at its arrival has been named.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proxy/wire/ip.h"

#define OWN_CONNS_EXPECTED 1024 /* limit of the broker's connects under way */
#define OWN_CONNS_ARRIVALS 256	/* arrived, not named; the oldest is closed first */
#define OWN_CONNS_NAMED 256	/* named, not arrived */
#define OWN_CONNS_NAMED_MS 10000

/* The client's end of a connection. */
struct own_conn_end {
	struct ip_address address;
	unsigned port;
	bool is_stub; /* connection to the stub resolver */
};

struct own_conns {
	struct {
		uint64_t id, seq;
	} expected[OWN_CONNS_EXPECTED];
	struct {
		struct own_conn_end end;
		uint64_t seq; /* the last connection expected when this one arrived */
		int fd;
	} arrivals[OWN_CONNS_ARRIVALS];
	struct {
		struct own_conn_end end;
		uint64_t until; /* in ms */
	} named[OWN_CONNS_NAMED];
	unsigned expected_count, arrival_count, named_next;
	uint64_t seq;
};

void own_conns_expect(struct own_conns *own_conns, uint64_t id);
/* The expected connection was named or failed. */
void own_conns_resolve(struct own_conns *own_conns, uint64_t id);
/* Stores a connection that arrived before it was named; takes ownership of fd. */
void own_conns_add(struct own_conns *own_conns, int fd, const struct own_conn_end *end);
/* Takes a stored connection that was named now; -1 if it has not arrived. */
int own_conns_take(struct own_conns *own_conns, const struct own_conn_end *end);
/* Records a name for a connection that has not arrived. */
void own_conns_name(struct own_conns *own_conns, const struct own_conn_end *end, uint64_t now);
bool own_conns_was_named(struct own_conns *own_conns, const struct own_conn_end *end, uint64_t now);
