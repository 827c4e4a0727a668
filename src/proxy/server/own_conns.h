/* SPDX-License-Identifier: MIT */
/*
 * Which connections to the ports of redirected connections and of the resolver are the session's own.
 * The broker says before each connect that one will come, and after it from which address, or that none
 * does. What arrives while none is expected is of another process and closed at once; so is what is
 * left when all that were expected as it arrived have been named.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proxy/wire/ip.h"

#define OWN_CONNS_EXPECTED 1024 /* the broker has no more connects under way */
#define OWN_CONNS_ARRIVALS 256	/* not named yet; the oldest goes first */
#define OWN_CONNS_NAMED 256	/* named, and not there yet */
#define OWN_CONNS_NAMED_MS 10000

/* The client's end of a connection. */
struct own_conn_end {
	struct ip_address address;
	unsigned port;
	bool is_stub; /* it is for the resolver */
};

struct own_conns {
	struct {
		uint64_t id, seq;
	} expected[OWN_CONNS_EXPECTED];
	struct {
		struct own_conn_end end;
		uint64_t seq; /* the last one that was expected as it arrived */
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
/* It has been named, or does not come. */
void own_conns_resolve(struct own_conns *own_conns, uint64_t id);
/* One that arrived before it was named; the descriptor is the gate's. */
void own_conns_hold(struct own_conns *own_conns, int fd, const struct own_conn_end *end);
/* Such a one that has been named now; -1: it has not arrived. */
int own_conns_take(struct own_conns *own_conns, const struct own_conn_end *end);
/* The other way round: it is named first. */
void own_conns_name(struct own_conns *own_conns, const struct own_conn_end *end, uint64_t now);
bool own_conns_was_named(struct own_conns *own_conns, const struct own_conn_end *end, uint64_t now);
