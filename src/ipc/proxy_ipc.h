/* SPDX-License-Identifier: MIT */
/*
 * Messages between broker and proxy, with network "domains" only. The proxy listens on loopback with IPv4
 * and IPv6, the same port number in both:
 *   named    HTTP CONNECT, absolute-form HTTP and SOCKS5, for programs that use proxy variables
 *   through  connections that the broker redirected; the client does not name a destination
 *   stub     DNS over TCP
 *
 * The broker sends EGRESS_ASK with the address that the command connects to. The proxy finds the allowed
 * name for which it returned that address, checks it, connects, and answers EGRESS_ASK with the same id and
 * why (0: connected). Only then does the broker connect the command's socket to `through`, and EGRESS_COMES
 * reports its local port. EGRESS_EXPECT precedes each connect to `through` and `stub`, so that the proxy
 * can tell the session's connections from those of other processes.
 */
#pragma once

#include <stdint.h>

enum egress_kind {
	EGRESS_ASK,
	EGRESS_COMES,
	EGRESS_EXPECT, /* a connection will come; COMES, ASKS or FORGET follows */
	EGRESS_ASKS,   /* it connected to the stub, from this local port */
	EGRESS_FORGET  /* the command's connect failed: the far side may be closed */
};

/* One message on a SOCK_SEQPACKET pair between processes of the same build. */
struct egress_message {
	uint64_t id; /* chosen by the broker, unique in a session */
	uint16_t kind;
	uint16_t port; /* ASK: destination; COMES, ASKS: local port of the command's socket */
	int32_t why;   /* answer: 0 or an errno for the command */
	uint8_t address
		/* ASK: destination, IPv4 as mapped address; COMES, ASKS: local address, likewise */
		[16];
};
_Static_assert(sizeof(struct egress_message) == 32, "no padding");
struct egress {
	int line; /* the broker's end; -1: no proxy */
	uint16_t named, through, stub;
};
