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
			return "has a token in the middle of a name; it may stand only at the start "
			       "or after \"/\"";
		if (p[length] != '\0' && p[length] != '/')
			return "has a token that goes on; a \"/\" must follow it";
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

static bool
ends_anchored(const char *pattern)
{
	size_t length = strlen(pattern);
	size_t slashes = 0;

	if (length == 0 || pattern[length - 1] != '$')
		return false;
	while (slashes + 1 < length && pattern[length - 2 - slashes] == '\\')
		slashes++;
	return slashes % 2 == 0;
}

/* clash searches for the pattern in the path; ours must match the whole path. */
static void
widen_pattern(const char *pattern, struct str *to)
{
	bool choice = strchr(pattern, '|') != NULL;
	const char *before = !choice && *pattern == '^' ? "" : "(?s:.*)";
	const char *after = !choice && ends_anchored(pattern) ? "" : "(?s:.*)";

	if (*before == '\0' && *after == '\0')
		str_add(to, pattern);
	else
		str_printf(to, "%s(?:%s)%s", before, pattern, after);
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
