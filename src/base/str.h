/* SPDX-License-Identifier: MIT */
/* Growing text buffer. A failed allocation is remembered and reported once, by str_finish. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct str {
	char *text; /* NUL-terminated once anything was added */
	size_t length;
	size_t room;
	bool failed;
};

void str_add(struct str *s, const char *text);
void str_add_n(struct str *s, const char *text, size_t length);
void str_printf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Appends a quoted JSON string, always valid UTF-8: an invalid byte becomes \ufffd. Characters that
 * a terminal acts on or hides are escaped.
 */
void str_json(struct str *s, const char *text);
/* The same; NULL becomes null. */
void str_json_or_null(struct str *s, const char *text);
/* The same, but an invalid byte becomes \udc80 to \udcff and can be read back unchanged. */
void str_json_bytes(struct str *s, const char *text);
/* For people: unsafe characters and invalid bytes become \xNN or \u{NNNN}. */
void str_visible(struct str *s, const char *text);
/* Appends one shell word, quoted if necessary: users paste what we print. */
void str_shell(struct str *s, const char *text);
/* Does a shell read text as one word, without expansion? */
bool str_is_shell_word(const char *text);
/* Moves the text to the caller, who frees it, or reports that memory ran out. */
int str_finish(struct str *s, char **ret_text, struct cordon_error *err);
void str_free(struct str *s);
#define auto_str __attribute__((cleanup(str_free)))

/* Returns the entry nearest to word if it is close enough to be a typing error, else NULL. */
const char *str_nearest_word(const char *word, const char *const *words, size_t count);
bool str_starts(const char *text, const char *prefix);
/*
 * Parses decimal digits of at most max, without the sign and space that strtoul accepts. False if
 * there are none or the value is larger. *ret_end is behind the digits.
 */
bool str_digits(const char *text, uint64_t max, uint64_t *ret_number, const char **ret_end);
/* The same for a text that contains nothing else. */
bool str_number(const char *text, uint64_t max, uint64_t *ret_number);
