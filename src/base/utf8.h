/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 decoding and encoding, and characters that are unsafe on a terminal. Strict: overlong
 * forms, surrogates, values beyond U+10FFFF and NUL are not characters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the length of the character at p, of which left bytes are readable, and its code in
 * *ret_code; 0 if it is none, with *ret_code unchanged.
 */
size_t utf8_decode(const char *p, size_t left, uint32_t *ret_code);
/* Does a terminal act on the character, hide it, or display the following text elsewhere? */
bool utf8_is_unsafe(uint32_t code);
/* Writes a valid character and returns its length. to has room for 4 bytes. */
size_t utf8_encode(char *to, uint32_t code);
