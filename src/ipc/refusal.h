/* SPDX-License-Identifier: MIT */
/*
 * A refusal, sent by the broker or the proxy to the supervisor, which reports it. The channel is a
 * pair of SOCK_SEQPACKET sockets between processes of the same build.
 */
#pragma once

#include <assert.h>
#include <stdint.h>

#include "base/str.h"
#include "policy/model/cause.h"
#include "rules/index.h"

/* The refused operation. The first ones are the rights, in the order of their bits. */
enum refused {
	REFUSED_READ,
	REFUSED_WRITE,
	REFUSED_CREATE,
	REFUSED_DELETE,
	REFUSED_EXECUTE,
	REFUSED_OPEN,
	REFUSED_HIDE,
	REFUSED_LINK,
	REFUSED_RENAME,
	REFUSED_CHANGE,
	REFUSED_SOCKET,
	REFUSED_CONNECT,
	REFUSED_SEND,
	REFUSED_RESOLVE,
	REFUSED_NETWORK, /* for this and the following ones the subject is a program */
	REFUSED_UDP,
	REFUSED_SYSV,
	REFUSED_SIGNAL,
	REFUSED_STAT, /* only of a traced session, and never refused */
	REFUSED_COUNT
};
static_assert(1 << REFUSED_READ == RIGHT_READ && 1 << REFUSED_WRITE == RIGHT_WRITE &&
		      1 << REFUSED_CREATE == RIGHT_CREATE && 1 << REFUSED_DELETE == RIGHT_DELETE &&
		      1 << REFUSED_EXECUTE == RIGHT_EXECUTE && REFUSED_OPEN == RIGHT_KINDS,
	      "the first are the rights");

#define REFUSAL_VERSION 1

/* How it is known, in the order of enum event_known. */
enum { REFUSAL_DECIDED, REFUSAL_OBSERVED, REFUSAL_PREDICTED, REFUSAL_GUESSED, REFUSAL_KNOWN };

struct refusal {
	uint16_t version;
	uint16_t what;		/* enum refused */
	uint16_t cause, detail; /* enum cause */
	int32_t nest; /* id of the nest whose policy refused it, from 1; 0: this session */
	int32_t group, session; /* process group and session of the caller; 0: unknown */
	uint32_t number;
	uint32_t line, column; /* of the rule; 0: none */
	uint8_t layer, match;  /* of the rule */
	uint8_t missing;       /* requested rights that are not granted */
	uint8_t overrides;     /* the rule denies what a less trusted source allows */
	uint8_t is_folder;     /* mkdir */
	uint8_t is_unclaimed;  /* of an unknown command: only for the log */
	uint8_t is_use;	   /* nothing was refused: a connection, or a call of a traced session */
	uint8_t known;	   /* REFUSAL_... */
	char rule[120];	   /* file of the rule, or pattern of the protected name */
	char name[128];	   /* an address, a key of git's settings */
	char subject[280]; /* HOST:PORT, a name, a path or a program; the end of a longer one */
};
static_assert(sizeof(struct refusal) == 568, "the layout is version 1");
static_assert(CAUSE_COUNT < UINT16_MAX && LAYER_COUNT < UINT8_MAX, "enums fit");

/* Sets version and subject, and sends. Must never block; errors are ignored. */
void refusal_send(int line, struct refusal *refusal, const char *subject);
/* Sends what a traced session used. Waits a while for the reader: a use is reported once, and not again. */
void refusal_send_use(int line, enum refused what, const char *subject);
/* Sends a refusal that was received. */
void refusal_forward(int line, const struct refusal *refusal);
/* Receives the next refusal; false if none is pending. *ret_ended: the other end is closed. */
bool refusal_receive(int line, struct refusal *ret_refusal, bool *ret_ended);
/* Sets cause and rule from the decision about a right that is missing. */
void refusal_decided(struct refusal *to, const struct decision *by);

/* A string constant such as "read" or "connect". */
const char *refusal_what(const struct refusal *refusal);
/* The name of the guarantee that the refusal enforces. */
const char *refusal_guarantee(const struct refusal *refusal);
/* Prints FILE:LINE:COLUMN, an option, or a protected name; nothing if no rule decided. */
void refusal_print_rule(const struct refusal *refusal, struct str *to);
/* Prints the text of its cause, without what depends on the plan. */
void refusal_print_reason(const struct refusal *refusal, struct str *to);
/* Prints the remedy if it does not depend on the plan; else nothing. */
void refusal_print_option(const struct refusal *refusal, struct str *to);
