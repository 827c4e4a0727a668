// SPDX-License-Identifier: MIT
/*
 * Reading the state of an unfinished rebase as git does, and rather refusing too much: a word counts
 * as the command that it could be in any spelling git accepts. No system calls.
 */
#include "plan/gitsteps.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

struct line {
	const char *text;
	size_t length;
};

/* Takes the next line off the text; false: there is none. */
static bool
take_line(struct gitconfig_text *rest, struct line *to)
{
	const char *end;

	if (rest->length == 0)
		return false;
	end = memchr(rest->text, '\n', rest->length);
	to->text = rest->text;
	to->length = end == NULL ? rest->length : (size_t)(end - rest->text);
	rest->text += to->length + (end != NULL);
	rest->length -= to->length + (end != NULL);
	return true;
}

static bool
is_space(char c)
{
	return (unsigned char)c <= ' ';
}

/* "exec COMMAND", or "x COMMAND". */
static bool
runs_program(const struct line *line)
{
	size_t start = 0, end;

	while (start < line->length && is_space(line->text[start]))
		start++;
	for (end = start; end < line->length && !is_space(line->text[end]);)
		end++;
	return (end - start == 1 && strncasecmp(line->text + start, "x", 1) == 0) ||
	       (end - start == 4 && strncasecmp(line->text + start, "exec", 4) == 0);
}

static bool
holds_line(const struct gitconfig_text *text, const struct line *wanted)
{
	struct gitconfig_text rest = text == NULL ? (struct gitconfig_text){"", 0} : *text;
	struct line line;

	while (take_line(&rest, &line))
		if (line.length == wanted->length &&
		    memcmp(line.text, wanted->text, line.length) == 0)
			return true;
	return false;
}

static const char *
refuse_list(struct arena *arena, const struct gitconfig_text *text,
	    const struct gitconfig_text *present)
{
	struct gitconfig_text rest = *text;
	struct line line;

	(void)arena;
	if (memchr(text->text, '\0', text->length) != NULL)
		return "holds a NUL byte";
	while (take_line(&rest, &line))
		if (runs_program(&line) && !holds_line(present, &line))
			return "exec lines start programs when the rebase goes on";
	return NULL;
}

/* A name that cannot be a path. */
static bool
is_strategy(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '-')
			return false;
	return true;
}

static const char by_path[] = "git runs a strategy as a program, and this is no plain name";

static const char *
refuse_strategy(struct arena *arena, const struct gitconfig_text *text,
		const struct gitconfig_text *present)
{
	size_t length = text->length;

	(void)arena, (void)present;
	if (length > 0 && text->text[length - 1] == '\n')
		length--;
	return is_strategy(text->text, length) ? NULL : by_path;
}

static const char *
refuse_options(struct arena *arena, const struct gitconfig_text *text,
	       const struct gitconfig_text *present)
{
	struct gitconfig config;

	(void)present;
	if (gitconfig_parse(arena, text->text, text->length, &config, NULL) != 1)
		return "cannot be read as git reads it";
	for (size_t i = 0; i < config.count; i++) {
		const char *value = config.items[i].value;

		if (strcasecmp(config.items[i].name, "options.strategy") == 0 &&
		    (value == NULL || !is_strategy(value, strlen(value))))
			return by_path;
	}
	return NULL;
}

static const struct {
	const char *name;
	const char *(*refuse)(struct arena *arena, const struct gitconfig_text *text,
			      const struct gitconfig_text *present);
} files[] = {
	{"git-rebase-todo", refuse_list},
	{"strategy", refuse_strategy},
	{"opts", refuse_options},
};
#define FILE_COUNT (sizeof files / sizeof files[0])

bool
gitsteps_is_name(const char *name)
{
	for (size_t i = 0; i < FILE_COUNT; i++)
		if (strcasecmp(files[i].name, name) == 0)
			return true;
	return false;
}

const char *
gitsteps_refuse(struct arena *arena, const char *name, const struct gitconfig_text *text,
		const struct gitconfig_text *present)
{
	for (size_t i = 0; i < FILE_COUNT; i++)
		if (strcasecmp(files[i].name, name) == 0)
			return files[i].refuse(arena, text, present);
	return "is no file of git's";
}
