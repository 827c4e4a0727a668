// SPDX-License-Identifier: MIT
/*
 * Identifies the protocol by the first bytes. While the bytes are ambiguous, more are awaited, so splitting
 * the first line into small packets does not help.
 */
#include "proxy/wire/inspect.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"

#define UPGRADE_SIZE 12 /* of "HTTP/1.1 101" */
#define SSH_SIZE 4	/* of "SSH-" */

static enum check_verdict
refuse(struct inspection *check, enum check_verdict verdict, enum cause why)
{
	check->cause = why;
	return verdict;
}

/* Passes the hello only: bytes behind it could be a second hello and wait for the server's answer. */
static enum check_verdict
pass_hello(struct inspection *check, const char *bytes, size_t length, size_t *good)
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
look_at_tls(struct inspection *check, const char *bytes, size_t length, size_t *good)
{
	char name[NAME_SIZE];
	enum cause reason = CAUSE_TLS_NO_HELLO;

	switch (tls_hello((const uint8_t *)bytes, length, name, &reason)) {
	case TLS_MORE:
		return CHECK_GO_ON;
	case TLS_HIDDEN:
		if (!check->takes_hidden)
			return refuse(check, CHECK_TLS_BAD, CAUSE_TLS_ECH);
		/* fall through */
	case TLS_NAMED:
		if (check->is_name(check->context, name))
			return pass_hello(check, bytes, length, good);
		memcpy(check->name, name, sizeof name);
		return refuse(check, CHECK_TLS_BAD, CAUSE_TLS_OTHER_NAME);
	case TLS_OTHER:
	case TLS_BAD:
		break;
	}
	return refuse(check, CHECK_TLS_BAD, reason);
}

/* A second hello must have the same name, whatever precedes it: early data, alerts. */
static enum check_verdict
look_at_records(struct inspection *check, const char *bytes, size_t length, size_t *good)
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

/* ---- HTTP, one request after another ---- */

/* Removes the upgrade from the head and moves up the bytes behind it. Returns by how much. */
static int
take_out_upgrade(char *head, size_t size, size_t rest, size_t *length)
{
	size_t cut = size - http_strip_upgrade(head, size);

	memmove(head + size - cut, head + size, rest - size);
	*length -= cut;
	return (int)cut;
}

static enum check_verdict
look_at_head(struct inspection *check, char *bytes, size_t *length, size_t *good)
{
	struct http_request request;
	int size = http_parse(bytes + *good, *length - *good, &request, &check->cause);

	if (size == 0)
		return CHECK_GO_ON;
	if (size < 0)
		return CHECK_HTTP_BAD;
	if (request.form == HTTP_CONNECT)
		return refuse(check, CHECK_HTTP_BAD, CAUSE_HTTP_TUNNEL);
	if (!request.has_host)
		return refuse(check, CHECK_HTTP_BAD, CAUSE_HTTP_NO_HOST);
	if (!check->is_name(check->context, request.name)) {
		memcpy(check->name, request.name, sizeof request.name);
		return refuse(check, CHECK_HTTP_BAD, CAUSE_HTTP_OTHER_HOST);
	}
	if (request.port != 0 && request.port != check->port)
		return refuse(check, CHECK_HTTP_BAD, CAUSE_HTTP_OTHER_PORT);
	if (request.has_other_upgrade)
		size -= take_out_upgrade(bytes + *good, (size_t)size, *length - *good, length);
	*good += (size_t)size;
	http_body_begin(&check->body, &request);
	check->state = check->body.is_over ? CHECK_HEAD : CHECK_BODY;
	/* first request only: the answer to a later one cannot be told from those before it */
	if (request.has_upgrade && !request.has_other_upgrade && !check->is_later &&
	    check->body.is_over)
		check->state = CHECK_UPGRADE;
	check->is_later = true;
	return check->state == CHECK_UPGRADE ? CHECK_WAIT : CHECK_GO_ON;
}

static enum check_verdict
look_at_body(struct inspection *check, const char *bytes, size_t length, size_t *good)
{
	ssize_t n = http_body_take(&check->body, bytes + *good, length - *good);

	if (n < 0)
		return refuse(check, CHECK_HTTP_BAD, CAUSE_HTTP_BODY);
	*good += (size_t)n;
	if (check->body.is_over)
		check->state = CHECK_HEAD;
	return CHECK_GO_ON;
}

static enum check_verdict
look_at_http(struct inspection *check, char *bytes, size_t *length, size_t *good)
{
	enum check_verdict verdict = CHECK_GO_ON;
	size_t before;

	do {
		before = *good;
		verdict = check->state == CHECK_BODY ? look_at_body(check, bytes, *length, good)
						     : look_at_head(check, bytes, length, good);
	} while (verdict == CHECK_GO_ON && *good > before && *good < *length);
	return verdict;
}

/* ---- SSH ---- */

#define SSH_LINE_MAX 255
static const char ssh[SSH_SIZE] = {'S', 'S', 'H', '-'};

/* Returns the length of the client's identification line; 0: more is needed; -1: not SSH. */
static int
ssh_line(const char *bytes, size_t length)
{
	const char *end = memchr(bytes, '\n', length < SSH_LINE_MAX ? length : SSH_LINE_MAX);
	size_t size = end == NULL ? length : (size_t)(end - bytes) + 1;

	if (memcmp(bytes, ssh, size < SSH_SIZE ? size : SSH_SIZE) != 0 || size > SSH_LINE_MAX)
		return -1;
	for (size_t i = 0; i < size; i++)
		if ((bytes[i] < ' ' || bytes[i] > '~') && bytes[i] != '\n' &&
		    !(bytes[i] == '\r' && i + 2 >= size))
			return -1;
	return end == NULL ? 0 : (int)size;
}

static enum check_verdict
refuse_ssh(struct inspection *check)
{
	return refuse(check, CHECK_BAD, CAUSE_SSH_SERVER);
}

/* Passes nothing more until the server has identified itself as SSH, which it may have done already. */
static enum check_verdict
look_at_ssh(struct inspection *check, size_t line, size_t *good)
{
	if (check->server_has_sent && !check->server_is_ssh)
		return refuse_ssh(check);
	if (!check->server_has_sent) {
		*good = line;
		check->state = CHECK_SSH;
		return CHECK_WAIT;
	}
	check->state = CHECK_NOTHING;
	return CHECK_RAW;
}

/* ---- which protocol ---- */

static bool
is_web_port(unsigned port)
{
	return port == 80 || port == 443;
}

/* Some servers accept vertical tab and form feed as blanks. */
static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* A word and a blank may begin a request: wait for the end of the line. */
static bool
begins_request(const char *bytes, size_t length)
{
	size_t word = 0;

	while (word < length && (ascii_is_letter(bytes[word]) || bytes[word] == '-'))
		word++;
	return word > 0 && word < length && is_blank(bytes[word]);
}

/* Methods without CONNECT, with which NATS begins too. is_whole: the word is complete. */
static bool
is_method(const char *word, size_t length, bool is_whole)
{
	static const char *const methods[] = {"GET",	"HEAD",	   "POST",  "PUT",
					      "DELETE", "OPTIONS", "TRACE", "PATCH"};

	for (size_t i = 0; i < COUNT(methods); i++)
		if (length <= strlen(methods[i]) && memcmp(word, methods[i], length) == 0 &&
		    (!is_whole || methods[i][length] == '\0'))
			return true;
	return false;
}

/* Could these bytes still become a common request or TLS? */
static bool
may_become_known(const char *bytes, size_t length)
{
	size_t start = 0, end;

	if (bytes[0] >= 0x14 && bytes[0] <= 0x18)
		return length == 1;
	while (start < length &&
	       (is_blank(bytes[start]) || bytes[start] == '\r' || bytes[start] == '\n'))
		start++;
	for (end = start; end < length && !is_blank(bytes[end]);)
		end++;
	return is_method(bytes + start, end - start, end < length);
}

/* A method, or any word before a path or URL: servers accept such a line without a version. */
static bool
is_request(const char *line, size_t length)
{
	size_t at = 0;

	while (at < length && ((line[at] >= 'A' && line[at] <= 'Z') || line[at] == '-'))
		at++;
	if (at == 0 || at == length || !is_blank(line[at]))
		return false;
	if (is_method(line, at, true))
		return true;
	while (at < length && is_blank(line[at]))
		at++;
	return at < length && (line[at] == '/' || line[at] == '*' ||
			       (length - at > 5 && ascii_same_n(line + at, "http:", 5)));
}

/*
 * A line that contains HTTP/, because servers accept much before it, or a request line without a version.
 * Returns 1 if so, 0 if not, -1 if the line has not ended.
 */
static int
is_http_line(const char *bytes, size_t length)
{
	const char *end;
	size_t start = 0;

	while (start < length &&
	       (is_blank(bytes[start]) || bytes[start] == '\r' || bytes[start] == '\n'))
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
	return memmem(bytes + start, (size_t)(end - bytes) - start, "HTTP/", 5) != NULL ||
	       is_request(bytes + start, (size_t)(end - bytes) - start);
}

/* A record of TLS 1.0 or later of any type. Returns 1 if so, 0 if not, -1 if the second byte is missing. */
static int
is_tls_record(const char *bytes, size_t length)
{
	if (bytes[0] < 0x14 || bytes[0] > 0x18)
		return 0;
	return length < 2 ? -1 : bytes[1] == 3;
}

/* Neither TLS nor HTTP: the host cannot be determined. */
static enum check_verdict
look_at_other(struct inspection *check, const char *bytes, size_t length, size_t *good)
{
	int line = ssh_line(bytes, length);

	if (check->is_opaque) {
		check->state = CHECK_NOTHING;
		return CHECK_RAW;
	}
	if (is_web_port(check->port))
		return refuse(check, CHECK_BAD, CAUSE_PORT_WEB);
	if (line > 0)
		return look_at_ssh(check, (size_t)line, good);
	return refuse(check, CHECK_BAD, CAUSE_PORT_KNOWN);
}

static enum check_verdict
look_first(struct inspection *check, char *bytes, size_t *length, size_t *good)
{
	int tls = is_tls_record(bytes, *length), http;

	if (tls > 0)
		return look_at_tls(check, bytes, *length, good);
	http = tls < 0 ? -1 : is_http_line(bytes, *length);
	/* on an opaque port pass a partial line on: the server may expect a message without a line end */
	if (http < 0 && check->is_opaque && !may_become_known(bytes, *length))
		return look_at_other(check, bytes, *length, good);
	if (http < 0)
		return CHECK_GO_ON;
	if (http > 0) {
		check->state = CHECK_HEAD;
		return look_at_http(check, bytes, length, good);
	}
	return look_at_other(check, bytes, *length, good);
}

static enum check_verdict
look(struct inspection *check, char *bytes, size_t *length, size_t *good)
{
	switch (check->state) {
	case CHECK_FIRST:
		return look_first(check, bytes, length, good);
	case CHECK_AGAIN:
		return look_at_records(check, bytes, *length, good);
	case CHECK_HEAD:
	case CHECK_BODY:
		return look_at_http(check, bytes, length, good);
	case CHECK_UPGRADE:
	case CHECK_ANSWER:
	case CHECK_SSH:
		return CHECK_WAIT;
	case CHECK_NOTHING:
		break;
	}
	return CHECK_RAW;
}

enum check_verdict
inspect_look(struct inspection *check, char *bytes, size_t length, size_t *ret_good)
{
	size_t left = length;
	enum check_verdict verdict;

	*ret_good = check->cut = 0;
	if (check->state == CHECK_SSH && check->server_has_sent)
		return refuse_ssh(check);
	if (length == 0 && check->state != CHECK_NOTHING)
		return inspect_waits(check) > 0 && check->state != CHECK_FIRST ? CHECK_WAIT
									       : CHECK_GO_ON;
	verdict = look(check, bytes, &left, ret_good);
	check->cut = length - left;
	if (verdict == CHECK_RAW)
		*ret_good = left;
	if (verdict == CHECK_GO_ON && *ret_good == 0 && length >= CHECK_MAX)
		return refuse(check, CHECK_BAD, CAUSE_START_LONG);
	return verdict;
}

size_t
inspect_waits(const struct inspection *check)
{
	switch (check->state) {
	case CHECK_UPGRADE:
		return UPGRADE_SIZE;
	case CHECK_ANSWER:
		return check->before + TLS_ANSWER_SIZE;
	case CHECK_FIRST:
	case CHECK_SSH:
		return check->server_has_sent ? 0 : SSH_SIZE;
	default:
		return 0;
	}
}

/*
 * Skips records that a server may send before its hello. If the hello is not complete here, assume that
 * another hello may follow.
 */
static void
look_at_answer(struct inspection *check, const uint8_t *bytes)
{
	size_t before = tls_before(bytes + check->before);

	if (before > 0 && check->before + before <= TLS_BEFORE_MAX)
		check->before += before;
	else
		check->state = tls_goes_on(bytes + check->before) ? CHECK_NOTHING : CHECK_AGAIN;
}

void
inspect_response(struct inspection *check, const char *bytes)
{
	switch (check->state) {
	case CHECK_UPGRADE:
		check->state = memcmp(bytes, "HTTP/1.1 101", UPGRADE_SIZE) == 0 ? CHECK_NOTHING
										: CHECK_HEAD;
		break;
	case CHECK_ANSWER:
		look_at_answer(check, (const uint8_t *)bytes);
		break;
	case CHECK_FIRST:
	case CHECK_SSH:
		check->server_has_sent = true;
		check->server_is_ssh = memcmp(bytes, ssh, SSH_SIZE) == 0;
		if (check->state == CHECK_SSH && check->server_is_ssh)
			check->state = CHECK_NOTHING;
		break;
	default:
		break;
	}
}
