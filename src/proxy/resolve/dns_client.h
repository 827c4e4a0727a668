/* SPDX-License-Identifier: MIT */
/* Asynchronous DNS client: UDP, then TCP if the answer was truncated. */
#pragma once

#include "proxy/loop/timers.h"
#include "proxy/resolve/resolv_conf.h"
#include "proxy/wire/dns.h"

#define LOOKUP_CACHE 256

struct cached;

struct dns_client {
	struct watches *watches;
	struct timers *timers;
	struct resolver resolver;
	struct cached *cache[LOOKUP_CACHE]; /* slot by hash; a new answer replaces the old one */
	unsigned running;
};

/* Returns true if the answer is known: from the hosts file or from a recent query. */
bool dns_client_known(struct dns_client *lookup, const char *name, enum dns_type type,
		      struct dns_answer *ret_answer);

/*
 * Starts a query. done is called once, later, unless the query is dropped first; the query is freed before.
 * Returns NULL if too many queries are pending or memory is short.
 */
struct query;
struct query *dns_client_start(struct dns_client *lookup, const char *name, enum dns_type type,
			       void *owner,
			       void (*done)(void *owner, enum dns_type type,
					    const struct dns_answer *answer));
struct query *dns_client_drop(struct query *query);
