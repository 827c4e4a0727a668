/* SPDX-License-Identifier: MIT */
/* The proxy that the invoker's environment names. All connections go through it. */
#pragma once

#include "cordon/cordon.h"
#include "proxy/wire/hostname.h"

struct upstream {
	char host[NAME_SIZE]; /* name or address; empty: no proxy */
	unsigned port;
	char header[700]; /* "Proxy-Authorization: ...\r\n", or empty */
};

struct upstreams {
	struct upstream plain, tunnel; /* plain for http URLs, tunnel for everything else */
	const char *except;	       /* NO_PROXY; never NULL */
};

int upstreams_read(const char *const *environ, struct upstreams *ret_upstreams,
		   struct cordon_error *err);
/* Returns the proxy for this name; NULL: connect directly. */
const struct upstream *upstream_for(const struct upstreams *upstreams, bool is_plain,
				    const char *name);
