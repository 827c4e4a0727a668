// SPDX-License-Identifier: MIT
/*
 * HTTP/1 request heads. Lines end with CR LF only. A header that decides the destination or the length of a
 * message may occur once, and length and encoding must not contradict.
 */
#include "proxy/wire/http.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "proxy/wire/socks.h"

#define METHOD_MAX 32
#define BASIC_MAX 400

/* Parser state with the first error found. */
struct parse {
	struct http_request *to;
	bool has_length, has_encoding;
	char host[NAME_SIZE];
	unsigned host_port;
	int status;
	enum cause reason;
};

static bool
refuse(struct parse *p, int status, enum cause reason)
{
	if (p->reason == CAUSE_NONE) {
		p->status = status;
		p->reason = reason;
	}
	return false;
}

static bool
is_token_byte(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool
part_is(const struct http_part *part, const char *text)
{
	return part->length == strlen(text) && ascii_same_n(part->at, text, part->length);
}

static struct http_part
trimmed(const char *at, size_t length)
{
	while (length > 0 && (*at == ' ' || *at == '\t'))
		at++, length--;
	while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t'))
		length--;
	return (struct http_part){at, length};
}

/* ---- headers ---- */

static bool
take_host(struct parse *p, const struct http_part *value)
{
	if (p->to->has_host)
		return refuse(p, 400, CAUSE_HTTP_TWO_HOSTS);
	p->to->has_host = true;
	p->host_port = 0;
	if (!hostname_split(value->at, value->length, p->host, &p->host_port))
		return refuse(p, 400, CAUSE_HTTP_HOST);
	return true;
}

static bool
take_length(struct parse *p, const struct http_part *value)
{
	uint64_t number = 0;

	if (p->has_length || p->has_encoding)
		return refuse(p, 400, CAUSE_HTTP_TWO_LENGTHS);
	p->has_length = true;
	if (value->length == 0 || value->length > 18)
		return refuse(p, 400, CAUSE_HTTP_LENGTH);
	for (size_t i = 0; i < value->length; i++) {
		if (value->at[i] < '0' || value->at[i] > '9')
			return refuse(p, 400, CAUSE_HTTP_LENGTH);
		number = number * 10 + (uint64_t)(value->at[i] - '0');
	}
	p->to->framing = number == 0 ? HTTP_NO_BODY : HTTP_LENGTH;
	p->to->length = number;
	return true;
}

static bool
take_encoding(struct parse *p, const struct http_part *value)
{
	if (p->has_length || p->has_encoding)
		return refuse(p, 400, CAUSE_HTTP_TWO_LENGTHS);
	p->has_encoding = true;
	if (!part_is(value, "chunked"))
		return refuse(p, 400, CAUSE_HTTP_CODING);
	if (part_is(&p->to->version, "HTTP/1.0"))
		return refuse(p, 400, CAUSE_HTTP_OLD_CODING);
	p->to->framing = HTTP_CHUNKED;
	return true;
}

static bool
take_authorization(struct parse *p, const struct http_part *value)
{
	if (p->to->authorization.at != NULL)
		return refuse(p, 400, CAUSE_HTTP_TWO_LOGINS);
	p->to->authorization = *value;
	return true;
}

static bool
take_upgrade(struct parse *p, const struct http_part *value)
{
	p->to->has_upgrade = true;
	p->to->has_other_upgrade = p->to->has_other_upgrade || !http_is_plain_upgrade(value);
	return true;
}

static const struct {
	const char *name;
	bool (*take)(struct parse *p, const struct http_part *value);
} known[] = {
	{"Host", take_host},
	{"Content-Length", take_length},
	{"Transfer-Encoding", take_encoding},
	{"Proxy-Authorization", take_authorization},
	{"Upgrade", take_upgrade},
};

static bool
take_header(struct parse *p, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	struct http_part name = {line, colon == NULL ? 0 : (size_t)(colon - line)}, value;

	if (name.length == 0)
		return refuse(p, 400, CAUSE_HTTP_NAMELESS);
	for (size_t i = 0; i < name.length; i++)
		if (!is_token_byte(line[i]))
			return refuse(p, 400, CAUSE_HTTP_HEADER);
	value = trimmed(colon + 1, length - name.length - 1);
	for (size_t i = 0; i < COUNT(known); i++)
		if (part_is(&name, known[i].name))
			return known[i].take(p, &value);
	return true;
}

/* ---- the request line ---- */

/* Reads "http://NAME[:PORT][/...]": destination and path. */
static bool
take_url(struct parse *p)
{
	static const char scheme[] = "http://";
	struct http_part *target = &p->to->target;
	const char *at = target->at + sizeof scheme - 1;
	size_t left = target->length - (sizeof scheme - 1), host = 0;

	p->to->form = HTTP_ABSOLUTE;
	p->to->port = 80;
	while (host < left && at[host] != '/' && at[host] != '?')
		host++;
	if (memchr(at, '@', host) != NULL)
		return refuse(p, 400, CAUSE_HTTP_URL_USER);
	if (!hostname_split(at, host, p->to->name, &p->to->port))
		return refuse(p, 400, CAUSE_HTTP_URL_HOST);
	p->to->path = (struct http_part){at + host, left - host};
	return true;
}

static bool
take_target(struct parse *p)
{
	struct http_request *to = p->to;

	if (memchr(to->target.at, '#', to->target.length) != NULL)
		return refuse(p, 400, CAUSE_HTTP_FRAGMENT);
	if (part_is(&to->method, "CONNECT")) {
		to->form = HTTP_CONNECT;
		if (!hostname_split(to->target.at, to->target.length, to->name, &to->port) ||
		    to->port == 0)
			return refuse(p, 400, CAUSE_HTTP_CONNECT_TO);
		return true;
	}
	if (to->target.length > 7 && ascii_same_n(to->target.at, "http://", 7))
		return take_url(p);
	if (to->target.at[0] != '/' && !part_is(&to->target, "*"))
		return refuse(p, 400, CAUSE_HTTP_TARGET_KIND);
	to->form = HTTP_ORIGIN;
	to->path = to->target;
	return true;
}

/* Method, target and version, separated by one space. */
static bool
take_request_line(struct parse *p, const char *line, size_t length)
{
	const char *first = memchr(line, ' ', length);
	const char *second =
		first == NULL ? NULL : memchr(first + 1, ' ', length - (size_t)(first + 1 - line));

	if (second == NULL)
		return refuse(p, 400, CAUSE_HTTP_FIRST_LINE);
	p->to->method = (struct http_part){line, (size_t)(first - line)};
	p->to->target = (struct http_part){first + 1, (size_t)(second - first) - 1};
	p->to->version = (struct http_part){second + 1, length - (size_t)(second + 1 - line)};
	if (p->to->method.length == 0 || p->to->method.length > METHOD_MAX ||
	    p->to->target.length == 0)
		return refuse(p, 400, CAUSE_HTTP_FIRST_LINE);
	for (size_t i = 0; i < p->to->method.length; i++)
		if (!is_token_byte(line[i]) || (line[i] >= 'a' && line[i] <= 'z'))
			return refuse(p, 400, CAUSE_HTTP_METHOD);
	/* the response would repeat the invoker's Proxy-Authorization header, a password */
	if (part_is(&p->to->method, "TRACE") || part_is(&p->to->method, "TRACK"))
		return refuse(p, 403, CAUSE_HTTP_TRACE);
	for (size_t i = 0; i < p->to->target.length; i++)
		if (p->to->target.at[i] <= ' ' || p->to->target.at[i] == 0x7f)
			return refuse(p, 400, CAUSE_HTTP_TARGET);
	if (p->to->version.length != 8 || (memcmp(p->to->version.at, "HTTP/1.1", 8) != 0 &&
					   memcmp(p->to->version.at, "HTTP/1.0", 8) != 0))
		return refuse(p, 505, CAUSE_HTTP_VERSION);
	return take_target(p);
}

/* ---- whole head ---- */

/* Returns the length of the head including its empty line; 0 if incomplete. */
static size_t
find_end(const char *bytes, size_t length)
{
	const char *end = memmem(bytes, length, "\r\n\r\n", 4);

	return end == NULL ? 0 : (size_t)(end - bytes) + 4;
}

/* Refuses control characters and a bare CR or LF: another parser might split lines there. */
static bool
check_bytes(struct parse *p, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == '\r'	? i + 1 < length && bytes[i + 1] != '\n'
		    : c == '\n' ? i == 0 || bytes[i - 1] != '\r'
				: (c < ' ' && c != '\t') || c == 0x7f)
			return refuse(p, 400, CAUSE_HTTP_CONTROL);
	}
	return true;
}

static bool
take_lines(struct parse *p, const char *bytes, size_t size)
{
	const char *line = bytes, *last = bytes + size - 2;
	bool first = true;

	while (line < last) {
		const char *end = memmem(line, (size_t)(last - line), "\r\n", 2);
		size_t length = (size_t)(end - line);

		if (!first && (*line == ' ' || *line == '\t'))
			return refuse(p, 400, CAUSE_HTTP_FOLDED);
		if (first ? !take_request_line(p, line, length) : !take_header(p, line, length))
			return false;
		line = end + 2;
		if (first)
			p->to->headers = (struct http_part){line, size - (size_t)(line - bytes)};
		first = false;
	}
	return true;
}

/* Host must agree with the target, or names the destination if the target does not. */
static bool
check_host(struct parse *p)
{
	struct http_request *to = p->to;
	bool is_new = part_is(&to->version, "HTTP/1.1");

	if (!to->has_host)
		return to->form == HTTP_CONNECT || !is_new || refuse(p, 400, CAUSE_HTTP_NO_HOST);
	if (to->form == HTTP_ORIGIN) {
		memcpy(to->name, p->host, sizeof to->name);
		to->port = p->host_port;
		return true;
	}
	if (strcmp(to->name, p->host) != 0)
		return refuse(p, 403, CAUSE_HTTP_TARGET_HOST);
	if (p->host_port != 0 ? p->host_port != to->port
			      : to->form == HTTP_ABSOLUTE && to->port != 80)
		return refuse(p, 403, CAUSE_HTTP_TARGET_PORT);
	return true;
}

int
http_parse(const char *bytes, size_t length, struct http_request *ret_request,
	   enum cause *ret_reason)
{
	struct http_request request = {0};
	struct parse p = {.to = &request};
	size_t size = find_end(bytes, length), seen = size != 0 ? size : length;

	if (check_bytes(&p, bytes, seen) && size == 0 && length >= HTTP_HEAD_MAX)
		refuse(&p, 431, CAUSE_HTTP_LONG);
	if (size == 0 && p.reason == CAUSE_NONE)
		return 0;
	if (p.reason == CAUSE_NONE && size > HTTP_HEAD_MAX)
		refuse(&p, 431, CAUSE_HTTP_LONG);
	if (p.reason == CAUSE_NONE && take_lines(&p, bytes, size) && check_host(&p) &&
	    request.form == HTTP_CONNECT && (p.has_encoding || request.length != 0))
		refuse(&p, 400, CAUSE_HTTP_CONNECT_BODY);
	if (p.reason == CAUSE_NONE || p.status == 403)
		*ret_request = request;
	if (p.reason != CAUSE_NONE) {
		*ret_reason = p.reason;
		return -p.status;
	}
	return (int)size;
}

int
http_parse_status(const char *bytes, size_t length, int *ret_status)
{
	size_t size = find_end(bytes, length);

	if (length >= 7 && memcmp(bytes, "HTTP/1.", 7) != 0)
		return -1;
	if (size == 0)
		return length >= HTTP_HEAD_MAX ? -1 : 0;
	if (size < 16 || bytes[8] != ' ')
		return -1;
	*ret_status = 0;
	for (int i = 9; i < 12; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return -1;
		*ret_status = *ret_status * 10 + (bytes[i] - '0');
	}
	return (int)size;
}

/* ---- rewriting ---- */

struct out {
	char *to;
	size_t used, size;
	bool failed;
};

static void
put(struct out *out, const char *bytes, size_t length)
{
	if (length > out->size - out->used) {
		out->failed = true;
		return;
	}
	/* memcpy with NULL is undefined, also for no bytes */
	if (length > 0)
		memcpy(out->to + out->used, bytes, length);
	out->used += length;
}

static bool
is_for_one_hop(const char *line, size_t length)
{
	static const char *const names[] = {
		"Connection", "Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "Upgrade",
		"TE",	      "HTTP2-Settings"};
	const char *colon = memchr(line, ':', length);
	struct http_part name = {line, colon == NULL ? 0 : (size_t)(colon - line)};

	for (size_t i = 0; i < COUNT(names); i++)
		if (part_is(&name, names[i]))
			return true;
	return false;
}

static void
put_headers(struct out *out, const struct http_part *headers)
{
	const char *line = headers->at, *last = headers->at + headers->length - 2;

	while (line < last) {
		const char *end = memmem(line, (size_t)(last - line), "\r\n", 2);

		if (!is_for_one_hop(line, (size_t)(end - line)))
			put(out, line, (size_t)(end + 2 - line));
		line = end + 2;
	}
}

ssize_t
http_rewrite(const struct http_request *request, bool for_origin, const char *extra, char *to,
	     size_t size)
{
	static const char end[] = "Connection: close\r\n\r\n";
	struct out out = {to, 0, size, false};

	put(&out, request->method.at, request->method.length);
	put(&out, " ", 1);
	if (!for_origin) {
		put(&out, request->target.at, request->target.length);
	} else {
		if (request->path.length == 0 || request->path.at[0] == '?')
			put(&out, "/", 1);
		put(&out, request->path.at, request->path.length);
	}
	put(&out, " ", 1);
	put(&out, request->version.at, request->version.length);
	put(&out, "\r\n", 2);
	put_headers(&out, &request->headers);
	put(&out, extra, strlen(extra));
	put(&out, end, sizeof end - 1);
	return out.failed ? -1 : (ssize_t)out.used;
}

void
http_base64(const char *bytes, size_t length, char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		unsigned group = 0;

		for (size_t j = 0; j < 3; j++)
			group = group << 8 | (i + j < length ? (unsigned char)bytes[i + j] : 0);
		for (size_t j = 0; j < 4; j++)
			*to++ = i + j > length ? '=' : digits[group >> (18 - 6 * j) & 63];
	}
	*to = '\0';
}

bool
http_is_authorized(const struct http_part *authorization, const char *user, const char *password)
{
	char plain[BASIC_MAX], wanted[BASIC_MAX * 4 / 3 + 8];
	struct http_part given;
	int length = snprintf(plain, sizeof plain, "%s:%s", user, password);

	if (authorization->at == NULL || authorization->length < 6 ||
	    !ascii_same_n(authorization->at, "Basic ", 6) || length >= (int)sizeof plain)
		return false;
	given = trimmed(authorization->at + 6, authorization->length - 6);
	http_base64(plain, (size_t)length, wanted);
	return socks_secret_equal(given.at, given.length, wanted);
}
