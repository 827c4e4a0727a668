// SPDX-License-Identifier: MIT
/*
 * Translates globs to regular expressions. They rely on canonical paths: a leading slash, none at the end,
 * none doubled.
 */
#include "macos/sbpl/glob_regex.h"

#include <string.h>

#include "base/ascii.h"
#include "base/glob.h"
#include "plan/pattern_dirs.h"

/* One character of a name, in bytes: macOS names are valid UTF-8. */
#define ONE_CHARACTER                                                               \
	"([\x01-.0-\x7f]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf][\x80-\xbf]|" \
	"[\xf0-\xf4][\x80-\xbf][\x80-\xbf][\x80-\xbf])"

static void
add_literal(struct str *to, char c, bool nocase)
{
	if (nocase && ascii_is_letter(c))
		str_printf(to, "[%c%c]", c | 0x20, c & ~0x20);
	else if (strchr(".*+?()[]{}\\|^$", c) != NULL)
		str_printf(to, "\\%c", c);
	else
		str_add_n(to, &c, 1);
}

static void
add_text(struct str *to, const char *text)
{
	for (; *text != '\0'; text++)
		add_literal(to, *text, false);
}

/* A component of a glob, with stars, question marks and quoted characters. */
static void
add_name(struct str *to, const char *name, bool nocase)
{
	/* no component is empty, so a lone star matches one character at least */
	bool alone = strcmp(name, "*") == 0;

	for (; *name != '\0'; name++) {
		if (*name == '*')
			str_add(to, alone ? "[^/]+" : "[^/]*");
		else if (*name == '?')
			str_add(to, ONE_CHARACTER);
		else
			add_literal(to, *name == '\\' && name[1] != '\0' ? *++name : *name, nocase);
	}
}

/*
 * The components of a glob from the first on; at the start of the expression "**" needs no slash before it.
 * Returns where the last name begins.
 */
static size_t
add_names(struct str *to, const char *const *names, size_t count, bool nocase)
{
	size_t leaf = 0;

	for (size_t i = 0; i < count; i++) {
		bool deep = strcmp(names[i], "**") == 0;

		leaf = to->length + 1;
		/* at the end it stands for one component, and a match covers what is below */
		if (deep && i + 1 == count) {
			str_add(to, "/[^/]+");
		} else if (deep) {
			str_add(to, to->length == 1 ? ".*" : "(/.*)?");
		} else {
			str_add(to, "/");
			add_name(to, names[i], nocase);
		}
	}
	return leaf;
}

/* leaf: where the last name begins; 0: the expression is not joined with others. */
static const struct filter *
finish(struct filters *in, struct str *regex, size_t leaf, enum pattern_end end, const char *root)
{
	size_t leaf_end = regex->length;
	const char *text;

	str_add(regex, end == PATTERN_HERE ? "$" : "(/|$)");
	text = regex->failed ? NULL : arena_strdup(in->arena, regex->text, NULL);
	return path_filter_name_regex(in, text, root, leaf, leaf_end);
}

/* The directory of a glob's leading literal components. */
static const char *
glob_root(struct filters *in, const char *const *names, size_t count)
{
	auto_str struct str root = {0};
	char *copy;

	for (size_t i = 0; i + 1 < count && strpbrk(names[i], "*?\\") == NULL; i++)
		str_printf(&root, "/%s", names[i]);
	if (root.length == 0)
		return "/";
	copy = root.failed ? NULL : arena_strdup(in->arena, root.text, NULL);
	in->failed = in->failed || copy == NULL;
	return copy;
}

const struct filter *
glob_regex_glob(struct filters *in, const char *glob, enum pattern_end end, bool nocase)
{
	auto_str struct str regex = {0};
	const char *const *names;
	size_t count, leaf;

	if (pattern_dirs_split_glob(in->arena, glob, &names, &count, NULL) < 0) {
		in->failed = true;
		return NULL;
	}
	if (count == 0)
		return end == PATTERN_BELOW ? &filter_always : path_filter_literal(in, "/");
	str_add(&regex, "^");
	leaf = add_names(&regex, names, count, nocase);
	return finish(in, &regex, leaf, end, nocase ? "/" : glob_root(in, names, count));
}

/* ---- the part of a glob below a directory ---- */

/* Positions in a glob that a path can reach: reached[i] is before names[i]. */
struct progress {
	const char *const *names;
	size_t count;
	bool *reached, *next;
};

static void
reach(const struct progress *p, bool *set, size_t i)
{
	set[i] = true;
	if (i < p->count && strcmp(p->names[i], "**") == 0 && i + 1 < p->count)
		reach(p, set, i + 1);
}

static bool
name_matches(struct filters *in, const char *pattern, const char *name)
{
	char *glob = arena_printf(in->arena, NULL, "/%s", pattern);
	struct glob *compiled;

	if (glob == NULL || glob_compile(in->arena, glob, &compiled, NULL, NULL) < 0) {
		in->failed = true;
		return false;
	}
	return glob_match_longest(compiled, name, true) == strlen(name);
}

/* name includes its leading slash. */
static void
step(struct filters *in, struct progress *p, const char *name)
{
	bool *swap = p->reached;

	memset(p->next, 0, p->count + 1);
	for (size_t i = 0; i < p->count; i++) {
		bool deep = strcmp(p->names[i], "**") == 0;

		if (!p->reached[i])
			continue;
		if (deep)
			reach(p, p->next, i);
		if ((deep && i + 1 == p->count) || (!deep && name_matches(in, p->names[i], name)))
			reach(p, p->next, i + 1);
	}
	p->reached = p->next;
	p->next = swap;
}

static bool
walk(struct filters *in, struct progress *p, const char *folder)
{
	p->reached = arena_alloc(in->arena, p->count + 1, NULL);
	p->next = arena_alloc(in->arena, p->count + 1, NULL);
	if (p->reached == NULL || p->next == NULL)
		return false;
	reach(p, p->reached, 0);
	while (*folder != '\0') {
		size_t length = 1 + strcspn(folder + 1, "/");
		char *name = arena_strndup(in->arena, folder, length, NULL);

		if (name == NULL)
			return false;
		step(in, p, name);
		folder += length;
	}
	return true;
}

const struct filter *
glob_regex_glob_below(struct filters *in, const char *glob, const char *folder)
{
	const struct filter *found = &filter_never;
	struct progress p = {0};

	if (pattern_dirs_split_glob(in->arena, glob, &p.names, &p.count, NULL) < 0 ||
	    !walk(in, &p, folder)) {
		in->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < p.count; i++) {
		auto_str struct str regex = {0};
		size_t leaf;

		if (!p.reached[i])
			continue;
		str_add(&regex, "^");
		add_text(&regex, folder);
		leaf = add_names(&regex, p.names + i, p.count - i, true);
		found = path_filter_any(in, found, finish(in, &regex, leaf, PATTERN_BELOW, folder));
	}
	return found;
}

/* ---- simple patterns ---- */

const struct filter *
glob_regex_children(struct filters *in, const char *folder)
{
	auto_str struct str regex = {0};

	str_add(&regex, "^");
	add_text(&regex, strcmp(folder, "/") == 0 ? "" : folder);
	str_add(&regex, "/[^/]+");
	return finish(in, &regex, 0, PATTERN_HERE, folder);
}

#define RANDOM "[A-Za-z0-9]"

const struct filter *
glob_regex_samples(struct filters *in)
{
	auto_str struct str sample = {0}, received = {0};
	const struct filter *of_git;

	str_add(&sample, "\\.sample");
	str_add(&received, "/\\.([^/]*\\.)?sample\\." RANDOM RANDOM RANDOM RANDOM RANDOM RANDOM);
	of_git = finish(in, &sample, 0, PATTERN_HERE, "/");
	return path_filter_any(in, of_git, finish(in, &received, 0, PATTERN_HERE, "/"));
}
