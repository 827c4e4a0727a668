/* SPDX-License-Identifier: MIT */
/* Text being built. Failure to allocate is remembered and reported once, by str_finish. */
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
 * A JSON string with its quotes, valid UTF-8 whatever the text is: a byte that is no character
 * becomes \ufffd. What a terminal would act on or hide is escaped, the rest kept.
 */
void str_json(struct str *s, const char *text);
/* The same, or null where there is no text. */
void str_json_or_null(struct str *s, const char *text);
/* As above, but such a byte becomes \udc80 to \udcff: what is written can be read back unchanged. */
void str_json_bytes(struct str *s, const char *text);
/* For people: \xNN or \u{NNNN} for what could drive or mislead a terminal, and for odd bytes. */
void str_visible(struct str *s, const char *text);
/* One word for a shell, quoted where that is needed: people paste what they are told. */
void str_shell(struct str *s, const char *text);
/* Does a shell take it as one word, and nothing in it as an order? */
bool str_is_shell_word(const char *text);
/* Hands the text to the caller, or reports that memory ran out on the way. */
int str_finish(struct str *s, char **ret_text, struct cordon_error *err);
void str_free(struct str *s);
#define auto_str __attribute__((cleanup(str_free)))

/* The entry of words nearest to word, if near enough to be a slip; NULL otherwise. */
const char *str_nearest_word(const char *word, const char *const *words, size_t count);
bool str_starts(const char *text, const char *prefix);
/*
 * Decimal digits and nothing else, of at most max: no sign and no space, which strtoul would take.
 * False if it is none, or more. ret_end: what stands behind the digits.
 */
bool str_digits(const char *text, uint64_t max, uint64_t *ret_number, const char **ret_end);
/* The same for a text that is nothing but the number. */
bool str_number(const char *text, uint64_t max, uint64_t *ret_number);
