/* SPDX-License-Identifier: MIT */
/* The handshake between a cordon and the one around it, by landlock_create_ruleset(2). */
#pragma once

/*
 * The door: landlock_create_ruleset(what, 0, NEST_HANDSHAKE), as in tools/arguments.h. A kernel says
 * EINVAL to flags it does not know, and a filter without a door lets them through to it.
 */
#define NEST_HANDSHAKE 0x636f7201u
enum nest_handshake {
	NEST_QUERY,	      /* is there one, and what does it route? */
	NEST_REGISTER,	      /* from now on ask me: a descriptor, on which questions come */
	NEST_LANDLOCK_VERSION /* of Landlock, where nobody else is told that there is one */
};

/* The answer is made of enum nest_offer, and of: */
#define OFFER_KILLABLE 1024 /* signals leave routed calls alone */
/* What the cordon around us offers; 0: there is none, or it has no door. */
int handshake_query(void);
/* Of Landlock, by the one around us; 0: it does not say. */
int handshake_landlock_version(void);
/* For this process and all it starts; the line, or -1 with errno. Async-signal-safe. */
int handshake_enter(void);
