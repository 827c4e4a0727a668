// SPDX-License-Identifier: MIT
/*
 * Translates policy expressions (PCRE2, whole path, dot matches everything) to Seatbelt's dialect. A
 * recursive descent parser writes them anew, so nothing unknown is passed on. Classes become sets of bytes,
 * because a backslash in a class has another meaning there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "macos/sbpl/glob_regex.h"
#include "plan/pattern_dirs.h"

#define REPEAT_MAX 64
#define TEXT_MAX 16384
#define DEPTH_MAX 32

struct regex_reader {
	const char *at;
	int depth;
	const char *reason; /* why it cannot be translated, or NULL */
};

struct regex_bytes {
	bool has[256];
};

static void read_branches(struct regex_reader *r, struct str *to);

static void
refuse(struct regex_reader *r, const char *reason)
{
	if (r->reason == NULL)
		r->reason = reason;
}

/* ---- sets of bytes ---- */

static void
conn_bytes_add(struct regex_bytes *to, int first, int last)
{
	for (int c = first; c <= last; c++)
		to->has[c] = true;
}

/* Adds \d, \w, \s or their complements. */
static bool
bytes_add_named(struct regex_bytes *to, char name)
{
	struct regex_bytes set = {{0}};

	if (ascii_lower(name) == 'd')
		conn_bytes_add(&set, '0', '9');
	else if (ascii_lower(name) == 's')
		conn_bytes_add(&set, '\t', '\r'), conn_bytes_add(&set, ' ', ' ');
	else if (ascii_lower(name) == 'w')
		conn_bytes_add(&set, '0', '9'), conn_bytes_add(&set, 'A', 'Z'),
			conn_bytes_add(&set, '_', '_'), conn_bytes_add(&set, 'a', 'z');
	else
		return false;
	for (int c = 1; c < 256; c++)
		if (set.has[c] != ascii_is_upper(name))
			to->has[c] = true;
	return true;
}

static bool
is_special(int c)
{
	return c != 0 && strchr("[]^-\\", c) != NULL;
}

/* Prints the ranges of bytes with this value, without brackets and without special characters. */
static bool
print_ranges(const struct regex_bytes *set, bool value, struct str *to)
{
	bool any = false;

	for (int c = 1; c < 256; c++) {
		int last = c;
		char pair[2];

		if (set->has[c] != value || is_special(c))
			continue;
		while (last + 1 < 256 && set->has[last + 1] == value && !is_special(last + 1))
			last++;
		pair[0] = (char)c, pair[1] = (char)last;
		str_add_n(to, pair, 1);
		if (last > c + 1)
			str_add(to, "-");
		if (last > c)
			str_add_n(to, pair + 1, 1);
		c = last;
		any = true;
	}
	return any;
}

static size_t
count_specials(const struct regex_bytes *set, bool value)
{
	size_t count = 0;

	for (int c = 1; c < 256; c++)
		count += is_special(c) && set->has[c] == value;
	return count;
}

/* Prints in brackets only characters without a special meaning there; the five others as alternatives. */
static void
print_bytes(const struct regex_bytes *set, struct str *to)
{
	bool most = set->has[0x01] && set->has[0xff] && count_specials(set, false) == 0;
	auto_str struct str ranges = {0};
	const char *between = "";
	bool any = print_ranges(set, !most, &ranges), alone;

	to->failed = to->failed || ranges.failed;
	if (most && !any) {
		str_add(to, ".");
		return;
	}
	if (most) {
		str_printf(to, "[^%s]", ranges.text);
		return;
	}
	alone = any && count_specials(set, true) == 0;
	str_printf(to, "%s%s%s%s", alone ? "" : "(", any ? "[" : "", any ? ranges.text : "",
		   any ? "]" : "");
	between = any ? "|" : "";
	for (int c = 1; c < 256; c++) {
		if (!is_special(c) || !set->has[c])
			continue;
		str_printf(to, "%s\\%c", between, c);
		between = "|";
	}
	str_add(to, alone ? "" : ")");
}

/* ---- single characters ---- */

/* Returns the byte of the escape at r->at (behind the backslash), or -1. */
static int
read_escape(struct regex_reader *r)
{
	static const char letters[] = "tnrf", values[] = "\t\n\r\f";
	const char *known;
	char c = *r->at;

	if (c == '\0') {
		refuse(r, "ends in a backslash");
		return -1;
	}
	r->at++;
	if (!ascii_is_letter(c) && !ascii_is_digit(c))
		return (unsigned char)c;
	known = strchr(letters, c);
	if (known != NULL)
		return values[known - letters];
	if (c == 'x' && ascii_hex(r->at[0]) >= 0 && ascii_hex(r->at[1]) >= 0) {
		int value = ascii_hex(r->at[0]) * 16 + ascii_hex(r->at[1]);

		r->at += 2;
		if (value != 0)
			return value;
	}
	refuse(r, "uses an escape that a Seatbelt profile cannot express");
	return -1;
}

static void
print_literal(struct str *to, int c)
{
	char byte = (char)c;

	if (strchr(".*+?()[]{}\\|^$", byte) != NULL)
		str_add(to, "\\");
	str_add_n(to, &byte, 1);
}

/* ---- classes ---- */

/* Reads one member of a class. Returns -1 for a set or an error. */
static int
read_member(struct regex_reader *r, struct regex_bytes *set)
{
	if (*r->at != '\\')
		return (unsigned char)*r->at++;
	r->at++;
	if (bytes_add_named(set, *r->at)) {
		r->at++;
		return -1;
	}
	return read_escape(r);
}

static void
read_range(struct regex_reader *r, struct regex_bytes *set)
{
	int first = read_member(r, set), last = first;

	if (first >= 0 && r->at[0] == '-' && r->at[1] != ']' && r->at[1] != '\0') {
		r->at++;
		last = read_member(r, set);
	}
	if (last < first)
		refuse(r, "has a range in a class that a Seatbelt profile cannot express");
	else if (first >= 0)
		conn_bytes_add(set, first, last);
}

/* r->at is behind the opening bracket. */
static void
read_class(struct regex_reader *r, struct str *to)
{
	struct regex_bytes set = {{0}};
	bool negated = *r->at == '^';
	const char *first;

	r->at += negated;
	first = r->at;
	while (r->reason == NULL && *r->at != '\0' && (*r->at != ']' || r->at == first)) {
		if (r->at[0] == '[' && strchr(":.=", r->at[1]) != NULL && r->at[1] != '\0')
			refuse(r, "uses a named class, which a Seatbelt profile cannot express");
		else
			read_range(r, &set);
	}
	if (*r->at != ']') {
		refuse(r, "has a class without an end");
		return;
	}
	r->at++;
	for (int c = 1; negated && c < 256; c++)
		set.has[c] = !set.has[c];
	if (memchr(set.has + 1, 1, 255) == NULL)
		refuse(r, "has a class that matches nothing");
	print_bytes(&set, to);
}

/* ---- groups, repeats, alternatives ---- */

static void
read_group(struct regex_reader *r, struct str *to)
{
	if (*r->at == '*' || (*r->at == '?' && r->at[1] != ':')) {
		refuse(r, "uses a kind of group that a Seatbelt profile cannot express");
		return;
	}
	if (*r->at == '?')
		r->at += 2;
	if (++r->depth > DEPTH_MAX) {
		refuse(r, "is nested too deeply for a Seatbelt profile");
		return;
	}
	str_add(to, "(");
	read_branches(r, to);
	str_add(to, ")");
	r->depth--;
	if (*r->at != ')')
		refuse(r, "has a group without an end");
	else
		r->at++;
}

static void
read_atom(struct regex_reader *r, struct str *to)
{
	char c = *r->at++;
	int byte;

	if (c == '[') {
		read_class(r, to);
	} else if (c == '(') {
		read_group(r, to);
	} else if (c == '.') {
		str_add(to, ".");
	} else if (c == '^' || c == '$') {
		refuse(r,
		       "has \"^\" or \"$\" in the middle, which a Seatbelt profile cannot express");
	} else if (c == '*' || c == '+' || c == '?') {
		refuse(r, "repeats nothing");
	} else if (c != '\\') {
		print_literal(to, (unsigned char)c);
	} else {
		struct regex_bytes set = {{0}};

		if (bytes_add_named(&set, *r->at)) {
			r->at++;
			print_bytes(&set, to);
			return;
		}
		byte = read_escape(r);
		if (byte > 0)
			print_literal(to, byte);
	}
}

/* Reads "{2}", "{2,}" or "{2,5}" at r->at; PCRE2 takes anything else literally. */
static bool
read_counts(struct regex_reader *r, unsigned long *least, unsigned long *most)
{
	const char *at = r->at + 1;
	char *end;

	if (*r->at != '{' || !ascii_is_digit(*at))
		return false;
	*least = *most = strtoul(at, &end, 10);
	if (*end == ',') {
		at = end + 1;
		*most = ascii_is_digit(*at) ? strtoul(at, &end, 10) : REPEAT_MAX + 1;
		if (*most > REPEAT_MAX)
			end = (char *)at + strspn(at, "0123456789");
	}
	if (*end != '}')
		return false;
	/* an upper bound that is too high must not become unbounded */
	if (*least > REPEAT_MAX || (*most > REPEAT_MAX && end[-1] != ',') || *most < *least)
		refuse(r, "repeats too often for a Seatbelt profile");
	r->at = end + 1;
	return true;
}

static void
repeat(const struct str *atom, unsigned long least, unsigned long most, struct str *to)
{
	const char *text = atom->text == NULL ? "" : atom->text;

	for (unsigned long i = 0; i < least && to->length < TEXT_MAX; i++)
		str_add(to, text);
	if (most > REPEAT_MAX) {
		str_printf(to, "%s*", text);
		return;
	}
	for (unsigned long i = least; i < most && to->length < TEXT_MAX; i++)
		str_printf(to, "(%s", text);
	for (unsigned long i = least; i < most && to->length < 2 * TEXT_MAX; i++)
		str_add(to, ")?");
}

static void
read_piece(struct regex_reader *r, struct str *to)
{
	auto_str struct str atom = {0};
	unsigned long least, most;

	read_atom(r, &atom);
	if (*r->at == '\0' || r->reason != NULL) {
		str_add(to, atom.text == NULL ? "" : atom.text);
	} else if (strchr("*+?", *r->at) != NULL) {
		str_printf(to, "%s%c", atom.text == NULL ? "" : atom.text, *r->at++);
	} else if (read_counts(r, &least, &most)) {
		repeat(&atom, least, most, to);
	} else {
		str_add(to, atom.text == NULL ? "" : atom.text);
		return;
	}
	/* lazy quantifiers match the same; possessive ones do not */
	if (*r->at == '?')
		r->at++;
	else if (*r->at == '+')
		refuse(r, "is possessive, which a Seatbelt profile cannot express");
	to->failed = to->failed || atom.failed;
}

/* Anchors at the ends are redundant: the whole path is matched. */
static void
skip_anchor(struct regex_reader *r, bool at_start)
{
	char anchor = at_start ? '^' : '$';

	if (r->depth == 0 && *r->at == anchor && (at_start || r->at[1] == '\0' || r->at[1] == '|'))
		r->at++;
}

static void
read_branches(struct regex_reader *r, struct str *to)
{
	for (;;) {
		skip_anchor(r, true);
		while (r->reason == NULL && *r->at != '\0' && *r->at != '|' && *r->at != ')') {
			skip_anchor(r, false);
			if (*r->at != '\0' && *r->at != '|')
				read_piece(r, to);
			if (to->length > TEXT_MAX)
				refuse(r, "is too long for a Seatbelt profile");
		}
		if (r->reason != NULL || *r->at != '|')
			return;
		str_add(to, "|");
		r->at++;
	}
}

const struct filter *
pcre_regex(struct filters *in, const char *regex, const char **ret_reason)
{
	struct regex_reader r = {.at = regex};
	auto_str struct str text = {0};
	const char *root = pattern_dirs_regex_root(in->arena, regex, NULL), *copy;

	str_add(&text, "^(");
	read_branches(&r, &text);
	str_add(&text, ")$");
	if (*r.at != '\0')
		refuse(&r, "cannot be read to its end");
	*ret_reason = r.reason;
	if (r.reason != NULL)
		return NULL;
	copy = text.failed || root == NULL ? NULL : arena_strdup(in->arena, text.text, NULL);
	return path_filter_regex(in, copy, root);
}
