/* SPDX-License-Identifier: MIT */
/*
 * ASCII letters and digits. <ctype.h> and strcasecmp depend on the locale of the program that links
 * us: in a Turkish locale "GIT" and "git" differ, and a protected name would not match.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool
ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline char
ascii_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static inline char
ascii_lower(char c)
{
	return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline bool
ascii_is_letter(char c)
{
	return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int
ascii_hex(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	c = ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* strncmp(a, b, length) == 0, ignoring case. */
static inline bool
ascii_same_n(const char *a, const char *b, size_t length)
{
	for (; length > 0; a++, b++, length--) {
		if (ascii_lower(*a) != ascii_lower(*b))
			return false;
		if (*a == '\0')
			return true;
	}
	return true;
}

static inline bool
ascii_same(const char *a, const char *b)
{
	return ascii_same_n(a, b, (size_t)-1);
}

/* Does text contain word, ignoring case? word is lower case. */
static inline bool
ascii_has(const char *text, const char *word)
{
	for (; *text != '\0'; text++)
		if (ascii_lower(*text) == *word && ascii_same_n(text, word, strlen(word)))
			return true;
	return false;
}
