// SPDX-License-Identifier: MIT
/*
 * Globs. The input is a glob and, after the first newline, a path. Every glob that compiles matches in
 * bounded time, and one that matches a path matches everything below it.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

/* Each match ends at a component boundary, and ignoring case only adds matches. */
static void
check_match(const struct glob *glob, const char *path)
{
	size_t length = strlen(path);

	for (int nocase = 0; nocase < 2; nocase++) {
		size_t first = glob_match_prefix(glob, path, nocase);
		size_t last = glob_match_longest(glob, path, nocase);

		must(nocase ? first != 0 || !glob_match(glob, path)
			    : (first != 0) == glob_match(glob, path));
		must((first != 0) == (last != 0) && first <= last && last <= length);
		must(last == 0 || strcmp(path, "/") == 0 || path[first] == '/' ||
		     path[first] == '\0' || first == 1);
		must(last == 0 || path[last] == '/' || path[last] == '\0' || last == 1);
	}
}

static void
check_below(struct arena *arena, const struct glob *glob, const char *path)
{
	const char *below = arena_printf(arena, NULL, "%s/x", strcmp(path, "/") == 0 ? "" : path);

	if (below == NULL || strlen(below) >= PATH_MAX)
		return;
	must(!glob_match(glob, path) || glob_match(glob, below));
	check_match(glob, below);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena arena = {0};
	const char *text = arena_strndup(&arena, (const char *)data, size, NULL);
	size_t length = text == NULL ? 0 : strcspn(text, "\n");
	const char *pattern, *path, *reason = NULL;
	struct glob *glob = NULL;
	int rc;

	if (text == NULL)
		return 0;
	pattern = arena_strndup(&arena, text, length, NULL);
	path = text[length] == '\n' ? text + length + 1 : "/a/b";
	rc = glob_compile(&arena, pattern, &glob, &reason, NULL);
	must(rc == 0 || (rc == -CORDON_E_POLICY && reason != NULL && glob == NULL));
	/* paths are canonical: absolute, no doubled or trailing slash */
	if (rc < 0 || *path != '/' || strlen(path) >= PATH_MAX || strstr(path, "//") != NULL ||
	    (path[1] != '\0' && path[strlen(path) - 1] == '/'))
		return 0;
	check_match(glob, path);
	check_below(&arena, glob, path);
	return 0;
}
