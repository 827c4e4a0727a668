/* SPDX-License-Identifier: MIT */
/*
 * What the proxy is given when a session starts it: a process of its own, with network "domains"
 * only. Its listeners are bound before, so that their numbers are known to the box, and by the
 * session, which keeps them: nobody else gets the numbers while the session lives.
 */
#pragma once

#include <stdint.h>

#include "ipc/proxy_ipc.h"
#include "plan/plan.h"

#define PROXY_TOKEN_LENGTH 32
#define PROXY_USER "cordon"

/* In the order of struct egress, IPv4 before IPv6. */
enum proxy_socket {
	PROXY_NAMED,
	PROXY_NAMED_6,
	PROXY_THROUGH,
	PROXY_THROUGH_6,
	PROXY_STUB,
	PROXY_STUB_6,
	PROXY_SOCKETS
};

struct proxy_task {
	const struct network *network;
	const char *const *environ; /* the caller's: its own proxy is gone through */
	struct egress egress;	    /* its end of the line, and the numbers */
	int sockets[PROXY_SOCKETS]; /* -1: this machine has no IPv6 */
	int events;		    /* where refusals go: ipc/refusal.h */
	int report;		    /* a struct cordon_error, once: code 0, it is ready */
	char token[PROXY_TOKEN_LENGTH + 1];
	pid_t parent; /* it dies with this process; 0: with the line only */
};

/*
 * Confines the calling process for good to what a proxy does: no files, no programs, no processes,
 * TCP connections to these ports only, Internet sockets only, no listening beside what it has.
 */
struct role {
	const uint16_t *ports;
	size_t port_count;
	size_t datagram_count; /* so many of them, from the front, are of resolvers */
	uint16_t listener;     /* where programs that know proxies come */
};
int proxy_sandbox_enter(const struct role *role, struct cordon_error *err);
