// SPDX-License-Identifier: MIT
/*
 * Translates clash's paths: tokens are replaced anywhere, a path without leading slash is relative
 * to the working directory, and a regular expression may match a part of the path.
 */
#include "policy/read/clash.h"

#include <string.h>

#include "base/array.h"
#include "policy/model/value.h"
#include "policy/read/reader.h"

static const struct clash_token {
	const char *name, *ours;
} tokens[] = {{"$PWD", "$CWD"}, {"$HOME", "$HOME"}, {"$TMPDIR", "$TMPDIR"}};

#define UNKNOWN_TOKEN "has a token clash does not know; there are $PWD, $HOME, $TMPDIR"

/* Returns the token that text starts with, or NULL. */
static const struct clash_token *
token_at(const char *text)
{
	for (size_t i = 0; i < COUNT(tokens); i++)
		if (str_starts(text, tokens[i].name))
			return &tokens[i];
	return NULL;
}

/* clash replaces tokens anywhere; in our paths a token is a whole component. */
static const char *
check_tokens(const char *path)
{
	for (const char *p = strchr(path, '$'); p != NULL; p = strchr(p + 1, '$')) {
		const struct clash_token *token = token_at(p);
		size_t length = token == NULL ? 0 : strlen(token->name);

		if (token == NULL)
			continue;
		if (p != path && p[-1] != '/')
			return "has a token in the middle of a name; it may stand only at the "
			       "start "
			       "or after \"/\"";
		if (p[length] != '\0' && p[length] != '/')
			return "has a token that no \"/\" follows";
	}
	if (*path == '~')
		return "starts with ~, which clash does not expand; write $HOME";
	if (*path == '$' && token_at(path) == NULL)
		return UNKNOWN_TOKEN;
	for (const char *p = read_inner_token(path); p != NULL; p = read_inner_token(p))
		if (token_at(p) == NULL)
			return UNKNOWN_TOKEN;
	return NULL;
}

static void
translate(const char *path, struct str *to)
{
	if (*path != '/' && *path != '$') {
		str_add(to, "$CWD/");
		while (str_starts(path, "./"))
			path += 2;
		if (strcmp(path, ".") == 0)
			path++;
	}
	while (*path != '\0') {
		const struct clash_token *token = token_at(path);

		if (token != NULL)
			str_add(to, token->ours);
		else
			str_add_n(to, path, 1);
		path += token != NULL ? strlen(token->name) : 1;
	}
}

/* Returns the end of the escape, class or single character at text. */
static const char *
atom_end(const char *text)
{
	if (*text == '\\' && text[1] != '\0')
		return text + 2;
	if (*text != '[')
		return text + 1;
	text += text[1] == '^' ? 2 : 1;
	if (*text == ']')
		text++;
	while (*text != '\0' && *text != ']') {
		const char *named = *text == '[' && text[1] == ':' ? strstr(text, ":]") : NULL;

		text = named != NULL ? named + 2
				     : text + (*text == '\\' && text[1] != '\0' ? 2 : 1);
	}
	return *text == '\0' ? text : text + 1;
}

/* Returns the length of the branch at text, up to a "|" outside every group. */
static size_t
branch_length(const char *text, bool *ret_anchored, bool *ret_open)
{
	const char *at = text, *last = text, *before = text;
	int depth = 0;

	while (*at != '\0' && (depth > 0 || *at != '|')) {
		depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
		before = last;
		last = at;
		at = atom_end(at);
	}
	*ret_anchored = last < at && *last == '$';
	*ret_open = before < last && *before == '.' && *last == '*';
	return (size_t)(at - text);
}

/* clash searches for the pattern in the path; ours must match the whole path. */
static void
widen_branch(const char *text, size_t length, bool anchored, bool open, struct str *to)
{
	bool starts = *text == '^' && (length < 2 || strchr("*+?{", text[1]) == NULL);

	if (!starts && !str_starts(text, ".*"))
		str_add(to, ".*");
	str_add_n(to, text + starts, length - starts - anchored);
	if (!anchored && !open)
		str_add(to, ".*");
}

static void
widen_pattern(const char *pattern, struct str *to)
{
	bool anchored, open;
	size_t length = branch_length(pattern, &anchored, &open);
	bool several = pattern[length] == '|';

	str_add(to, several ? "(?:" : "");
	widen_branch(pattern, length, anchored, open, to);
	while (pattern[length] == '|') {
		pattern += length + 1;
		length = branch_length(pattern, &anchored, &open);
		str_add(to, "|");
		widen_branch(pattern, length, anchored, open, to);
	}
	str_add(to, several ? ")" : "");
}

static const char *
check_pattern(const char *pattern)
{
	if (*pattern == '\0')
		return "is empty";
	for (const char *p = pattern; *p != '\0'; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return "has a control character in it";
		if (token_at(p) != NULL)
			return "has a token; in a regular expression write the folder itself";
		if (p[0] == '\\' && p[1] == 'Q')
			return "quotes text with \\Q; escape its characters one by one";
		p += p[0] == '\\' && p[1] == '\\';
	}
	return NULL;
}

const char *
clash_path(const char *written, struct str *to)
{
	const char *reason = *written == '\0' ? "is empty" : check_tokens(written);

	if (reason != NULL)
		return reason;
	translate(written, to);
	return to->failed ? NULL : value_path(to->text, false);
}

const char *
clash_pattern(const char *written, struct str *to)
{
	const char *reason = check_pattern(written);

	if (reason == NULL)
		widen_pattern(written, to);
	return reason;
}
