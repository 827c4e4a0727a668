/* SPDX-License-Identifier: MIT */
/* Lexer of the JSON reader: position, white space, comments, strings. For json.c only. */
#pragma once

#include <string.h>

#include "base/json.h"

struct json_reader {
	struct arena *arena;
	const char *file;
	const char *text, *at, *end;
	uint32_t line, column;
	int depth;
	struct cordon_error *err;
};

#define fail_here(r, ...) \
	cordon_fail_at((r)->err, CORDON_E_SYNTAX, (r)->file, (r)->line, (r)->column, __VA_ARGS__)

/* Checks the whole text for UTF-8 and NUL, so that later steps need not. */
int json_check_text(struct json_reader *r);
/* Skips white space and comments. */
int json_skip_space(struct json_reader *r);
/* Reads from the opening quote to behind the closing one. The string lives in the arena. */
int json_read_string(struct json_reader *r, const char **ret_string);

static inline bool
done(const struct json_reader *r)
{
	return r->at == r->end;
}

static inline bool
next_is(const struct json_reader *r, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

/* Advances by one character of checked text and updates the position. */
static inline void
step(struct json_reader *r)
{
	if (*r->at == '\n') {
		r->line++;
		r->column = 1;
	} else if (((unsigned char)*r->at & 0xc0) != 0x80) {
		r->column++;
	}
	r->at++;
}

static inline void
step_n(struct json_reader *r, size_t n)
{
	while (n-- > 0)
		step(r);
}
