// SPDX-License-Identifier: MIT
/*
 * Parser for git's config: the same states and the same errors as git (config.c, git_parse_source).
 * It refuses two things that git accepts: a NUL byte, where later steps of git stop, and a key
 * without section.
 */
#include "git/config/git_config.h"

#include <string.h>

#include "base/str.h"

#define END (-1)

struct config_reader {
	struct arena *arena;
	const char *at, *end;
	bool is_over; /* the end of the text was returned as end of line */
	int line;
	struct str name, value;
	size_t stem; /* of name: length of the section with its dot */
	struct gitconfig *to;
	struct cordon_error *err;
};

/* git's own character classes, independent of the locale. */
static bool
is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_key(int c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static int
small(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static void
add(struct str *to, int c)
{
	char byte = (char)c;

	str_add_n(to, &byte, 1);
}

static void
shorten(struct str *s, size_t length)
{
	if (s->text != NULL && s->length > length) {
		s->length = length;
		s->text[length] = '\0';
	}
}

/* Returns CR LF as one character, and the end of the text as the end of its last line. */
static int
next(struct config_reader *r)
{
	int c = r->at < r->end ? (unsigned char)*r->at++ : END;

	if (c == '\r' && r->at < r->end && *r->at == '\n') {
		r->at++;
		c = '\n';
	}
	if (c == END) {
		r->is_over = true;
		c = '\n';
	}
	if (c == '\n')
		r->line++;
	return c;
}

static bool
bad(struct config_reader *r, enum cause why)
{
	if (r->to->bad == CAUSE_NONE) {
		r->to->bad = why;
		r->to->line = r->line;
	}
	return false;
}

/* Reads [NAME "SUBSECTION"] from behind NAME. */
static bool
read_subsection(struct config_reader *r, int c)
{
	do {
		if (c == '\n')
			return bad(r, CAUSE_LINE_SECTION_END);
		c = next(r);
	} while (is_space(c));
	if (c != '"')
		return bad(r, CAUSE_LINE_SECTION);
	add(&r->name, '.');
	for (;;) {
		c = next(r);
		if (c == '"')
			break;
		if (c == '\\')
			c = next(r);
		if (c == '\n')
			return bad(r, CAUSE_LINE_SECTION_END);
		add(&r->name, c);
	}
	return next(r) == ']' || bad(r, CAUSE_LINE_SECTION_END);
}

static bool
read_section(struct config_reader *r)
{
	shorten(&r->name, 0);
	for (;;) {
		int c = next(r);

		if (r->is_over)
			return bad(r, CAUSE_LINE_SECTION_END);
		if (c == ']')
			return r->name.length > 0 || bad(r, CAUSE_LINE_SECTION_NAME);
		if (is_space(c))
			return read_subsection(r, c);
		if (!is_key(c) && c != '.')
			return bad(r, CAUSE_LINE_SECTION);
		add(&r->name, small(c));
	}
}

/* Returns the character of an escape: '\n' continues the line, END is invalid. */
static int
escaped(int c)
{
	static const char from[] = "tbn\\\"\n", to[] = "\t\b\n\\\"\n";
	const char *found = c == 0 ? NULL : strchr(from, c);

	return found == NULL ? END : (unsigned char)to[found - from];
}

/* Reads the value after "=", to the end of the line or of its continuations. */
static bool
read_value(struct config_reader *r)
{
	bool quoted = false, comment = false;
	size_t spaces = 0;

	shorten(&r->value, 0);
	for (;;) {
		int c = next(r);

		if (c == '\n')
			return !quoted || bad(r, CAUSE_LINE_QUOTE);
		if (comment)
			continue;
		if (is_space(c) && !quoted) {
			spaces += r->value.length > 0;
			continue;
		}
		if (!quoted && (c == ';' || c == '#')) {
			comment = true;
			continue;
		}
		for (; spaces > 0; spaces--)
			add(&r->value, ' ');
		if (c == '\\') {
			int meant = next(r), put = escaped(meant);

			if (put == END)
				return bad(r, CAUSE_LINE_BACKSLASH);
			if (meant != '\n')
				add(&r->value, put);
		} else if (c == '"') {
			quoted = !quoted;
		} else {
			add(&r->value, c);
		}
	}
}

static bool
store(struct config_reader *r, bool has_value)
{
	struct gitconfig_item *item =
		arena_push(r->arena, &r->to->items, &r->to->count, sizeof *item, r->err);

	if (item == NULL || r->name.failed || r->value.failed)
		return false;
	item->name = arena_strdup(r->arena, r->name.text, r->err);
	if (has_value)
		item->value = arena_strndup(r->arena, r->value.length > 0 ? r->value.text : "",
					    r->value.length, r->err);
	return item->name != NULL && (item->value != NULL || !has_value);
}

/* Reads a variable whose first letter is given. */
static bool
read_variable(struct config_reader *r, int first)
{
	int c;

	if (r->stem == 0)
		return bad(r, CAUSE_LINE_NO_SECTION);
	shorten(&r->name, r->stem);
	add(&r->name, small(first));
	for (;;) {
		c = next(r);
		if (r->is_over || !is_key(c))
			break;
		add(&r->name, small(c));
	}
	while (c == ' ' || c == '\t')
		c = next(r);
	if (c == '\n')
		return store(r, false);
	if (c != '=')
		return bad(r, CAUSE_LINE_NO_VALUE);
	return read_value(r) && store(r, true);
}

static bool
read_all(struct config_reader *r)
{
	bool comment = false;

	for (;;) {
		int c = next(r);

		if (c == '\n') {
			if (r->is_over)
				return true;
			comment = false;
		} else if (comment || is_space(c)) {
			continue;
		} else if (c == '#' || c == ';') {
			comment = true;
		} else if (c == '[') {
			if (!read_section(r))
				return false;
			add(&r->name, '.');
			r->stem = r->name.length;
		} else if (!is_letter(c)) {
			return bad(r, CAUSE_LINE_CHARACTER);
		} else if (!read_variable(r, c)) {
			return false;
		}
	}
}

int
git_config_parse(struct arena *arena, const char *text, size_t length, struct gitconfig *ret,
		 struct cordon_error *err)
{
	struct config_reader r = {.arena = arena,
				  .at = text,
				  .end = text + length,
				  .to = ret,
				  .err = err};
	bool ok = true;

	*ret = (struct gitconfig){0};
	if (length > GITCONFIG_MAX)
		ok = bad(&r, CAUSE_LINE_TOO_LONG);
	else if (length > 0 && memchr(text, '\0', length) != NULL)
		ok = bad(&r, CAUSE_LINE_NUL);
	else if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.at += 3;
	ok = ok && read_all(&r);
	if (ret->bad == CAUSE_NONE && !ok)
		cordon_no_memory(err);
	str_free(&r.name);
	str_free(&r.value);
	return ok ? 1 : ret->bad != CAUSE_NONE ? 0 : -CORDON_E_MEMORY;
}

const char *
git_config_pointer(struct arena *arena, const char *word, const struct gitconfig_text *text,
		   struct cordon_error *err)
{
	size_t skip = strlen(word), length = text->length;

	if (length > skip && text->text[length - 1] == '\n')
		length--;
	if (length <= skip || memcmp(text->text, word, skip) != 0)
		return NULL;
	/* a single line, since it is unclear what git makes of several */
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text->text[i] < 0x20 || text->text[i] == 0x7f)
			return NULL;
	return arena_strndup(arena, text->text + skip, length - skip, err);
}
