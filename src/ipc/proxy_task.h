/* SPDX-License-Identifier: MIT */
/*
 * Parameters of the proxy process, with network "domains" only. The session binds the listeners first, so
 * that the sandbox knows their ports, and keeps them open, so that no other process can take the ports
 * while it lives.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

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
	/* the invoker's environment, which may name an upstream proxy */
	const char *const *environ;
	struct egress egress;	    /* the proxy's end of the socket, and the ports */
	int sockets[PROXY_SOCKETS]; /* -1: no IPv6 on this machine */
	int events;		    /* socket for refusals: ipc/refusal.h */
	int report;		    /* pipe for one struct cordon_error; code 0: ready */
	char token[PROXY_TOKEN_LENGTH + 1];
	pid_t parent; /* the proxy dies with this process; 0: only with the socket */
};

/*
 * Confines the calling process to the needs of a proxy: no files, no programs, no new processes, Internet
 * sockets only, TCP connections to these ports only, no new listeners.
 */
struct role {
	const uint16_t *ports;
	size_t port_count;
	size_t datagram_count; /* the first so many ports are of resolvers */
	uint16_t listener;     /* port of the explicit listener */
};
int proxy_sandbox_enter(const struct role *role, struct cordon_error *err);
