/* SPDX-License-Identifier: MIT */
/* May a host and port be connected to? By name, as a program would ask; addresses are vetted later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "sources/merge.h"

struct net_answer {
	bool allowed;
	const char *reason;
	const struct word *domain; /* the pattern that decided, or NULL */
};

/* subject is HOST:PORT or [ADDRESS]:PORT. */
int network_split(const char *subject, char *ret_host, size_t size, unsigned *ret_port,
		  struct cordon_error *err);
struct net_answer network_decide(const struct network *network, const char *host, unsigned port);
/* The same for connect(2), which the broker answers before the proxy. */
struct net_answer network_decide_socket(const struct network *network, const char *host,
					unsigned port);
/* The same for an address of this machine, in network localhost: may it be connected to? */
struct net_answer network_decide_local(const struct network *network, unsigned port);
/* The options that would allow what was not, to be given after the others; nothing where none would. */
void network_advise(const struct network *network, const char *host, unsigned port,
		    const struct net_answer *answer, struct str *to);
/* The same where nobody knows what would have been reached; for people, a clause. */
void network_advise_unnamed(const struct network *network, char *to, size_t size);
/* Is the port among those that a domain may be reached at? */
bool network_has_port(const struct network *network, unsigned port);
/* Is the address (IPv4 as mapped) in a range that value_range accepts? */
bool network_range_covers(const char *range, const uint8_t address[16]);
/* Is the address (IPv4 as mapped) in one of the ranges that a name may lead to? */
bool network_covers_private(const struct network *network, const uint8_t address[16]);
/* 127.0.0.0/8, ::1, 0.0.0.0 and ::, which mean the same to connect(2), localhost, *.localhost. */
bool network_is_loopback(const char *host);
