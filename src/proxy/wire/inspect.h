/* SPDX-License-Identifier: MIT */
/*
 * What a program says first on a connection that was allowed for a name: TLS must be for that name,
 * every HTTP request must be for that name, and SSH must be spoken by both sides. Nothing else
 * passes, except on ports that the policy lists as opaque. Bytes are only looked at, except that
 * upgrades to protocols that name hosts themselves are taken out of a request; whoever holds them
 * passes on what was found to be good. Pure.
 */
#pragma once

#include "proxy/wire/http.h"
#include "proxy/wire/tls_hello.h"

#define CHECK_MAX 16384 /* bytes that are held until they can be judged */

enum check_verdict {
	CHECK_GO_ON,	/* pass on what is good, and give more */
	CHECK_RAW,	/* pass on all of it: nothing will be looked at any more */
	CHECK_WAIT,	/* pass on what is good; the other side has to speak: inspect_response */
	CHECK_TLS_BAD,	/* refused, and a TLS client waits */
	CHECK_HTTP_BAD, /* refused, and an HTTP client waits */
	CHECK_BAD	/* refused */
};

enum check_state {
	CHECK_FIRST,
	CHECK_HEAD,
	CHECK_BODY,
	CHECK_UPGRADE, /* of HTTP: the server may say no */
	CHECK_ANSWER,  /* of TLS: the server may ask for another hello */
	CHECK_AGAIN,   /* and it did, or may have done so */
	CHECK_SSH,     /* of SSH: the server may speak something else */
	CHECK_NOTHING
};

#define CHECK_ANSWER_MAX (TLS_BEFORE_MAX + TLS_ANSWER_SIZE)

struct inspection {
	bool (*is_name)(const void *context, const char *name);
	const void *context;
	unsigned port;
	bool takes_hidden; /* TLS may ask for a hidden name beside the one that is seen */
	bool is_opaque;	   /* what is neither TLS nor HTTP passes */
	enum check_state state;
	bool is_later;		   /* a request went before */
	bool has_heard, hears_ssh; /* the server has spoken, and SSH */
	struct http_body body;
	size_t before;	      /* bytes of the server's records before its hello */
	size_t skip;	      /* of a record of TLS that is no hello */
	char name[NAME_SIZE]; /* what was asked for and refused; empty: nothing to be named */
	const char *reason;   /* to follow "it" or a subject */
	const char *allow;    /* what would allow it; NULL: nothing to be named */
	char advice[32];      /* allow, where it names the port */
	size_t cut; /* bytes that inspect_look took out; what followed them was moved up */
};

/* *ret_good: how many, from the front, may be passed on. Those are not to be shown again. */
enum check_verdict inspect_look(struct inspection *check, char *bytes, size_t length,
				size_t *ret_good);
/* How many bytes the server says next decide, also before the client speaks; 0: none. */
size_t inspect_waits(const struct inspection *check);
/* So many, at most CHECK_ANSWER_MAX. If inspect_waits then wants more, these come before it. */
void inspect_response(struct inspection *check, const char *bytes);
