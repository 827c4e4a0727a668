// SPDX-License-Identifier: MIT
/*
 * Characters that display as something else. Everything beyond ASCII counts, except the accented
 * letters of Latin-1, which are common in names and look like nothing else.
 */
#include "base/confusable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"

static const struct {
	uint32_t first, last;
} unseen[] = {
	{0xad, 0xad},	    /* soft hyphen */
	{0x61c, 0x61c},	    /* direction mark */
	{0x180e, 0x180e},   /* vowel separator */
	{0x200b, 0x200f},   /* zero width, direction marks */
	{0x2028, 0x202e},   /* line separators, direction */
	{0x2060, 0x206f},   /* joiners, isolates */
	{0xfe00, 0xfe0f},   /* variation selectors */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xe0000, 0xe0fff}, /* tags */
};

/* Decodes the character at *text and advances. A byte that is not UTF-8 counts as one. */
static uint32_t
next_character(const unsigned char **text)
{
	const unsigned char *p = *text;
	int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
	uint32_t character = more == 0 ? p[0] : p[0] & (0x3fu >> more);

	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*text = p + 1;
			return 0xfffd;
		}
		character = character << 6 | (p[i] & 0x3fu);
	}
	*text = p + 1 + more;
	return character;
}

static bool
is_unseen(uint32_t character)
{
	for (size_t i = 0; i < COUNT(unseen); i++)
		if (character >= unseen[i].first && character <= unseen[i].last)
			return true;
	return false;
}

static bool
is_plain(uint32_t character)
{
	return character < 0x80 ||
	       (character >= 0xc0 && character <= 0xff && character != 0xd7 && character != 0xf7);
}

const char *
confusable(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	bool plain = true;

	while (*p != '\0') {
		uint32_t character = next_character(&p);

		if (is_unseen(character))
			return "it has invisible or direction-changing characters";
		plain = plain && is_plain(character);
	}
	if (!plain)
		return "it has letters that can look like others";
	return strstr(text, "xn--") != NULL ? "it stands for a name with other letters" : NULL;
}
