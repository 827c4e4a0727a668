// SPDX-License-Identifier: MIT
/*
 * The only UTF-8 decoder. Input is hostile: nothing is read past the end. No heap and no locale,
 * because error.c uses it.
 */
#include "base/utf8.h"
#include "base/array.h"

/* Ranges of the first byte and of the second, and the length. */
static const struct form {
	unsigned char first, last, low, high, length;
} forms[] = {
	{0x01, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const struct {
	uint32_t first, last;
} unsafe[] = {
	{0x01, 0x1f},	  /* C0 */
	{0x7f, 0x9f},	  /* DEL and C1, CSI among them */
	{0x61c, 0x61c},	  /* direction mark */
	{0x200b, 0x200f}, /* zero width, direction marks */
	{0x2028, 0x202e}, /* word joiner, invisible operators, isolates */
	{0x2060, 0x206f}, /* word joiner, unseen operators, isolates */
	{0xfeff, 0xfeff}, /* byte order mark */
};

static const struct form *
form_of(unsigned char lead)
{
	for (size_t i = 0; i < COUNT(forms); i++)
		if (lead >= forms[i].first && lead <= forms[i].last)
			return &forms[i];
	return NULL;
}

size_t
utf8_decode(const char *text, size_t left, uint32_t *ret_code)
{
	const unsigned char *p = (const unsigned char *)text;
	const struct form *form = left == 0 ? NULL : form_of(p[0]);
	uint32_t code;

	if (form == NULL || form->length > left)
		return 0;
	code = form->length == 1 ? p[0] : p[0] & (0x7fu >> form->length);
	for (size_t i = 1; i < form->length; i++) {
		if (i == 1 ? p[1] < form->low || p[1] > form->high : (p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3fu);
	}
	*ret_code = code;
	return form->length;
}

bool
utf8_is_unsafe(uint32_t code)
{
	for (size_t i = 0; i < COUNT(unsafe); i++)
		if (code >= unsafe[i].first && code <= unsafe[i].last)
			return true;
	return false;
}

size_t
utf8_encode(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}
