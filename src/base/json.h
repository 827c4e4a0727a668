/* SPDX-License-Identifier: MIT */
/*
 * A strict reader of JSON with comments and trailing commas, in which every value and key knows its
 * line and column. Strict: valid UTF-8 only, no NUL, no duplicate keys, bounded size and depth.
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
	const char *key; /* of a member; its place is key_line, key_column */
	uint32_t key_line, key_column;
	const char *string;  /* JSON_STRING, NUL-terminated and free of NUL inside */
	int64_t integer;     /* JSON_NUMBER when whole; JSON_BOOL as 0 or 1 */
	bool whole;	     /* JSON_NUMBER: it is an integer in range */
	const char *written; /* JSON_NUMBER: its own text */
	size_t count;	     /* elements or members */
	const struct json *first, *next;
};

/* file is only for messages. The tree lives in arena; length excludes any terminator. */
int json_read(struct arena *arena, const char *file, const char *text, size_t length,
	      const struct json **ret_value, struct cordon_error *err);
/* The member called key, or NULL. */
const struct json *json_member(const struct json *object, const char *key);
/* "a string", "a list", ...: for messages. */
const char *json_type_name(const struct json *value);
