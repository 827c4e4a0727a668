// SPDX-License-Identifier: MIT
/*
 * Text building and quoting. Nothing here knows what the text means; quoting is what keeps hostile
 * names from becoming structure (JSON) or terminal commands (people's eyes).
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0 || !reserve(s, (size_t)length))
		return;
	va_start(args, format);
	vsnprintf(s->text + s->length, (size_t)length + 1, format, args);
	va_end(args);
	s->length += (size_t)length;
}

void
str_json(struct str *s, const char *text)
{
	str_add(s, "\"");
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			str_printf(s, "\\%c", c);
		else if (c == '\n')
			str_add(s, "\\n");
		else if (c == '\t')
			str_add(s, "\\t");
		else if (c < 0x20 || c == 0x7f)
			str_printf(s, "\\u%04x", c);
		else
			str_add_n(s, text, 1);
	}
	str_add(s, "\"");
}

void
str_visible(struct str *s, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		/* 0xc2 0x80..0x9f are the C1 controls, CSI among them */
		if (c == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0) {
			str_printf(s, "\\x%02x", (unsigned char)text[1]);
			text++;
		} else if (c < 0x20 || c == 0x7f) {
			str_printf(s, "\\x%02x", c);
		} else {
			str_add_n(s, text, 1);
		}
	}
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

/* Levenshtein distance, capped by the row's length: words here are short keys. */
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
nearest_word(const char *word, const char *const *words, size_t count)
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
