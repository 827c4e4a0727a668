/* SPDX-License-Identifier: MIT */
/*
 * A connect on behalf, on the caller's own socket, to an address that was read once and checked. A
 * receiving thread never waits for it: a connect that does not complete at once continues in its own
 * thread.
 */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "linux/broker/broker.h"

union socket_address {
	struct sockaddr any;
	struct sockaddr_un local;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage storage;
};

/* An address; IPv4 is stored in mapped form. */
struct destination {
	uint8_t address[16];
	uint16_t port;
};

struct connect_call {
	struct notif_call request;
	int fd;	 /* duplicate of the caller's socket; owned */
	int pin; /* O_PATH fd of a unix socket, which address names; -1: none */
	union socket_address address;
	socklen_t size;
	bool to_proxy;		 /* connect to the proxy, after sending it the request in asks */
	bool is_stub;		 /* connect to the proxy's resolver */
	bool to_own_server;	 /* connect to a server of the session, by loopback_connect.c */
	struct destination asks; /* the address that the caller gave */
	uint64_t listener_set;	 /* the checked set of listeners; 0: any */
};

/* Takes ownership of the fds, and answers the call when it is done. */
void connect_start(const struct connect_call *connecting);
/* Closes the fds of the call, then answers: the caller must not find them still open. */
void connect_finish(struct connect_call *connecting, int why);

/* When a blocking call on fd times out by SO_SNDTIMEO; 0: never. */
int64_t connect_deadline(int fd);
/* Called before a thread for a blocking call starts and when it ends. Returns false if too many wait. */
bool connect_begin_thread(struct broker *broker);
void connect_end_thread(struct broker *broker);

/* ---- proxy_client.c ---- */

/* One request to the proxy. Owned by the thread that waits for the answer. */
struct proxy_request {
	uint64_t id;
	int why;
	bool is_answered;
	struct proxy_request *next;
};

/* The socket to the proxy; -1: none, or closed. */
int proxy_client_line(const struct broker *broker);
/* Starts reading the proxy's answers, if there is one. */
void proxy_client_start(struct broker *broker);
/* Returns 0 or an errno. End a request by proxy_client_drop. */
int proxy_client_ask(struct broker *broker, const struct destination *to,
		     struct proxy_request *ret_asking);
/* Waits for an answer, up to a limit. Returns false if there is none yet. */
bool proxy_client_wait(struct broker *broker, const struct proxy_request *asking, int milliseconds);
/* Ends a request. */
void proxy_client_drop(struct broker *broker, const struct proxy_request *asking);
/* A new id for a connection without a request. */
uint64_t proxy_client_number(struct broker *broker);
/* Sends EGRESS_EXPECT before a connect to the proxy, and afterwards the local address or EGRESS_FORGET. */
int proxy_client_say(struct broker *broker, uint64_t id, enum egress_kind kind,
		     const struct destination *about);
