// SPDX-License-Identifier: MIT
/*
 * Text buffer and quoting. Quoting keeps hostile names from becoming JSON syntax or terminal
 * commands.
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

static bool
reserve(struct str *s, size_t more)
{
	size_t room = s->room == 0 ? 256 : s->room;
	char *grown;

	if (s->failed)
		return false;
	while (room - s->length <= more)
		room *= 2;
	if (room == s->room)
		return true;
	grown = realloc(s->text, room);
	if (grown == NULL) {
		s->failed = true;
		return false;
	}
	s->text = grown;
	s->room = room;
	return true;
}

void
str_add_n(struct str *s, const char *text, size_t length)
{
	if (!reserve(s, length))
		return;
	memcpy(s->text + s->length, text, length);
	s->length += length;
	s->text[s->length] = '\0';
}

void
str_add(struct str *s, const char *text)
{
	str_add_n(s, text, strlen(text));
}

void
str_printf(struct str *s, const char *format, ...)
{
	va_list args;
	size_t room;
	int length;

	if (!reserve(s, 1))
		return;
	room = s->room - s->length;
	va_start(args, format);
	length = vsnprintf(s->text + s->length, room, format, args);
	va_end(args);
	if (length >= 0 && (size_t)length >= room && reserve(s, (size_t)length)) {
		va_start(args, format);
		vsnprintf(s->text + s->length, (size_t)length + 1, format, args);
		va_end(args);
	}
	if (length < 0 || s->failed)
		s->text[s->length] = '\0';
	else
		s->length += (size_t)length;
}

static void
json_character(struct str *s, uint32_t code, const char *bytes, size_t length)
{
	if (code == '"' || code == '\\')
		str_printf(s, "\\%c", (char)code);
	else if (code == '\n')
		str_add(s, "\\n");
	else if (code == '\t')
		str_add(s, "\\t");
	else if (utf8_is_unsafe(code))
		str_printf(s, "\\u%04x", code);
	else
		str_add_n(s, bytes, length);
}

/* Length of the leading run that needs no escape: nearly always the whole text. */
static size_t
plain_length(const char *text)
{
	size_t length = 0;

	while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
	       text[length] != '\\')
		length++;
	return length;
}

/* keep: write an invalid byte as a lone surrogate, so that it can be read back. */
static void
json_text(struct str *s, const char *text, bool keep)
{
	size_t left = strlen(text), length;
	uint32_t code;

	str_add(s, "\"");
	for (; left > 0; text += length, left -= length) {
		length = plain_length(text);
		if (length > 0) {
			str_add_n(s, text, length);
			continue;
		}
		length = utf8_decode(text, left, &code);
		if (length > 0) {
			json_character(s, code, text, length);
			continue;
		}
		str_printf(s, "\\u%04x", keep ? 0xdc00u + (unsigned char)*text : 0xfffdu);
		length = 1;
	}
	str_add(s, "\"");
}

void
str_json(struct str *s, const char *text)
{
	json_text(s, text, false);
}

void
str_json_or_null(struct str *s, const char *text)
{
	if (text == NULL)
		str_add(s, "null");
	else
		str_json(s, text);
}

void
str_json_bytes(struct str *s, const char *text)
{
	json_text(s, text, true);
}

void
str_visible(struct str *s, const char *text)
{
	size_t left = strlen(text), length;
	uint32_t code;

	for (; left > 0; text += length, left -= length) {
		length = utf8_decode(text, left, &code);
		if (length == 0) {
			str_printf(s, "\\x%02x", (unsigned char)*text);
			length = 1;
		} else if (!utf8_is_unsafe(code)) {
			str_add_n(s, text, length);
		} else {
			str_printf(s, code < 0x80 ? "\\x%02x" : "\\u{%04x}", code);
		}
	}
}

/* No byte beyond ASCII is special to a shell. */
static bool
is_plain(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) || (c & 0x80) != 0 ||
	       (c != '\0' && strchr("._/+,:=@%-", c) != NULL);
}

void
str_shell(struct str *s, const char *text)
{
	const char *at = text;

	while (is_plain(*at))
		at++;
	if (at > text && *at == '\0') {
		str_add(s, text);
		return;
	}
	str_add(s, "'");
	for (; *text != '\0'; text++)
		if (*text == '\'')
			str_add(s, "'\\''");
		else
			str_add_n(s, text, 1);
	str_add(s, "'");
}

bool
str_is_shell_word(const char *text)
{
	while (*text != '\0') {
		const char *end = *text == '\'' ? strchr(text + 1, '\'') : NULL;

		if (end != NULL)
			text = end + 1;
		else if (text[0] == '\\' && text[1] == '\'')
			text += 2;
		else if (is_plain(*text))
			text++;
		else
			return false;
	}
	return true;
}

int
str_finish(struct str *s, char **ret_text, struct cordon_error *err)
{
	if (s->text == NULL)
		str_add_n(s, "", 0);
	if (s->failed)
		return cordon_no_memory(err);
	*ret_text = s->text;
	*s = (struct str){0};
	return 0;
}

void
str_free(struct str *s)
{
	free(s->text);
	*s = (struct str){0};
}

/* Levenshtein distance. Words here are short keys, so rows of 33 are enough. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[33];
	size_t n = strlen(b);

	if (n > 32 || strlen(a) > 32)
		return 33;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[n];
}

const char *
str_nearest_word(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t limit = strlen(word) / 3 + 1;

	for (size_t i = 0; i < count; i++) {
		size_t d = distance(word, words[i]);

		if (d > limit)
			continue;
		limit = d == 0 ? 0 : d - 1;
		best = words[i];
	}
	return best;
}

bool
str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool
str_digits(const char *text, uint64_t max, uint64_t *ret_number, const char **ret_end)
{
	const char *at = text;
	uint64_t number = 0;

	for (; ascii_is_digit(*at); at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (digit > max || number > (max - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (at == text)
		return false;
	*ret_number = number;
	*ret_end = at;
	return true;
}

bool
str_number(const char *text, uint64_t max, uint64_t *ret_number)
{
	const char *end;
	uint64_t number;

	if (!str_digits(text, max, &number, &end) || *end != '\0')
		return false;
	*ret_number = number;
	return true;
}
