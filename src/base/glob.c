// SPDX-License-Identifier: MIT
/*
 * Patterns compiled to a chain of steps and matched as a set of positions that moves along the path
 * one character at a time. There is no recursion and no backtracking, so no pattern makes matching
 * explode. Works on text only; paths were resolved before.
 */
#include "base/glob.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"

/* A step is a character, a byte that is not UTF-8 (BAD_BYTE + byte), or one of these. */
#define STEP_ONE 0x110000u  /* one character of a name */
#define STEP_STAR 0x110001u /* any text of a name */
#define STEP_DEEP 0x110002u /* after a slash: nothing, or any text that ends in a slash */
#define BAD_BYTE 0x120000u

#define STEPS_MAX PATH_MAX
#define SET_WORDS (STEPS_MAX / 64 + 1)

/* In one piece and without pointers: words that a program can also write into a table. */
struct glob {
	uint32_t count;
	uint32_t folded; /* where the steps in lower case start; 0: the steps are in lower case */
	/* ASCII suffix of the pattern: every match ends in it. */
	uint32_t tail_length;
	/* Without a tail: the longest ASCII run, in lower case; every match contains it. */
	uint32_t core, core_length;
	uint32_t steps[];
};

/* The steps to match, in lower case if case is ignored. */
struct chain {
	const uint32_t *steps;
	size_t count;
};

/* Set of positions in a pattern: bit i is before step i, bit count is the end. */
struct set {
	uint64_t words[SET_WORDS];
};

/*
 * Decodes the UTF-8 character at text, which is not empty, and returns its length. An invalid byte
 * counts as one character. Overlong forms are invalid: they could hide a slash.
 */
static size_t
character(const char *text, uint32_t *ret_value)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t smallest, largest;
	} forms[] = {
		{0x80, 0x00, 0, 0x7f},
		{0xe0, 0xc0, 0x80, 0x7ff},
		{0xf0, 0xe0, 0x800, 0xffff},
		{0xf8, 0xf0, 0x10000, 0x10ffff},
	};
	const unsigned char *byte = (const unsigned char *)text;

	if (*byte < 0x80) {
		*ret_value = *byte;
		return 1;
	}
	for (size_t n = 0; n < COUNT(forms); n++) {
		uint32_t value = (uint32_t)*byte & ~(uint32_t)forms[n].mask;
		size_t i = 1;

		if ((*byte & forms[n].mask) != forms[n].lead)
			continue;
		for (; i <= n && (byte[i] & 0xc0) == 0x80; i++)
			value = value << 6 | (byte[i] & 0x3f);
		if (i <= n || value < forms[n].smallest || value > forms[n].largest)
			break;
		*ret_value = value;
		return n + 1;
	}
	*ret_value = BAD_BYTE + *byte;
	return 1;
}

static uint32_t
fold(uint32_t c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Does a name start after count steps? */
static bool
starts_after(const struct glob *glob, size_t count)
{
	return count == 0 || glob->steps[count - 1] == '/' || glob->steps[count - 1] == STEP_DEEP;
}

static bool
at_start(const struct glob *glob)
{
	return starts_after(glob, glob->count);
}

/* Does the last name consist of count dots? */
static bool
only_dots(const struct glob *glob, size_t count)
{
	if (glob->count < count)
		return false;
	for (size_t i = glob->count - count; i < glob->count; i++)
		if (glob->steps[i] != '.')
			return false;
	return starts_after(glob, glob->count - count);
}

static const char *
add_slash(struct glob *glob)
{
	if (only_dots(glob, 1) || only_dots(glob, 2))
		return "has a \".\" or \"..\" in it, which no resolved path has";
	if (!at_start(glob) || glob->count == 0)
		glob->steps[glob->count++] = '/';
	return NULL;
}

/* Compiles a run of stars at *text and moves *text to the last one. */
static const char *
add_stars(struct glob *glob, const char **text)
{
	size_t stars = strspn(*text, "*");
	char after = (*text)[stars];

	*text += stars - 1;
	if (stars == 1) {
		glob->steps[glob->count++] = STEP_STAR;
		return NULL;
	}
	if (stars > 2 || !at_start(glob) || (after != '/' && after != '\0'))
		return "has a \"**\" that does not stand alone between slashes";
	if (glob->count == 0)
		glob->steps[glob->count++] = '/';
	/* at the end, matching one name is enough: a match covers everything below it */
	if (after == '\0')
		glob->steps[glob->count++] = STEP_STAR;
	else if (glob->steps[glob->count - 1] != STEP_DEEP)
		glob->steps[glob->count++] = STEP_DEEP;
	return NULL;
}

/* Compiles one element of the pattern at *text and moves *text behind it. */
static const char *
add_step(struct glob *glob, const char **text)
{
	const char *reason = NULL;

	if (**text == '*') {
		reason = add_stars(glob, text);
	} else if (**text == '?') {
		glob->steps[glob->count++] = STEP_ONE;
	} else {
		if (**text == '\\' && *++*text == '\0')
			return "ends in a backslash that quotes nothing";
		if (**text == '/') {
			reason = add_slash(glob);
		} else {
			*text += character(*text, &glob->steps[glob->count++]);
			return NULL;
		}
	}
	++*text;
	return reason;
}

static const char *
compile(struct glob *glob, const char *pattern)
{
	const char *reason = NULL;

	if (*pattern != '/' && strncmp(pattern, "**", 2) != 0)
		return "does not start with \"/\" or \"**\"";
	while (*pattern != '\0' && reason == NULL)
		reason = add_step(glob, &pattern);
	if (reason == NULL)
		reason = add_slash(glob); /* also checks the last name */
	if (reason != NULL)
		return reason;
	/* "/a/" becomes "/a"; "**" followed only by slashes matches any name */
	if (glob->steps[glob->count - 1] == STEP_DEEP)
		glob->steps[glob->count - 1] = STEP_STAR;
	else if (glob->count > 1)
		glob->count--;
	return NULL;
}

static void
find_core(struct glob *glob)
{
	uint32_t length = 0;

	for (uint32_t i = 0; i < glob->count; i++) {
		length = glob->steps[i] < 0x80 ? length + 1 : 0;
		if (length > glob->core_length) {
			glob->core_length = length;
			glob->core = glob->folded + i + 1 - length;
		}
	}
}

static bool
is_in_lower_case(const struct glob *glob)
{
	size_t same = 0;

	while (same < glob->count && fold(glob->steps[same]) == glob->steps[same])
		same++;
	return same == glob->count;
}

/* The tail or core of every match. The room is for twice the steps if some are in upper case. */
static void
prepare(struct glob *glob)
{
	uint32_t first = glob->count;

	while (first > 0 && glob->steps[first - 1] < 0x80)
		first--;
	glob->tail_length = glob->count - first;
	glob->folded = is_in_lower_case(glob) ? 0 : glob->count;
	for (uint32_t i = 0; glob->folded != 0 && i < glob->count; i++)
		glob->steps[glob->folded + i] = fold(glob->steps[i]);
	if (glob->tail_length == 0)
		find_core(glob);
}

/* Counts the steps at most: a slash may be added at each end. */
static size_t
room_of(const char *pattern)
{
	size_t room = 2;
	bool folds = false;

	for (; *pattern != '\0'; pattern++, room++)
		folds = folds || (*pattern >= 'A' && *pattern <= 'Z');
	return folds ? room * 2 : room;
}

int
glob_compile(struct arena *arena, const char *pattern, struct glob **ret, const char **ret_reason,
	     struct cordon_error *err)
{
	const char *reason = "is longer than any path";
	struct glob *glob = NULL;

	if (strlen(pattern) + 2 < STEPS_MAX) {
		glob = arena_alloc(arena, sizeof *glob + room_of(pattern) * sizeof glob->steps[0],
				   err);
		if (glob == NULL)
			return -CORDON_E_MEMORY;
		reason = compile(glob, pattern);
	}
	if (ret_reason != NULL)
		*ret_reason = reason;
	if (reason != NULL)
		return cordon_fail(err, CORDON_E_POLICY, 0, "%.120s %s", pattern, reason);
	prepare(glob);
	*ret = glob;
	return 0;
}

size_t
glob_words(const struct glob *glob)
{
	return sizeof *glob / sizeof glob->steps[0] + glob->count + glob->folded;
}

const struct glob *
glob_of_words(const uint32_t *words)
{
	return (const struct glob *)words;
}

static const uint32_t *
steps_of(const struct glob *glob, bool nocase)
{
	return glob->steps + (nocase ? glob->folded : 0);
}

static bool
ends_in_tail(const struct glob *glob, const char *end, bool nocase)
{
	const char *at = end - glob->tail_length;
	const uint32_t *tail = steps_of(glob, nocase) + glob->count - glob->tail_length;

	for (size_t i = 0; i < glob->tail_length; i++)
		if ((nocase ? fold((unsigned char)at[i]) : (unsigned char)at[i]) != tail[i])
			return false;
	return true;
}

/* Returns the longest prefix of path that ends in the tail, an upper limit for a match; or 0. */
static size_t
reach(const struct glob *glob, const char *path, bool nocase)
{
	size_t i = strlen(path);

	for (; i > 0 && i >= glob->tail_length; i--)
		if ((path[i] == '/' || path[i] == '\0') && ends_in_tail(glob, path + i, nocase))
			return i;
	return 0;
}

/* Does path contain the core? Ignores case, so that false is right for both kinds of match. */
static bool
has_core(const struct glob *glob, const char *path)
{
	if (glob->core_length == 0)
		return true;
	for (; *path != '\0'; path++) {
		size_t i = 0;

		while (i < glob->core_length &&
		       fold((unsigned char)path[i]) == glob->steps[glob->core + i])
			i++;
		if (i == glob->core_length)
			return true;
	}
	return false;
}

/* Adds position i and every position reached from it without consuming a character. */
static void
set_add(struct set *set, const struct chain *chain, size_t i, bool after_slash)
{
	for (;; i++) {
		set->words[i / 64] |= UINT64_C(1) << (i % 64);
		if (i == chain->count)
			return;
		if (chain->steps[i] != STEP_STAR && !(chain->steps[i] == STEP_DEEP && after_slash))
			return;
	}
}

static void
move(struct set *to, const struct chain *chain, size_t i, uint32_t c)
{
	uint32_t step = chain->steps[i];
	bool slash = c == '/';

	if (step == STEP_DEEP || (step == STEP_STAR && !slash))
		set_add(to, chain, i, slash);
	else if (step == c || (step == STEP_ONE && !slash))
		set_add(to, chain, i + 1, slash);
}

/* Advances every position over c and drops those that cannot. Returns whether any is left. */
static bool
set_move(struct set *set, const struct chain *chain, uint32_t c)
{
	size_t words = chain->count / 64 + 1;
	struct set to;
	uint64_t any = 0;

	memset(to.words, 0, words * sizeof to.words[0]);
	for (size_t w = 0; w < words; w++)
		for (uint64_t left = set->words[w]; left != 0; left &= left - 1) {
			size_t i = w * 64 + (size_t)__builtin_ctzll(left);

			if (i < chain->count)
				move(&to, chain, i, c);
		}
	for (size_t w = 0; w < words; w++)
		any |= set->words[w] = to.words[w];
	return any != 0;
}

static bool
set_done(const struct set *set, const struct chain *chain)
{
	return (set->words[chain->count / 64] >> (chain->count % 64) & 1) != 0;
}

static size_t
run_steps(const struct chain *chain, const char *path, size_t end, bool nocase, bool longest)
{
	struct set set;
	size_t found = 0;

	memset(set.words, 0, (chain->count / 64 + 1) * sizeof set.words[0]);
	set_add(&set, chain, 0, false);
	for (size_t i = 0; i < end;) {
		uint32_t c;

		i += character(path + i, &c);
		if (!set_move(&set, chain, nocase ? fold(c) : c))
			return found;
		if ((path[i] == '/' || path[i] == '\0') && set_done(&set, chain)) {
			found = i;
			if (!longest)
				return found;
		}
	}
	return found;
}

static size_t
match_part(const struct glob *glob, const char *path, bool nocase, bool longest)
{
	const struct chain chain = {steps_of(glob, nocase), glob->count};
	size_t end;

	/* only the pattern "/" matches the root, and it covers every path */
	if (glob->count == 1)
		return *path == '/' ? 1 : 0;
	if (*path != '/' || path[1] == '\0')
		return 0;
	end = reach(glob, path, nocase);
	return end == 0 || !has_core(glob, path) ? 0
						 : run_steps(&chain, path, end, nocase, longest);
}

size_t
glob_match_prefix(const struct glob *glob, const char *path, bool nocase)
{
	return match_part(glob, path, nocase, false);
}

size_t
glob_match_longest(const struct glob *glob, const char *path, bool nocase)
{
	return match_part(glob, path, nocase, true);
}

bool
glob_match(const struct glob *glob, const char *path)
{
	return glob_match_prefix(glob, path, false) != 0;
}

void
glob_quote(const char *text, struct str *to)
{
	for (; *text != '\0'; text++) {
		if (strchr("*?\\", *text) != NULL)
			str_add(to, "\\");
		str_add_n(to, text, 1);
	}
}

char *
glob_quoted(struct arena *arena, const char *text, struct cordon_error *err)
{
	auto_str struct str quoted = {0};

	glob_quote(text, &quoted);
	if (quoted.failed) {
		cordon_no_memory(err);
		return NULL;
	}
	return arena_strdup(arena, quoted.text == NULL ? "" : quoted.text, err);
}
