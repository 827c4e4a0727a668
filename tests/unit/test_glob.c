// SPDX-License-Identifier: MIT
/*
 * Globs against a slow reference that follows the words of the header, name by name, on every small
 * pattern and path; then the promises one by one, and patterns made to explode.
 */
#include "base/glob.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "tap.h"

struct names {
	const char *at[16];
	size_t length[16];
	size_t count;
};

static struct names
split(const char *path)
{
	struct names names = {.count = 0};

	while (*(path += strspn(path, "/")) != '\0') {
		names.at[names.count] = path;
		names.length[names.count++] = strcspn(path, "/");
		path += strcspn(path, "/");
	}
	return names;
}

static bool
name_matches(const char *pattern, size_t pattern_left, const char *name, size_t left)
{
	if (pattern_left == 0)
		return left == 0;
	if (*pattern == '*')
		return name_matches(pattern + 1, pattern_left - 1, name, left) ||
		       (left > 0 && name_matches(pattern, pattern_left, name + 1, left - 1));
	return left > 0 && (*pattern == '?' || *pattern == *name) &&
	       name_matches(pattern + 1, pattern_left - 1, name + 1, left - 1);
}

static bool
is_deep(const struct names *names, size_t i)
{
	return names->length[i] == 2 && memcmp(names->at[i], "**", 2) == 0;
}

/* Do the pattern's names from p on match the path's from n to end? */
static bool
names_match(const struct names *pattern, size_t p, const struct names *path, size_t n, size_t end)
{
	if (p == pattern->count)
		return n == end;
	if (is_deep(pattern, p) && p + 1 == pattern->count)
		return n < end;
	if (is_deep(pattern, p))
		return names_match(pattern, p + 1, path, n, end) ||
		       (n < end && names_match(pattern, p, path, n + 1, end));
	return n < end &&
	       name_matches(pattern->at[p], pattern->length[p], path->at[n], path->length[n]) &&
	       names_match(pattern, p + 1, path, n + 1, end);
}

static size_t
reference(const char *pattern_text, const char *path_text)
{
	struct names pattern = split(pattern_text), path = split(path_text);

	if (pattern.count == 0)
		return 1;
	for (size_t end = 1; end <= path.count; end++)
		if (names_match(&pattern, 0, &path, 0, end))
			return (size_t)(path.at[end - 1] - path_text) + path.length[end - 1];
	return 0;
}

static bool
reference_valid(const char *pattern)
{
	struct names names = split(pattern);

	if (*pattern != '/' && strncmp(pattern, "**", 2) != 0)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		for (size_t j = 0; j + 1 < names.length[i]; j++)
			if (memcmp(names.at[i] + j, "**", 2) == 0 && !is_deep(&names, i))
				return false;
		if (names.length[i] <= 2 && strspn(names.at[i], ".") >= names.length[i])
			return false;
	}
	return true;
}

/* The text with this number among all texts over alphabet; short ones first. */
static void
text_of(size_t number, const char *alphabet, char *to)
{
	size_t base = strlen(alphabet), length = 0;

	for (; number > 0; number = (number - 1) / base)
		to[length++] = alphabet[(number - 1) % base];
	to[length] = '\0';
}

#define PATHS_MAX 4000
static size_t
canonical_paths(char paths[][8])
{
	size_t count = 1;
	char text[16];

	strcpy(paths[0], "/");
	for (size_t i = 0; count < PATHS_MAX; i++) {
		text_of(i, "/ab.", text);
		if (strlen(text) > 6)
			break;
		if (*text != '/' || text[strlen(text) - 1] == '/' || strstr(text, "//") != NULL)
			continue;
		strcpy(paths[count++], text);
	}
	return count;
}

static void
compare_on_paths(const char *pattern, char paths[][8], size_t count)
{
	auto_arena struct arena arena = {NULL};
	const char *reason = "?";
	struct glob *glob = NULL;
	int rc = glob_compile(&arena, pattern, &glob, &reason, NULL);

	if (!reference_valid(pattern)) {
		if (rc != -CORDON_E_POLICY || reason == NULL || glob != NULL)
			check_str(pattern, "refused with a reason");
		return;
	}
	if (rc != 0 || reason != NULL) {
		check_str(pattern, "accepted");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		size_t expected = reference(pattern, paths[i]);

		if (glob_match_prefix(glob, paths[i], false) == expected &&
		    glob_match(glob, paths[i]) == (expected != 0) &&
		    glob_match_prefix(glob, paths[i], true) == expected)
			continue;
		printf("# pattern %s path %s\n", pattern, paths[i]);
		check_int(glob_match_prefix(glob, paths[i], false), expected);
	}
}

static void
small_patterns_match_as_documented(void)
{
	static char paths[PATHS_MAX][8];
	size_t count = canonical_paths(paths);
	char pattern[16];

	check(count > 500);
	for (size_t i = 0;; i++) {
		text_of(i, "a/*?.b", pattern);
		if (strlen(pattern) > 6 || tap.failed_checks > 20)
			break;
		compare_on_paths(pattern, paths, count);
	}
}

static size_t
matched(const char *pattern, const char *path, bool nocase)
{
	auto_arena struct arena arena = {NULL};
	struct cordon_error err = {0};
	struct glob *glob;

	if (glob_compile(&arena, pattern, &glob, NULL, &err) < 0) {
		printf("# %s\n", err.text);
		return 9999;
	}
	return glob_match_prefix(glob, path, nocase);
}

static void
the_examples_of_the_header(void)
{
	check_int(matched("**/.env", "/.env", false), 5);
	check_int(matched("**/.env", "/a/b/.env", false), 9);
	check_int(matched("**/.env", "/a/b.env", false), 0);
	check_int(matched("/a/**/b", "/a/b", false), 4);
	check_int(matched("/a/**/b", "/a/x/y/b/z", false), 8);
	check_int(matched("/a/**/b", "/ax/b", false), 0);
	check_int(matched("/a/**", "/a", false), 0);
	check_int(matched("/a/**", "/a/b/c", false), 4);
	check_int(matched("/a/*/c", "/a/b/b/c", false), 0);
	check_int(matched("**", "/a/b", false), 2);
	check_int(matched("**", "/", false), 0);
	check_int(matched("/", "/", false), 1);
	check_int(matched("/", "/a", false), 1);
}

static void
a_match_covers_everything_below(void)
{
	check_int(matched("**/secrets", "/p/secrets/deep/key", false), 10);
	check_int(matched("**/secrets", "/p/secrets2/deep", false), 0);
	check_int(matched("/p/*.d", "/p/x.d/y", false), 6);
}

static void
quoting_makes_a_character_literal(void)
{
	check_int(matched("/a\\*b", "/a*b", false), 4);
	check_int(matched("/a\\*b", "/axb", false), 0);
	check_int(matched("/a\\?", "/a?", false), 3);
	check_int(matched("/a\\?", "/ab", false), 0);
	check_int(matched("/\\*\\*/a", "/**/a", false), 5);
	check_int(matched("/\\*\\*/a", "/x/a", false), 0);
	check_int(matched("/a\\\\b", "/a\\b", false), 4);
	check_int(matched("/\\a\\/b", "/a/b", false), 4);
	check_int(matched("/[ab]", "/a", false), 0);
	check_int(matched("/[ab]", "/[ab]", false), 5);
}

static void
a_question_mark_is_one_character(void)
{
	check_int(matched("/?", "/\xc3\xa9", false), 3);
	check_int(matched("/??", "/\xc3\xa9", false), 0);
	check_int(matched("/?", "/\xf0\x9f\x98\x80", false), 5);
	check_int(matched("/?", "/\xff", false), 2);
	check_int(matched("/???", "/\xe0\x80\xaf", false), 4);
	check_int(matched("/?", "//", false), 0);
}

static void
an_overlong_slash_is_no_slash(void)
{
	check_int(matched("/a*b",
			  "/a\xc0\xaf"
			  "b",
			  false),
		  5);
	check_int(matched("/a*b",
			  "/a\xe0\x80\xaf"
			  "b",
			  false),
		  6);
	check_int(matched("/a/b",
			  "/a\xe0\x80\xaf"
			  "b",
			  false),
		  0);
	/* past the last character, where the marks of our steps live */
	check_int(matched("/\xf4\x90\x80\x80", "/x", false), 0);
	check_int(matched("/\xf4\x90\x80\x80", "/\xf4\x90\x80\x80", false), 5);
	check_int(matched("/a\xc3", "/a\xc3", false), 3);
}

static void
case_matters_unless_the_flag_is_set(void)
{
	check_int(matched("**/.Git/hooks", "/p/.gIT/HOOKS", false), 0);
	check_int(matched("**/.Git/hooks", "/p/.gIT/HOOKS/x", true), 13);
	check_int(matched("**/*Z", "/a/\xc3\x89z", true), 6);
	check_int(matched("/\xc3\x89", "/\xc3\xa9", true), 0);
	check_int(matched("/[", "/{", true), 0);
}

static void
slashes_are_collapsed(void)
{
	check_int(matched("//a///b//", "/a/b", false), 4);
	check_int(matched("/a/**//b/", "/a/b", false), 4);
	check_int(matched("/a/**/", "/a/b", false), 4);
	check_int(matched("/a/**/**/b", "/a/b", false), 4);
	check_int(matched("/a/**/**", "/a", false), 0);
	check_int(matched("///", "/x", false), 1);
}

static void
invalid_patterns_are_refused_with_the_reason(void)
{
	static const struct {
		const char *pattern, *reason;
	} cases[] = {
		{"", "does not start with \"/\" or \"**\""},
		{"a", "does not start with \"/\" or \"**\""},
		{"*", "does not start with \"/\" or \"**\""},
		{"a**b", "does not start with \"/\" or \"**\""},
		{"/a**b", "has a \"**\" that does not stand alone between slashes"},
		{"/a**", "has a \"**\" that does not stand alone between slashes"},
		{"**a", "has a \"**\" that does not stand alone between slashes"},
		{"/***/a", "has a \"**\" that does not stand alone between slashes"},
		{"/a/../b", "has a \".\" or \"..\" in it, which no resolved path has"},
		{"/a/.", "has a \".\" or \"..\" in it, which no resolved path has"},
		{"**/..", "has a \".\" or \"..\" in it, which no resolved path has"},
		{"/\\.\\./b", "has a \".\" or \"..\" in it, which no resolved path has"},
		{"/a\\", "ends in a backslash that quotes nothing"},
	};
	auto_arena struct arena arena = {NULL};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct cordon_error err = {0};
		const char *reason = NULL;
		struct glob *glob = NULL;

		check_int(glob_compile(&arena, cases[i].pattern, &glob, &reason, &err),
			  -CORDON_E_POLICY);
		check_str(reason, cases[i].reason);
		check(glob == NULL && strstr(err.text, cases[i].reason) != NULL);
	}
}

static void
fill(char *to, size_t size, const char *with)
{
	size_t length = strlen(with), used = 0;

	for (; used + length < size; used += length)
		memcpy(to + used, with, length);
	to[used] = '\0';
}

static void
evil_patterns_finish_at_once(void)
{
	static const char *const evil[][2] = {
		{"/a*", "/aaaaaaaaaaaaa"}, {"/**/a", "/a"},	{"/*a*?", "/aaaaaaaaaaaaaaaa"},
		{"**/*/", "/b"},	   {"/**/*a", "/aaaa"},
	};
	struct timespec begin, end;
	auto_arena struct arena arena = {NULL};

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (size_t i = 0; i < sizeof evil / sizeof evil[0]; i++) {
		char pattern[PATH_MAX - 16], path[PATH_MAX];
		struct glob *glob;

		fill(pattern, sizeof pattern - 8, evil[i][0]);
		strcat(pattern, "/no?");
		fill(path, sizeof path, evil[i][1]);
		if (glob_compile(&arena, pattern, &glob, NULL, NULL) < 0)
			check_str(pattern, "accepted");
		else
			check_int(glob_match(glob, path), 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	/* tens of milliseconds each at worst; an explosion would outlive the machine */
	check(end.tv_sec - begin.tv_sec < 20);
}

static void
a_pattern_longer_than_any_path_is_refused(void)
{
	static char pattern[3 * PATH_MAX];
	auto_arena struct arena arena = {NULL};
	const char *reason = NULL;
	struct glob *glob = NULL;

	fill(pattern, sizeof pattern, "/aaa");
	check_int(glob_compile(&arena, pattern, &glob, &reason, NULL), -CORDON_E_POLICY);
	check_str(reason, "is longer than any path");
	fill(pattern, PATH_MAX - 3, "/a");
	check_int(glob_compile(&arena, pattern, &glob, &reason, NULL), 0);
	check_int(glob_match_prefix(glob, pattern, false), strlen(pattern));
}

int
main(void)
{
	run(small_patterns_match_as_documented);
	run(the_examples_of_the_header);
	run(a_match_covers_everything_below);
	run(quoting_makes_a_character_literal);
	run(a_question_mark_is_one_character);
	run(an_overlong_slash_is_no_slash);
	run(case_matters_unless_the_flag_is_set);
	run(slashes_are_collapsed);
	run(invalid_patterns_are_refused_with_the_reason);
	run(evil_patterns_finish_at_once);
	run(a_pattern_longer_than_any_path_is_refused);
	return tap_end();
}
