/* SPDX-License-Identifier: MIT */
/* May a host and port be connected to, by name? The proxy checks the addresses later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "policy/model/cause.h"
#include "sources/merge.h"

struct net_answer {
	bool allowed;
	enum cause cause;	   /* the reason of a refusal */
	const char *reason;	   /* the reason of a permission */
	const struct word *domain; /* the pattern that decided, or NULL */
};

/* Splits HOST:PORT or [ADDRESS]:PORT. */
int network_split(const char *subject, char *ret_host, size_t size, unsigned *ret_port,
		  struct cordon_error *err);
struct net_answer network_decide(const struct network *network, const char *host, unsigned port);
/* The same for connect(2), which the broker handles before the proxy. */
struct net_answer network_decide_socket(const struct network *network, const char *host,
					unsigned port);
/* May an address of this machine be connected to in network localhost? */
struct net_answer network_decide_local(const struct network *network, unsigned port);
/* Appends the options that would allow a refused connection; nothing if none would. */
void network_advise(const struct network *network, const char *host, unsigned port,
		    const struct net_answer *answer, struct str *to);
/* The same if the host is unknown: a clause for users. */
void network_advise_unnamed(const struct network *network, char *to, size_t size);
/* Is the port among those at which domains may be reached? */
bool network_has_port(const struct network *network, unsigned port);
/* Is the address (IPv4 mapped) in a range that value_range accepts? */
bool network_range_covers(const char *range, const uint8_t address[16]);
/* Is the address (IPv4 mapped) in one of the private ranges that names may resolve to? */
bool network_covers_private(const struct network *network, const uint8_t address[16]);
/* Is this port of this machine listed beside the domains? */
bool network_lists_local(const struct network *network, unsigned port);
/* 127.0.0.0/8, ::1, localhost, *.localhost, and 0.0.0.0 and ::, which connect(2) treats alike. */
bool network_is_loopback(const char *host);
