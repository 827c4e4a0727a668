// SPDX-License-Identifier: MIT
/*
 * First bytes. A protocol is told by what cannot be anything else; where that is not there yet, more
 * is waited for, so that splitting the first line gains nothing.
 */
#include "net/check.h"

#include <string.h>

#include "audit/event.h"

#define UPGRADE_SIZE 12 /* of "HTTP/1.1 101" */

static enum check_verdict
refuse(struct check *check, enum check_verdict verdict, const char *reason)
{
	check->reason = reason;
	return verdict;
}

/* Only the hello itself goes before the answer is known: behind it another could stand. */
static enum check_verdict
pass_hello(struct check *check, const char *bytes, size_t length, size_t *good)
{
	if (check->state == CHECK_AGAIN) {
		check->state = CHECK_NOTHING;
		return CHECK_RAW;
	}
	*good += tls_hello_size((const uint8_t *)bytes, length);
	check->state = CHECK_ANSWER;
	return CHECK_WAIT;
}

static enum check_verdict
look_at_tls(struct check *check, const char *bytes, size_t length, size_t *good)
{
	char name[NAME_SIZE];
	const char *reason = "it is malformed";

	switch (tls_hello((const uint8_t *)bytes, length, name, &reason)) {
	case TLS_MORE:
		return CHECK_GO_ON;
	case TLS_HIDDEN:
		if (!check->takes_hidden) {
			check->allow = EVENT_ALLOW_ECH;
			return refuse(
				check, CHECK_TLS_BAD,
				"is asked for a server name that may be hidden (ECH); only \"ech\": "
				"\"allow\" of the policy's network would let it pass");
		}
		/* fall through */
	case TLS_NAMED:
		if (check->is_name(check->context, name))
			return pass_hello(check, bytes, length, good);
		memcpy(check->name, name, sizeof name);
		return refuse(check, CHECK_TLS_BAD,
			      "the TLS client asks for another name than it connected to");
	case TLS_OTHER:
	case TLS_BAD:
		break;
	}
	return refuse(check, CHECK_TLS_BAD, reason);
}

/* A second hello is for the same name, whatever comes before it: data sent early, alerts. */
static enum check_verdict
look_at_records(struct check *check, const char *bytes, size_t length, size_t *good)
{
	for (;;) {
		size_t left = length - *good, here = check->skip < left ? check->skip : left;

		*good += here;
		check->skip -= here;
		left -= here;
		if (left < TLS_HEAD_SIZE)
			return CHECK_GO_ON;
		check->skip = tls_skip((const uint8_t *)bytes + *good);
		if (check->skip == 0)
			return look_at_tls(check, bytes + *good, left, good);
	}
}

/* ---- HTTP, request after request ---- */

static enum check_verdict
look_at_head(struct check *check, const char *bytes, size_t length, size_t *good)
{
	struct http_request request;
	int size = http_parse(bytes + *good, length - *good, &request, &check->reason);

	if (size == 0)
		return CHECK_GO_ON;
	if (size < 0)
		return CHECK_HTTP_BAD;
	if (request.form == HTTP_CONNECT)
		return refuse(check, CHECK_HTTP_BAD, "it asks for a proxy inside a tunnel");
	if (!request.has_host)
		return refuse(check, CHECK_HTTP_BAD, "it has no Host header");
	if (!check->is_name(check->context, request.name)) {
		memcpy(check->name, request.name, sizeof request.name);
		return refuse(check, CHECK_HTTP_BAD,
			      "the Host header names another host than it connected to");
	}
	if (request.port != 0 && request.port != check->port)
		return refuse(check, CHECK_HTTP_BAD,
			      "the Host header names another port than it connected to");
	*good += (size_t)size;
	http_body_begin(&check->body, &request);
	check->state = check->body.is_over ? CHECK_HEAD : CHECK_BODY;
	/*
	 * Only as the first: of a later one we could not tell which answer is its own. Not to
	 * HTTP/2, whose requests name their hosts where nobody looks.
	 */
	if (request.has_upgrade && !request.has_h2c && !check->is_later && check->body.is_over)
		check->state = CHECK_UPGRADE;
	check->is_later = true;
	return check->state == CHECK_UPGRADE ? CHECK_WAIT : CHECK_GO_ON;
}

static enum check_verdict
look_at_body(struct check *check, const char *bytes, size_t length, size_t *good)
{
	ssize_t n = http_body_take(&check->body, bytes + *good, length - *good);

	if (n < 0)
		return refuse(check, CHECK_HTTP_BAD, "its body is malformed");
	*good += (size_t)n;
	if (check->body.is_over)
		check->state = CHECK_HEAD;
	return CHECK_GO_ON;
}

static enum check_verdict
look_at_http(struct check *check, const char *bytes, size_t length, size_t *good)
{
	enum check_verdict verdict = CHECK_GO_ON;
	size_t before;

	do {
		before = *good;
		verdict = check->state == CHECK_BODY ? look_at_body(check, bytes, length, good)
						     : look_at_head(check, bytes, length, good);
	} while (verdict == CHECK_GO_ON && *good > before && *good < length);
	return verdict;
}

/* ---- which one it is ---- */

static bool
is_web_port(unsigned port)
{
	return port == 80 || port == 443;
}

/* A word and a blank: its line is waited for, whatever comes in it. */
static bool
begins_request(const char *bytes, size_t length)
{
	size_t word = 0;

	while (word < length && (bytes[word] | 0x20) >= 'a' && (bytes[word] | 0x20) <= 'z')
		word++;
	return word > 0 && word < length && (bytes[word] == ' ' || bytes[word] == '\t');
}

/*
 * A line that ends in HTTP/..., whatever stands before it: servers forgive much. 1 yes, 0 no, -1 it
 * has not ended yet.
 */
static int
is_http_line(const char *bytes, size_t length)
{
	const char *end;
	size_t start = 0;

	while (start < length && strchr("\r\n\t ", bytes[start]) != NULL && bytes[start] != '\0')
		start++;
	if (start == length)
		return -1;
	end = memchr(bytes + start, '\n', length - start);
	if (end == NULL && begins_request(bytes + start, length - start))
		return -1;
	if (end == NULL) {
		for (size_t i = start; i < length; i++)
			if ((unsigned char)bytes[i] < ' ' && bytes[i] != '\r' && bytes[i] != '\t')
				return 0;
		return -1;
	}
	return memmem(bytes + start, (size_t)(end - bytes) - start, "HTTP/", 5) != NULL;
}

static enum check_verdict
look_first(struct check *check, const char *bytes, size_t length, size_t *good)
{
	int http;

	if (bytes[0] == 0x16)
		return look_at_tls(check, bytes, length, good);
	http = is_http_line(bytes, length);
	if (http < 0)
		return CHECK_GO_ON;
	if (http > 0) {
		check->state = CHECK_HEAD;
		return look_at_http(check, bytes, length, good);
	}
	if (is_web_port(check->port))
		return refuse(check, CHECK_BAD, "this port is for TLS and HTTP only");
	check->state = CHECK_NOTHING;
	return CHECK_RAW;
}

enum check_verdict
check_look(struct check *check, const char *bytes, size_t length, size_t *ret_good)
{
	enum check_verdict verdict;

	*ret_good = 0;
	if (check->state == CHECK_NOTHING) {
		*ret_good = length;
		return CHECK_RAW;
	}
	if (check_waits(check) > 0)
		return CHECK_WAIT;
	if (length == 0)
		return CHECK_GO_ON;
	if (check->state == CHECK_FIRST)
		verdict = look_first(check, bytes, length, ret_good);
	else if (check->state == CHECK_AGAIN)
		verdict = look_at_records(check, bytes, length, ret_good);
	else
		verdict = look_at_http(check, bytes, length, ret_good);
	if (verdict == CHECK_RAW)
		*ret_good = length;
	if (verdict == CHECK_GO_ON && *ret_good == 0 && length >= CHECK_MAX)
		return refuse(check, CHECK_BAD, "its beginning is too long");
	return verdict;
}

size_t
check_waits(const struct check *check)
{
	return check->state == CHECK_UPGRADE  ? UPGRADE_SIZE
	       : check->state == CHECK_ANSWER ? TLS_ANSWER_SIZE
					      : 0;
}

void
check_response(struct check *check, const char *bytes)
{
	if (check->state == CHECK_UPGRADE)
		check->state = memcmp(bytes, "HTTP/1.1 101", UPGRADE_SIZE) == 0 ? CHECK_NOTHING
										: CHECK_HEAD;
	else if (check->state == CHECK_ANSWER)
		check->state = tls_asks_again((const uint8_t *)bytes) ? CHECK_AGAIN : CHECK_NOTHING;
}
