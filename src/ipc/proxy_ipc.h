/* SPDX-License-Identifier: MIT */
/*
 * Between who connects on behalf of the command and the proxy, with network "domains" only. The
 * proxy listens on loopback, IPv4 and IPv6, with the same port numbers:
 *   named    HTTP CONNECT, absolute-form HTTP and SOCKS5, for programs that know proxies
 *   through  connections that were turned round; who comes here says nothing of where it goes
 *   stub     names, over TCP
 * A connection that is turned round is asked for first: EGRESS_ASK with the address the command
 * named. The proxy looks up which allowed name that address was answered for, vets it, connects, and
 * answers EGRESS_ASK with the same id and why (0: the far side is there). Only then is the command's
 * socket connected to `through`, and EGRESS_COMES tells by its own port which connection that is.
 * EGRESS_EXPECT goes before each connect to `through` and `stub`, so that the proxy can tell the
 * session's connections from those of other processes.
 */
#pragma once

#include <stdint.h>

enum egress_kind {
	EGRESS_ASK,
	EGRESS_COMES,
	EGRESS_EXPECT, /* a connection will come; COMES, ASKS or FORGET follow */
	EGRESS_ASKS,   /* it came to the stub, with its own local port */
	EGRESS_FORGET  /* the command's connection came to nothing: the far side may be closed */
};

/* One message of the line, a SOCK_SEQPACKET pair; both sides are of the same build. */
struct egress_message {
	uint64_t id; /* chosen by who asks, never twice in a session */
	uint16_t kind;
	uint16_t port; /* ASK: where to; COMES, ASKS: the local port of the command's socket */
	int32_t why;   /* answers: 0 or an errno for the command */
	uint8_t address
		[16]; /* ASK: where to, IPv4 as mapped; COMES, ASKS: the local address, likewise */
};

struct egress {
	int line; /* our end; -1: no proxy */
	uint16_t named, through, stub;
};
