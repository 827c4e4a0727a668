/* SPDX-License-Identifier: MIT */
/*
 * Inspects what a program sends first on a connection allowed for a name. TLS and every HTTP request must
 * name that host; SSH must be spoken by both sides. Anything else is refused, except on ports that the
 * policy lists as opaque. Bytes are not changed, but upgrades to protocols that name other hosts are
 * removed from requests. The caller buffers bytes and passes on only those reported good. Pure.
 */
#pragma once

#include "proxy/wire/http.h"
#include "proxy/wire/tls_hello.h"

#define CHECK_MAX 16384 /* bytes buffered before a decision */

enum check_verdict {
	CHECK_GO_ON,	/* pass on the good bytes, then give more */
	CHECK_RAW,	/* pass on everything without further inspection */
	CHECK_WAIT,	/* pass on the good bytes and wait for the server: inspect_response */
	CHECK_TLS_BAD,	/* refused; the client expects a TLS alert */
	CHECK_HTTP_BAD, /* refused; the client expects an HTTP response */
	CHECK_BAD	/* refused */
};

enum check_state {
	CHECK_FIRST,
	CHECK_HEAD,
	CHECK_BODY,
	CHECK_UPGRADE, /* HTTP: the server may reject the upgrade */
	CHECK_ANSWER,  /* TLS: the server may request another hello */
	CHECK_AGAIN,   /* TLS: the server did, or may have done so */
	CHECK_SSH,     /* SSH: the server may speak something else */
	CHECK_NOTHING
};

#define CHECK_ANSWER_MAX (TLS_BEFORE_MAX + TLS_ANSWER_SIZE)

struct inspection {
	bool (*is_name)(const void *context, const char *name);
	const void *context;
	unsigned port;
	bool takes_hidden; /* TLS: accept Encrypted ClientHello, which may hide a second name */
	bool is_opaque;	   /* pass what is neither TLS nor HTTP */
	enum check_state state;
	bool is_later;			     /* a request was passed before */
	bool server_has_sent, server_is_ssh; /* the server has sent bytes; they were SSH */
	struct http_body body;
	size_t before;	      /* size of the server's records before its hello */
	size_t skip;	      /* bytes left of a TLS record that is not a handshake */
	char name[NAME_SIZE]; /* the refused host; empty if unknown */
	enum cause cause;     /* of a refusal */
	size_t cut;	      /* bytes that inspect_look removed; later bytes were moved up */
};

/* *ret_good: length of the prefix that may be passed on; do not give those bytes again. */
enum check_verdict inspect_look(struct inspection *check, char *bytes, size_t length,
				size_t *ret_good);
/*
 * Number of bytes of the server's next output to pass to inspect_response, also before the client sends; 0:
 * none.
 */
size_t inspect_waits(const struct inspection *check);
/*
 * Takes that many bytes, at most CHECK_ANSWER_MAX. If inspect_waits then returns more, pass these again
 * with those that follow.
 */
void inspect_response(struct inspection *check, const char *bytes);
