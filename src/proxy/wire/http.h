/* SPDX-License-Identifier: MIT */
/*
 * HTTP/1 requests, as strictly as a proxy must read them: whatever two readers could understand
 * differently is refused. Pure; nothing is consumed before a head is whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proxy/wire/hostname.h"

#define HTTP_HEAD_MAX 16384

enum http_form { HTTP_CONNECT, HTTP_ABSOLUTE, HTTP_ORIGIN };
enum http_framing { HTTP_NO_BODY, HTTP_LENGTH, HTTP_CHUNKED };

/* Points into what was parsed. */
struct http_part {
	const char *at;
	size_t length;
};

struct http_request {
	enum http_form form;
	struct http_part method, target;
	struct http_part path;	  /* absolute form: what an origin gets; may lack its "/" */
	struct http_part version; /* "HTTP/1.1" */
	struct http_part headers; /* all of them, with the empty line */
	char name[NAME_SIZE];	  /* CONNECT, absolute form: of the target; else of Host */
	unsigned port;		  /* likewise; 0: not said */
	bool has_host, has_upgrade;
	bool has_other_upgrade;		/* to a protocol that may name other hosts: h2c, TLS, ... */
	struct http_part authorization; /* for the proxy; at NULL: none */
	enum http_framing framing;
	uint64_t length; /* of the body */
};

/*
 * The head's length, 0 when more is needed, or a negated status with *ret_reason: of -403 *ret_request is filled,
 * too.
 */
int http_parse(const char *bytes, size_t length, struct http_request *ret_request,
	       const char **ret_reason);
/*
 * The head as the next one gets it: for an origin, or with the target as it is for another proxy;
 * extra are more lines. No header that is for one hop; the connection ends with the answer. The
 * length, or -1 when it does not fit.
 */
ssize_t http_rewrite(const struct http_request *request, bool for_origin, const char *extra,
		     char *to, size_t size);
/* Does the protocol of an upgrade name no hosts of its own? */
bool http_is_plain_upgrade(const struct http_part *value);
/* Removes the upgrade and what belongs to it from a head that http_parse accepted: its new length. */
size_t http_strip_upgrade(char *head, size_t size);
/* "Basic ..." of user and password? */
bool http_is_authorized(const struct http_part *authorization, const char *user,
			const char *password);
/* to has room for 4 bytes for each 3 begun, and a NUL. */
void http_base64(const char *bytes, size_t length, char *to);
/* Status of a response's head in *ret_status; the head's length, 0 more is needed, -1 malformed. */
int http_parse_status(const char *bytes, size_t length, int *ret_status);

/* Where in a body we are. */
struct http_body {
	enum http_framing framing;
	uint64_t left; /* of the body, or of the chunk */
	int state;
	unsigned count; /* bytes of a line that may not go on for ever */
	bool is_over;
};
void http_body_begin(struct http_body *body, const struct http_request *request);
/* How many of the bytes belong to it; -1: malformed. */
ssize_t http_body_take(struct http_body *body, const char *bytes, size_t length);
