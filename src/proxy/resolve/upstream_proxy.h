/* SPDX-License-Identifier: MIT */
/* The caller's own proxy, as its environment names it. What we connect to goes through it. */
#pragma once

#include "cordon/cordon.h"
#include "proxy/wire/hostname.h"

struct upstream {
	char host[NAME_SIZE]; /* a name or an address; empty: there is none */
	unsigned port;
	char header[700]; /* "Proxy-Authorization: ...\r\n", or empty */
};

struct upstreams {
	struct upstream plain, tunnel; /* for http URLs, and for everything else */
	const char *except;	       /* NO_PROXY; never NULL */
};

int upstreams_read(const char *const *environ, struct upstreams *ret_upstreams,
		   struct cordon_error *err);
/* The one for this name; NULL: directly. */
const struct upstream *upstream_for(const struct upstreams *upstreams, bool is_plain,
				    const char *name);
