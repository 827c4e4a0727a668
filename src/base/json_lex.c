// SPDX-License-Identifier: MIT
/*
 * JSON lexer. Input is hostile: every byte is checked and nothing is read past the end. A string is
 * allocated for the longest result its escapes can have.
 */
#include "base/json_lex.h"

#include "base/ascii.h"
#include "base/utf8.h"

/* Are the next eight bytes ASCII, and none of them NUL? */
static bool
is_ascii(const char *at)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t bytes;

	memcpy(&bytes, at, sizeof bytes);
	return ((bytes | (bytes - ones)) & (ones << 7)) == 0;
}

int
json_check_text(struct json_reader *r)
{
	const char *at = r->at;

	while (at < r->end) {
		uint32_t code;
		bool plain = (unsigned char)*at - 1u < 0x7fu;
		size_t length;

		if (r->end - at >= 8 && is_ascii(at)) {
			at += 8;
			continue;
		}
		length = plain ? 1 : utf8_decode(at, (size_t)(r->end - at), &code);

		if (length == 0) {
			/* the position is computed only for the message */
			step_n(r, (size_t)(at - r->at));
			return fail_here(r, *at == '\0' ? "NUL byte in policy text"
							: "not valid UTF-8 here");
		}
		at += length;
	}
	return 0;
}

static int
skip_comment(struct json_reader *r)
{
	uint32_t line = r->line, column = r->column;

	if (next_is(r, "//")) {
		const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));

		/* the next line resets the column, so it matters only at the end of the text */
		if (end == NULL)
			step_n(r, (size_t)(r->end - r->at));
		else
			r->at = end;
		return 0;
	}
	step_n(r, 2);
	while (!done(r) && !next_is(r, "*/"))
		step(r);
	if (done(r))
		return cordon_fail_at(r->err, CORDON_E_SYNTAX, r->file, line, column,
				      "this comment has no end");
	step_n(r, 2);
	return 0;
}

/* Fast path for indentation, which is most of a text. */
static void
skip_blanks(struct json_reader *r)
{
	const char *at = r->at, *end = r->end;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	r->column += (uint32_t)(at - r->at);
	r->at = at;
}

int
json_skip_space(struct json_reader *r)
{
	while (!done(r)) {
		if (*r->at == ' ' || *r->at == '\t') {
			skip_blanks(r);
		} else if (*r->at == '\n' || *r->at == '\r') {
			step(r);
		} else if (*r->at == '/' && (next_is(r, "//") || next_is(r, "/*"))) {
			int rc = skip_comment(r);

			if (rc < 0)
				return rc;
		} else {
			break;
		}
	}
	return 0;
}

static int
read_hex4(struct json_reader *r, uint32_t *ret_code)
{
	uint32_t code = 0;

	for (int i = 0; i < 4; i++) {
		int digit = done(r) ? -1 : ascii_hex(*r->at);

		if (digit < 0)
			return fail_here(r, "\\u needs four hexadecimal digits");
		code = code * 16 + (uint32_t)digit;
		step(r);
	}
	*ret_code = code;
	return 0;
}

static int
read_unicode(struct json_reader *r, char *to, size_t *used)
{
	uint32_t code, low;
	int rc = read_hex4(r, &code);

	if (rc < 0)
		return rc;
	if (code == 0)
		return fail_here(r, "\\u0000 is not allowed");
	if (code >= 0xd800 && code < 0xdc00) {
		if (!next_is(r, "\\u"))
			return fail_here(r, "half of a surrogate pair");
		step_n(r, 2);
		rc = read_hex4(r, &low);
		if (rc < 0)
			return rc;
		if (low < 0xdc00 || low > 0xdfff)
			return fail_here(r, "half of a surrogate pair");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	} else if (code >= 0xdc00 && code < 0xe000) {
		return fail_here(r, "half of a surrogate pair");
	}
	*used += utf8_encode(to + *used, code);
	return 0;
}

static int
read_escape(struct json_reader *r, char *to, size_t *used)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *found;

	step(r);
	if (done(r))
		return fail_here(r, "text ends inside a string");
	if (*r->at == 'u') {
		step(r);
		return read_unicode(r, to, used);
	}
	found = strchr(from, *r->at);
	if (found == NULL)
		return fail_here(r, "unknown escape \\%c", *r->at);
	to[(*used)++] = into[found - from];
	step(r);
	return 0;
}

/* Returns an upper limit for the decoded length of the string. */
static size_t
string_room(const struct json_reader *r)
{
	const char *p = r->at + 1;
	const char *quote = memchr(p, '"', (size_t)(r->end - p));

	/* most strings have no escapes */
	if (quote != NULL && memchr(p, '\\', (size_t)(quote - p)) == NULL)
		return (size_t)(quote - r->at);
	while (p < r->end && *p != '"' && *p != '\n')
		p += *p == '\\' && p + 1 < r->end ? 2 : 1;
	return (size_t)(p - r->at);
}

static bool
is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\';
}

/* Are the next eight bytes plain? Each is ASCII and one column wide. */
static bool
are_plain(const char *at)
{
	const uint64_t ones = 0x0101010101010101u, high = ones << 7;
	uint64_t bytes, quote, escape;

	memcpy(&bytes, at, sizeof bytes);
	quote = bytes ^ (ones * '"');
	escape = bytes ^ (ones * '\\');
	/* a high bit is set where a byte is smaller than what is subtracted */
	return ((bytes | (bytes - ones * 0x20) | (quote - ones) | (escape - ones)) & high) == 0;
}

/* Copies up to the next quote, backslash or control character; most strings are one such run. */
static void
read_run(struct json_reader *r, char *to, size_t *used)
{
	const char *start = r->at, *at = start;
	uint32_t columns = 0;

	for (; r->end - at >= 8 && are_plain(at); at += 8)
		columns += 8;
	for (; at < r->end && is_plain((unsigned char)*at); at++)
		columns += ((unsigned char)*at & 0xc0) != 0x80;
	memcpy(to + *used, start, (size_t)(at - start));
	*used += (size_t)(at - start);
	r->column += columns;
	r->at = at;
}

int
json_read_string(struct json_reader *r, const char **ret_string)
{
	uint32_t line = r->line, column = r->column;
	size_t used = 0;
	char *to = arena_text(r->arena, string_room(r) + 1, r->err);

	if (to == NULL)
		return -CORDON_E_MEMORY;
	step(r);
	while (!done(r) && *r->at != '"') {
		if ((unsigned char)*r->at < 0x20)
			return fail_here(r, "control character in a string; write it as an escape");
		if (*r->at == '\\') {
			int rc = read_escape(r, to, &used);

			if (rc < 0)
				return rc;
			continue;
		}
		read_run(r, to, &used);
	}
	if (done(r))
		return cordon_fail_at(r->err, CORDON_E_SYNTAX, r->file, line, column,
				      "this string has no end");
	step(r);
	to[used] = '\0';
	*ret_string = to;
	return 0;
}
