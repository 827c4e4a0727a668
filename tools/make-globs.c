// SPDX-License-Identifier: MIT
/*
 * Writes the patterns of protected names as C arrays to stdout, at build time, compiled by the function that
 * compiles every other pattern (base/glob.c). Row i begins at word protected_starts[i].
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/glob.h"
#include "rules/protected_rows.h"

static int
write_words(const char *pattern, size_t *ret_words)
{
	struct cordon_error err = {0};
	struct arena arena = {0};
	struct glob *glob;

	*ret_words = 0;
	if (glob_compile(&arena, pattern, &glob, NULL, &err) < 0) {
		fprintf(stderr, "make-globs: %s\n", err.text);
		return 1;
	}
	*ret_words = glob_words(glob);
	for (size_t i = 0; i < *ret_words; i++)
		printf("0x%x,%s", ((const uint32_t *)glob)[i], i + 1 < *ret_words ? " " : "\n");
	arena_free(&arena);
	return 0;
}

int
main(void)
{
	size_t starts[COUNT(protected_rows)], next = 0;
	int failed = 0;

	printf("static const uint32_t protected_globs[] = {\n");
	for (size_t i = 0; i < COUNT(protected_rows); i++) {
		size_t words;

		starts[i] = next;
		failed |= write_words(protected_rows[i].pattern, &words);
		next += words;
	}
	printf("};\nstatic const uint16_t protected_starts[] = {\n");
	for (size_t i = 0; i < COUNT(protected_rows); i++)
		printf("%zu,\n", starts[i]);
	printf("};\n");
	return failed | (next > UINT16_MAX) | (fflush(stdout) != 0);
}
