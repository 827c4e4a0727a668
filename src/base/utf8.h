/* SPDX-License-Identifier: MIT */
/*
 * UTF-8, character by character, and which characters must not reach a terminal as they are.
 * Strict: overlong forms, surrogates and numbers beyond U+10FFFF are not characters, nor is NUL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The length of the character at p, of which left bytes may be read, and its number in *ret_code;
 * 0 if there is none, in which case *ret_code is untouched.
 */
size_t utf8_decode(const char *p, size_t left, uint32_t *ret_code);
/* Would a terminal obey it, hide it, or show what follows in another place? */
bool utf8_is_unsafe(uint32_t code);
/* Writes the character, which is one, and returns its length. to has room for 4. */
size_t utf8_encode(char *to, uint32_t code);
