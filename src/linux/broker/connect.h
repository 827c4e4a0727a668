/* SPDX-License-Identifier: MIT */
/*
 * A connect done on behalf, on the caller's own socket, to an address that was read once and judged.
 * It never keeps a thread that receives waiting: what is not done at once goes on in one of its own.
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

/* Where an address leads: IPv4 in mapped form. */
struct destination {
	uint8_t address[16];
	uint16_t port;
};

struct connect_call {
	struct notif_call request;
	int fd;	 /* the caller's, shared with it; belongs to us */
	int pin; /* of a socket by path, which address names; -1: none */
	union socket_address address;
	socklen_t size;
	bool to_proxy;		 /* it goes to the proxy, which is asked first about: */
	bool is_stub;		 /* or to the proxy's resolver, */
	bool to_own_server;	 /* or to a server of the session itself, by loopback_connect.c */
	struct destination asks; /* what the caller named */
	uint64_t mark;		 /* who was judged of those that listen there; 0: whoever does */
};

/* Takes over the descriptors, and answers the call when it is time. */
void connect_start(const struct connect_call *connecting);
/* Closes what a call took of its caller and answers: nothing of it is held any more by then. */
void connect_finish(struct connect_call *connecting, int why);

/* When a call on fd that waits gives up, by SO_SNDTIMEO; 0: never. */
int64_t connect_deadline(int fd);
/* Before a thread for a call that waits is started, and when it ends; false: too many wait. */
bool connect_begin_thread(struct broker *broker);
void connect_end_thread(struct broker *broker);

/* ---- proxy_client.c ---- */

/* One question to the proxy. It belongs to the thread that waits for the answer. */
struct proxy_request {
	uint64_t id;
	int why;
	bool is_answered;
	struct proxy_request *next;
};

/* The line to the proxy; -1: there is none, or it was cut. */
int proxy_client_line(const struct broker *broker);
/* Answers of the proxy are read from now on, where there is one. */
void proxy_client_start(struct broker *broker);
/* 0, or an errno: there is no proxy. To be ended by egress_end. */
int proxy_client_ask(struct broker *broker, const struct destination *to,
		     struct proxy_request *ret_asking);
/* Waits for an answer, a short while at most; false: none yet. */
bool proxy_client_wait(struct broker *broker, const struct proxy_request *asking, int milliseconds);
/* No answer is waited for any more. */
void proxy_client_drop(struct broker *broker, const struct proxy_request *asking);
/* A number for a connection that is not asked for. */
uint64_t proxy_client_number(struct broker *broker);
/* EGRESS_EXPECT before a connect to the proxy; after it where it comes from, or EGRESS_FORGET. */
int proxy_client_say(struct broker *broker, uint64_t id, enum egress_kind kind,
		     const struct destination *about);
