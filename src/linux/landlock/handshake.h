/* SPDX-License-Identifier: MIT */
/* The handshake between a nest and the outer cordon, by landlock_create_ruleset(2). */
#pragma once

/*
 * The call is landlock_create_ruleset(what, 0, NEST_HANDSHAKE), matched in tools/arguments.h. Without an
 * outer cordon the kernel returns EINVAL for the unknown flag.
 */
#define NEST_HANDSHAKE 0x636f7201u
enum nest_handshake {
	NEST_QUERY,	      /* is there an outer cordon, and what does it supervise? */
	NEST_REGISTER,	      /* register: returns a socket on which queries arrive */
	NEST_LANDLOCK_VERSION /* Landlock's ABI version, where the real call is not available */
};

/* The answer consists of enum nest_offer bits and: */
#define OFFER_KILLABLE 1024 /* signals do not interrupt notifications */
/* What the outer cordon offers; 0: there is none, or it does not answer. */
int handshake_query(void);
/* Landlock's ABI version as the outer cordon reports it; 0: unknown. */
int handshake_landlock_version(void);
/* Registers this process and its descendants. Returns the socket, or -1 with errno. Async-signal-safe. */
int handshake_enter(void);
