// SPDX-License-Identifier: MIT
/*
 * JSON parser. None of json-c, jansson, yajl and jsmn gives positions, refuses duplicate keys and
 * accepts comments and trailing commas. Input is hostile: every byte is checked and recursion is
 * bounded.
 */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/json_lex.h"

static int read_value(struct json_reader *r, struct json *value);

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

const char *
json_member_text(const struct json *value, const char *key)
{
	const struct json *member =
		value != NULL && value->type == JSON_OBJECT ? json_member(value, key) : NULL;

	return member != NULL && member->type == JSON_STRING ? member->string : NULL;
}

static size_t
digits_at(struct json_reader *r)
{
	size_t n = 0;

	for (; !done(r) && ascii_is_digit(*r->at); n++)
		step(r);
	return n;
}

/* JSON's number grammar; strtoll and strtod accept more. */
static int
read_number(struct json_reader *r, struct json *value)
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
	value->written = arena_strndup(r->arena, start, (size_t)(r->at - start), r->err);
	return value->written == NULL ? -CORDON_E_MEMORY : 0;
}

static int
by_key(const void *a, const void *b)
{
	const struct json *const *x = a, *const *y = b;
	int order = strcmp((*x)->key, (*y)->key);

	/* equal keys in text order, so that the message names the second one */
	if (order == 0 && (*x)->key_line != (*y)->key_line)
		return (*x)->key_line < (*y)->key_line ? -1 : 1;
	return order != 0 ? order : (*x)->key_column < (*y)->key_column ? -1 : 1;
}

/* Sorts the keys: comparing each pair would take quadratic time on a hostile object. */
static int
refuse_duplicates(struct json_reader *r, const struct json *object)
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
					      "\"%.40s\" is a duplicate key, first in line %u",
					      sorted[i]->key, sorted[i - 1]->key_line);
	return 0;
}

static int
read_key(struct json_reader *r, struct json *member)
{
	int rc;

	member->key_line = r->line;
	member->key_column = r->column;
	member->key_start = (size_t)(r->at - r->text);
	if (done(r) || *r->at != '"')
		return fail_here(r, done(r) ? "text ends inside an object"
					    : "a key in double quotes is expected here");
	rc = json_read_string(r, &member->key);
	if (rc < 0)
		return rc;
	rc = json_skip_space(r);
	if (rc < 0)
		return rc;
	if (!next_is(r, ":"))
		return fail_here(r, "\":\" is expected after \"%.40s\"", member->key);
	step(r);
	return json_skip_space(r);
}

/* Reads what follows a member. Returns 1 at the closing bracket, 0 if another member follows. */
static int
read_separator(struct json_reader *r, char close)
{
	int rc = json_skip_space(r);

	if (rc < 0)
		return rc;
	if (done(r))
		return fail_here(r, "text ends inside %s", close == ']' ? "a list" : "an object");
	if (*r->at == ',') {
		step(r);
		rc = json_skip_space(r);
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
read_members(struct json_reader *r, struct json *value, char close)
{
	const struct json **tail = &value->first;
	int rc;

	step(r);
	rc = json_skip_space(r);
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
read_container(struct json_reader *r, struct json *value)
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
read_word(struct json_reader *r, struct json *value)
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
read_any(struct json_reader *r, struct json *value)
{
	switch (*r->at) {
	case '{':
	case '[':
		return read_container(r, value);
	case '"':
		value->type = JSON_STRING;
		return json_read_string(r, &value->string);
	case '-':
	case '0' ... '9':
		return read_number(r, value);
	default:
		return read_word(r, value);
	}
}

static int
read_value(struct json_reader *r, struct json *value)
{
	int rc;

	value->line = r->line;
	value->column = r->column;
	value->start = (size_t)(r->at - r->text);
	if (value->key == NULL)
		value->key_start = value->start;
	if (done(r))
		return fail_here(r, "text ends where a value is expected");
	rc = read_any(r, value);
	value->end = (size_t)(r->at - r->text);
	return rc;
}

int
json_read(struct arena *arena, const char *file, const char *text, size_t length,
	  const struct json **ret_value, struct cordon_error *err)
{
	struct json_reader r = {arena, file, text, text, text + length, 1, 1, 0, err};
	struct json *value;
	int rc;

	if (length > JSON_SIZE_MAX)
		return fail_here(&r, "larger than %u MiB", JSON_SIZE_MAX >> 20);
	if (next_is(&r, "\xef\xbb\xbf"))
		r.at += 3;
	rc = json_check_text(&r);
	if (rc == 0)
		rc = json_skip_space(&r);
	if (rc < 0)
		return rc;
	value = arena_alloc(arena, sizeof *value, err);
	if (value == NULL)
		return -CORDON_E_MEMORY;
	rc = read_value(&r, value);
	if (rc == 0)
		rc = json_skip_space(&r);
	if (rc < 0)
		return rc;
	if (!done(&r))
		return fail_here(&r, "nothing more is expected after the value");
	*ret_value = value;
	return 0;
}
