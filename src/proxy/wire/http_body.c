// SPDX-License-Identifier: MIT
/* Finds the end of a request body: by length or by chunks. Pure. */
#include <string.h>

#include "base/ascii.h"
#include "proxy/wire/http.h"

#define LINE_MAX_BYTES 4096 /* limit for chunk extensions and trailers */

enum { IN_SIZE, IN_EXTENSION, IN_SIZE_END, IN_DATA, IN_DATA_CR, IN_DATA_LF, IN_TRAILER, IN_END };

void
http_body_begin(struct http_body *body, const struct http_request *request)
{
	*body = (struct http_body){
		.framing = request->framing,
		.left = request->framing == HTTP_LENGTH ? request->length : 0,
		.state = IN_SIZE,
		.is_over = request->framing == HTTP_NO_BODY,
	};
}

static bool
step_size(struct http_body *body, char c)
{
	int digit = ascii_hex(c);

	if (digit >= 0 && body->count < 15) {
		body->left = body->left << 4 | (uint64_t)digit;
		body->count++;
		return true;
	}
	if (body->count == 0 || digit >= 0 || (c != ';' && c != '\r'))
		return false;
	body->state = c == ';' ? IN_EXTENSION : IN_SIZE_END;
	return true;
}

static bool
step_size_end(struct http_body *body, char c)
{
	body->count = 0;
	body->state = body->left > 0 ? IN_DATA : IN_TRAILER;
	return c == '\n';
}

/* count is the length of this line: an empty line ends the body. */
static bool
step_trailer(struct http_body *body, char c)
{
	if (c == '\r') {
		body->state = IN_END;
		return true;
	}
	return c != '\n' && c != '\0' && ++body->count < LINE_MAX_BYTES;
}

static bool
step_end(struct http_body *body, char c)
{
	body->is_over = body->count == 0;
	body->count = 0;
	body->state = IN_TRAILER;
	return c == '\n';
}

/* Parses one byte of framing. Returns false if malformed. */
static bool
step(struct http_body *body, char c)
{
	switch (body->state) {
	case IN_SIZE:
		return step_size(body, c);
	case IN_EXTENSION:
		if (c == '\r')
			body->state = IN_SIZE_END;
		return c != '\n' && c != '\0' && ++body->count < LINE_MAX_BYTES;
	case IN_SIZE_END:
		return step_size_end(body, c);
	case IN_DATA_CR:
		body->state = IN_DATA_LF;
		return c == '\r';
	case IN_DATA_LF:
		body->state = IN_SIZE;
		return c == '\n';
	case IN_TRAILER:
		return step_trailer(body, c);
	default:
		return step_end(body, c);
	}
}

static size_t
take_data(struct http_body *body, size_t length)
{
	size_t taken = body->left < length ? (size_t)body->left : length;

	body->left -= taken;
	return taken;
}

ssize_t
http_body_take(struct http_body *body, const char *bytes, size_t length)
{
	size_t at = 0;

	if (body->framing == HTTP_LENGTH) {
		at = take_data(body, length);
		body->is_over = body->left == 0;
		return (ssize_t)at;
	}
	while (at < length && !body->is_over) {
		if (body->state != IN_DATA) {
			if (!step(body, bytes[at++]))
				return -1;
			continue;
		}
		at += take_data(body, length - at);
		if (body->left == 0)
			body->state = IN_DATA_CR;
	}
	return (ssize_t)at;
}
