/* SPDX-License-Identifier: MIT */
/* Looks for the words of a refused system call in the output of a command, where that passes the supervisor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ERROR_WORDS_TAIL 32 /* as long as the longest of them */

/* Zeroed at first. */
struct error_words {
	char tail[ERROR_WORDS_TAIL]; /* the end of what was read, where words may be cut */
	size_t length;
	bool are_found;
};

void error_words_read(struct error_words *words, const char *text, size_t length);
