/* SPDX-License-Identifier: MIT */
/* Asking upstream resolvers, without waiting: over UDP, and over TCP when the answer was cut. */
#pragma once

#include "proxy/loop/timers.h"
#include "proxy/resolve/resolv_conf.h"
#include "proxy/wire/dns.h"

#define LOOKUP_CACHE 256

struct cached;

struct lookup {
	struct watches *watches;
	struct timers *timers;
	struct resolver resolver;
	struct cached *cache[LOOKUP_CACHE]; /* by hash; a newer one replaces */
	unsigned running;
};

/* The answer is there already: from the hosts file, or asked for not long ago. */
bool dns_client_known(struct lookup *lookup, const char *name, enum dns_type type,
		      struct dns_answer *ret_answer);

/*
 * done is called once, later, unless the query is dropped before. NULL: too many already, or no
 * memory. The query is gone when done is called.
 */
struct query;
struct query *dns_client_start(struct lookup *lookup, const char *name, enum dns_type type,
			       void *owner,
			       void (*done)(void *owner, enum dns_type type,
					    const struct dns_answer *answer));
struct query *dns_client_drop(struct query *query);
