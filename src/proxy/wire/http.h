/* SPDX-License-Identifier: MIT */
/*
 * HTTP/1 requests, parsed strictly: a head that two parsers could understand differently is refused.
 * Nothing is consumed before the head is complete. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/model/cause.h"
#include "proxy/wire/hostname.h"

#define HTTP_HEAD_MAX 16384

enum http_form { HTTP_CONNECT, HTTP_ABSOLUTE, HTTP_ORIGIN };
enum http_framing { HTTP_NO_BODY, HTTP_LENGTH, HTTP_CHUNKED };

/* Points into the parsed bytes. */
struct http_part {
	const char *at;
	size_t length;
};

struct http_request {
	enum http_form form;
	struct http_part method, target;
	struct http_part path;	  /* absolute form: what the origin server gets; may lack its "/" */
	struct http_part version; /* "HTTP/1.1" */
	struct http_part headers; /* all header lines, with the empty line */
	char name[NAME_SIZE];	  /* from the target (CONNECT, absolute form), else from Host */
	unsigned port;		  /* likewise; 0 if absent */
	bool has_host, has_upgrade;
	bool has_other_upgrade; /* upgrade to a protocol that can name other hosts: h2c, TLS, ... */
	struct http_part authorization; /* Proxy-Authorization; at is NULL without one */
	enum http_framing framing;
	uint64_t length; /* body length */
};

/*
 * Returns the length of the head, 0 if more bytes are needed, or a negated status with *ret_reason. With
 * -403 *ret_request is filled too.
 */
int http_parse(const char *bytes, size_t length, struct http_request *ret_request,
	       enum cause *ret_reason);
/*
 * Writes the head for the next hop: in origin form for an origin server, unchanged target for another
 * proxy; extra holds more header lines. Hop-by-hop headers are dropped and the connection closes after the
 * response. Returns the length, or -1 if it does not fit.
 */
ssize_t http_rewrite(const struct http_request *request, bool for_origin, const char *extra,
		     char *to, size_t size);
/* Returns true if the protocol of an upgrade cannot name other hosts. */
bool http_is_plain_upgrade(const struct http_part *value);
/*
 * Removes Upgrade and its Connection tokens from a head that http_parse accepted. Returns the new length.
 */
size_t http_strip_upgrade(char *head, size_t size);
/* Checks "Basic ..." against user and password. */
bool http_is_authorized(const struct http_part *authorization, const char *user,
			const char *password);
/* to has room for 4 bytes for every 3 bytes or part of 3, and a NUL. */
void http_base64(const char *bytes, size_t length, char *to);
/* Parses the head of a response. Returns its length, 0 if more bytes are needed, -1 if malformed. */
int http_parse_status(const char *bytes, size_t length, int *ret_status);

/* Position in a body. */
struct http_body {
	enum http_framing framing;
	uint64_t left; /* bytes left of the body or the chunk */
	int state;
	unsigned count; /* bytes so far of a line whose length is limited */
	bool is_over;
};
void http_body_begin(struct http_body *body, const struct http_request *request);
/* Returns how many of the bytes belong to the body; -1 if malformed. */
ssize_t http_body_take(struct http_body *body, const char *bytes, size_t length);
