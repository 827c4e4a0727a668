// SPDX-License-Identifier: MIT
/*
 * Our own reader, because none of the libraries looked at (json-c, jansson, yajl, jsmn) gives
 * positions of values, refuses duplicate keys and takes comments and trailing commas at once.
 * Input is hostile: every byte is checked, recursion is bounded, nothing is read past the end.
 */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/utf8.h"

struct reader {
	struct arena *arena;
	const char *file;
	const char *at, *end;
	uint32_t line, column;
	int depth;
	struct cordon_error *err;
};

static int read_value(struct reader *r, struct json *value);

#define fail_here(r, ...) \
	cordon_fail_at((r)->err, CORDON_E_SYNTAX, (r)->file, (r)->line, (r)->column, __VA_ARGS__)

const char *
json_type_name(const struct json *value)
{
	static const char *const names[] = {"null",	"true or false", "a number",
					    "a string", "a list",	 "an object"};

	return names[value->type];
}

const struct json *
json_member(const struct json *object, const char *key)
{
	for (const struct json *m = object->first; m != NULL; m = m->next)
		if (strcmp(m->key, key) == 0)
			return m;
	return NULL;
}

static bool
done(const struct reader *r)
{
	return r->at == r->end;
}

static bool
next_is(const struct reader *r, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

/* Steps over one character of already checked text and keeps the position. */
static void
step(struct reader *r)
{
	if (*r->at == '\n') {
		r->line++;
		r->column = 1;
	} else if (((unsigned char)*r->at & 0xc0) != 0x80) {
		r->column++;
	}
	r->at++;
}

static void
step_n(struct reader *r, size_t n)
{
	while (n-- > 0)
		step(r);
}

/* Are the next eight bytes ASCII, and none of them NUL? */
static bool
is_ascii(const char *at)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t bytes;

	memcpy(&bytes, at, sizeof bytes);
	return ((bytes | (bytes - ones)) & (ones << 7)) == 0;
}

/* The whole text is checked once, before anything is read: afterwards every byte is known good. */
static int
check_text(struct reader *r)
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
			/* where that is matters only now */
			step_n(r, (size_t)(at - r->at));
			return fail_here(r, *at == '\0' ? "NUL byte in policy text"
							: "not valid UTF-8 here");
		}
		at += length;
	}
	return 0;
}

static int
skip_comment(struct reader *r)
{
	uint32_t line = r->line, column = r->column;

	if (next_is(r, "//")) {
		const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));

		/* where in a line it ends nobody asks, but at the end of the text */
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

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int
skip_space(struct reader *r)
{
	while (!done(r)) {
		if (is_space(*r->at)) {
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
read_hex4(struct reader *r, uint32_t *ret_code)
{
	uint32_t code = 0;

	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *found = done(r) ? NULL : memchr(digits, *r->at, 32);

		if (found == NULL)
			return fail_here(r, "\\u needs four hexadecimal digits");
		code = code * 16 + (uint32_t)(found - digits) % 16;
		step(r);
	}
	*ret_code = code;
	return 0;
}

static size_t
utf8_put(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

static int
read_unicode(struct reader *r, char *to, size_t *used)
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
	*used += utf8_put(to + *used, code);
	return 0;
}

static int
read_escape(struct reader *r, char *to, size_t *used)
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

/* The closing quote that bounds the string: an upper limit for its decoded length. */
static size_t
string_room(const struct reader *r)
{
	const char *p = r->at + 1;
	const char *quote = memchr(p, '"', (size_t)(r->end - p));

	/* most have no escapes in them */
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

/* Up to the next byte that means something; most strings are one such run. */
static void
read_run(struct reader *r, char *to, size_t *used)
{
	const char *start = r->at, *at = start;
	uint32_t columns = 0;

	for (; at < r->end && is_plain((unsigned char)*at); at++)
		columns += ((unsigned char)*at & 0xc0) != 0x80;
	memcpy(to + *used, start, (size_t)(at - start));
	*used += (size_t)(at - start);
	r->column += columns;
	r->at = at;
}

static int
read_string(struct reader *r, const char **ret_string)
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

static size_t
digits_at(struct reader *r)
{
	size_t n = 0;

	for (; !done(r) && *r->at >= '0' && *r->at <= '9'; n++)
		step(r);
	return n;
}

/* JSON's own number grammar; strtoll and strtod would accept more. */
static int
read_number(struct reader *r, struct json *value)
{
	const char *start = r->at;
	bool negative = *r->at == '-';
	size_t digits;

	value->type = JSON_NUMBER;
	if (negative)
		step(r);
	digits = digits_at(r);
	if (digits == 0)
		return fail_here(r, "a number needs digits here");
	if (digits > 1 && start[negative] == '0')
		return fail_here(r, "a number must not start with 0");
	value->whole = digits <= 18;
	for (const char *p = start + negative; value->whole && p < r->at; p++)
		value->integer = value->integer * 10 + (*p - '0');
	if (negative)
		value->integer = -value->integer;
	if (next_is(r, ".")) {
		value->whole = false;
		step(r);
		if (digits_at(r) == 0)
			return fail_here(r, "a number needs digits after its point");
	}
	if (next_is(r, "e") || next_is(r, "E")) {
		value->whole = false;
		step(r);
		if (next_is(r, "+") || next_is(r, "-"))
			step(r);
		if (digits_at(r) == 0)
			return fail_here(r, "a number needs digits in its exponent");
	}
	return 0;
}

static int
by_key(const void *a, const void *b)
{
	const struct json *const *x = a, *const *y = b;
	int order = strcmp((*x)->key, (*y)->key);

	/* equal keys in text order, so that the second one is the one named */
	if (order == 0)
		order = (*x)->key_line != (*y)->key_line
				? ((*x)->key_line < (*y)->key_line ? -1 : 1)
				: ((*x)->key_column < (*y)->key_column ? -1 : 1);
	return order;
}

/* Sorting keeps an object of a million keys from costing a million squared. */
static int
refuse_duplicates(struct reader *r, const struct json *object)
{
	auto_free const struct json **sorted = NULL;
	size_t n = 0;

	if (object->count < 2)
		return 0;
	sorted = malloc(object->count * sizeof *sorted);
	if (sorted == NULL)
		return cordon_no_memory(r->err);
	for (const struct json *m = object->first; m != NULL; m = m->next)
		sorted[n++] = m;
	qsort(sorted, n, sizeof *sorted, by_key);
	for (size_t i = 1; i < n; i++)
		if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
			return cordon_fail_at(r->err, CORDON_E_SYNTAX, r->file, sorted[i]->key_line,
					      sorted[i]->key_column,
					      "\"%.40s\" stands here twice, first in line %u",
					      sorted[i]->key, sorted[i - 1]->key_line);
	return 0;
}

static int
read_key(struct reader *r, struct json *member)
{
	int rc;

	member->key_line = r->line;
	member->key_column = r->column;
	if (done(r) || *r->at != '"')
		return fail_here(r, done(r) ? "text ends inside an object"
					    : "a key in double quotes is expected here");
	rc = read_string(r, &member->key);
	if (rc < 0)
		return rc;
	rc = skip_space(r);
	if (rc < 0)
		return rc;
	if (!next_is(r, ":"))
		return fail_here(r, "\":\" is expected after \"%.40s\"", member->key);
	step(r);
	return skip_space(r);
}

/* After a member: true when the closing bracket came. */
static int
read_separator(struct reader *r, char close)
{
	int rc = skip_space(r);

	if (rc < 0)
		return rc;
	if (done(r))
		return fail_here(r, "text ends inside %s", close == ']' ? "a list" : "an object");
	if (*r->at == ',') {
		step(r);
		rc = skip_space(r);
		if (rc < 0)
			return rc;
	} else if (*r->at != close) {
		return fail_here(r, "\",\" or \"%c\" is expected here", close);
	}
	if (done(r) || *r->at != close)
		return 0;
	step(r);
	return 1;
}

static int
read_members(struct reader *r, struct json *value, char close)
{
	const struct json **tail = &value->first;
	int rc;

	step(r);
	rc = skip_space(r);
	if (rc < 0)
		return rc;
	if (!done(r) && *r->at == close) {
		step(r);
		return 0;
	}
	do {
		struct json *member = arena_alloc(r->arena, sizeof *member, r->err);

		if (member == NULL)
			return -CORDON_E_MEMORY;
		if (close == '}' && (rc = read_key(r, member)) < 0)
			return rc;
		rc = read_value(r, member);
		if (rc < 0)
			return rc;
		*tail = member;
		tail = (const struct json **)&member->next;
		value->count++;
		rc = read_separator(r, close);
	} while (rc == 0);
	return rc < 0 ? rc : 0;
}

static int
read_container(struct reader *r, struct json *value)
{
	bool object = *r->at == '{';
	int rc;

	value->type = object ? JSON_OBJECT : JSON_ARRAY;
	if (r->depth == JSON_DEPTH_MAX)
		return fail_here(r, "nested more than %d deep", JSON_DEPTH_MAX);
	r->depth++;
	rc = read_members(r, value, object ? '}' : ']');
	r->depth--;
	return rc == 0 && object ? refuse_duplicates(r, value) : rc;
}

static int
read_word(struct reader *r, struct json *value)
{
	static const struct {
		const char *word;
		enum json_type type;
		int64_t integer;
	} words[] = {{"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}, {"null", JSON_NULL, 0}};

	for (size_t i = 0; i < COUNT(words); i++) {
		if (!next_is(r, words[i].word))
			continue;
		value->type = words[i].type;
		value->integer = words[i].integer;
		step_n(r, strlen(words[i].word));
		return 0;
	}
	return fail_here(r, "a value is expected here");
}

static int
read_value(struct reader *r, struct json *value)
{
	value->line = r->line;
	value->column = r->column;
	if (done(r))
		return fail_here(r, "text ends where a value is expected");
	switch (*r->at) {
	case '{':
	case '[':
		return read_container(r, value);
	case '"':
		value->type = JSON_STRING;
		return read_string(r, &value->string);
	case '-':
	case '0' ... '9':
		return read_number(r, value);
	default:
		return read_word(r, value);
	}
}

static void
rewind_to(struct reader *r, const char *text)
{
	r->at = text;
	r->line = r->column = 1;
}

int
json_read(struct arena *arena, const char *file, const char *text, size_t length,
	  const struct json **ret_value, struct cordon_error *err)
{
	struct reader r = {.arena = arena, .file = file, .end = text + length, .err = err};
	struct json *value;
	int rc;

	rewind_to(&r, text);
	if (length > JSON_SIZE_MAX)
		return fail_here(&r, "larger than %u MiB", JSON_SIZE_MAX >> 20);
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	rewind_to(&r, text);
	rc = check_text(&r);
	if (rc < 0)
		return rc;
	rewind_to(&r, text);
	rc = skip_space(&r);
	if (rc < 0)
		return rc;
	value = arena_alloc(arena, sizeof *value, err);
	if (value == NULL)
		return -CORDON_E_MEMORY;
	rc = read_value(&r, value);
	if (rc == 0)
		rc = skip_space(&r);
	if (rc < 0)
		return rc;
	if (!done(&r))
		return fail_here(&r, "nothing more is expected after the value");
	*ret_value = value;
	return 0;
}
