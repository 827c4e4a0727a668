/* SPDX-License-Identifier: MIT */
/* Where names are resolved: resolv.conf and hosts, read once, or the servers that the policy names. */
#pragma once

#include "proxy/wire/hostname.h"
#include "proxy/wire/ip.h"

#define RESOLVER_SERVERS 3

struct host_line {
	struct ip_address address;
	char *name;
};

struct resolver {
	struct ip_address servers[RESOLVER_SERVERS];
	unsigned ports[RESOLVER_SERVERS];
	size_t count;
	struct host_line *hosts; /* lines of allowed names only */
	size_t host_count;
};

/* Parses the text of resolv.conf or hosts. Malformed lines are ignored, as in libc. */
void resolv_conf_read_servers(struct resolver *resolver, const char *text);
void resolv_conf_read_hosts(struct resolver *resolver, const char *text,
			    const struct network *network);
int resolv_conf_load(struct resolver *ret_resolver, const struct network *network,
		     struct cordon_error *err);
void resolv_conf_free(struct resolver *resolver);
/* Returns true if one of the policy's domains covers the name, on any port. */
bool resolv_conf_allows(const struct network *network, const char *name);
