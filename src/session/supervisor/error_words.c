// SPDX-License-Identifier: MIT
/* Compares output with the words that C libraries and runtimes have for EACCES and EPERM. */
#include "base/os.h"

#include "session/error_words.h"

static bool
has_words(const char *text, size_t length)
{
	static const char *const all[] = {"ermission denied", "EACCES", "peration not permitted",
					  "EPERM"};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (memmem(text, length, all[i], strlen(all[i])) != NULL)
			return true;
	return false;
}

void
error_words_read(struct error_words *words, const char *text, size_t length)
{
	size_t kept = length < ERROR_WORDS_TAIL ? length : ERROR_WORDS_TAIL;
	char joint[2 * ERROR_WORDS_TAIL];

	if (words->are_found)
		return;
	memcpy(joint, words->tail, words->length);
	memcpy(joint + words->length, text, kept);
	words->are_found = has_words(joint, words->length + kept) || has_words(text, length);
	/* of a short piece all, with the end of those before it */
	if (kept == ERROR_WORDS_TAIL) {
		memcpy(words->tail, text + length - kept, kept);
		words->length = kept;
	} else {
		size_t all = words->length + kept;
		size_t from = all > ERROR_WORDS_TAIL ? all - ERROR_WORDS_TAIL : 0;

		memcpy(words->tail, joint + from, all - from);
		words->length = all - from;
	}
}
