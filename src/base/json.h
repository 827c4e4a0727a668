/* SPDX-License-Identifier: MIT */
/*
 * Strict reader for JSON with comments and trailing commas. Every value and key has its line and
 * column. Only valid UTF-8 is read, without NUL, duplicate keys, or excessive size and depth.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define JSON_SIZE_MAX (4u << 20)
#define JSON_DEPTH_MAX 64

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_type type;
	uint32_t line, column;
	const char *key; /* of a member; its position is key_line, key_column */
	uint32_t key_line, key_column;
	const char *string;  /* JSON_STRING: NUL-terminated, no NUL inside */
	int64_t integer;     /* JSON_NUMBER if whole; JSON_BOOL: 0 or 1 */
	bool whole;	     /* JSON_NUMBER: an integer in range */
	const char *written; /* JSON_NUMBER: its text */
	size_t count;	     /* elements or members */
	/* offsets in the text: of the key or else the value, of the value, behind it */
	size_t key_start, start, end;
	const struct json *first, *next;
};

/* The tree lives in arena; file is used only in messages; length excludes a terminator. */
int json_read(struct arena *arena, const char *file, const char *text, size_t length,
	      const struct json **ret_value, struct cordon_error *err);
/* Returns the member called key, or NULL. */
const struct json *json_member(const struct json *object, const char *key);
/* Returns the text of that member, or NULL. value may be NULL or no object. */
const char *json_member_text(const struct json *value, const char *key);
/* Returns "a string", "a list", ..., for messages. */
const char *json_type_name(const struct json *value);
