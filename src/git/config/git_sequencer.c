// SPDX-License-Identifier: MIT
/*
 * Parses the state of an unfinished rebase as git does. Errs towards refusing: a word counts as a
 * command in any spelling that git accepts. No system calls.
 */
#include "git/config/git_sequencer.h"

#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/ascii.h"

struct sequencer_line {
	const char *text;
	size_t length;
};

/* Takes the next line off the text; false at the end. */
static bool
take_line(struct gitconfig_text *rest, struct sequencer_line *to)
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

/* Is the line "exec COMMAND" or "x COMMAND"? */
static bool
runs_program(const struct sequencer_line *line)
{
	size_t start = 0, end;

	while (start < line->length && is_space(line->text[start]))
		start++;
	for (end = start; end < line->length && !is_space(line->text[end]);)
		end++;
	return (end - start == 1 && ascii_same_n(line->text + start, "x", 1)) ||
	       (end - start == 4 && ascii_same_n(line->text + start, "exec", 4));
}

static bool
holds_line(const struct gitconfig_text *text, const struct sequencer_line *wanted)
{
	struct gitconfig_text rest = text == NULL ? (struct gitconfig_text){"", 0} : *text;
	struct sequencer_line line;

	while (take_line(&rest, &line))
		if (line.length == wanted->length &&
		    memcmp(line.text, wanted->text, line.length) == 0)
			return true;
	return false;
}

static enum cause
refuse_list(struct arena *arena, const struct gitconfig_text *text,
	    const struct gitconfig_text *present)
{
	struct gitconfig_text rest = *text;
	struct sequencer_line line;

	(void)arena;
	if (memchr(text->text, '\0', text->length) != NULL)
		return CAUSE_STEPS_NUL;
	while (take_line(&rest, &line))
		if (runs_program(&line) && !holds_line(present, &line))
			return CAUSE_STEPS_EXEC;
	return CAUSE_NONE;
}

/*
 * Strategies built into git. Others are programs, which get the strategy's options; even git's own
 * write an index to any path they are given.
 */
static bool
is_strategy(const char *text, size_t length)
{
	static const char *const own[] = {"", "ort", "recursive", "subtree"};

	for (size_t i = 0; i < COUNT(own); i++)
		if (strlen(own[i]) == length && memcmp(own[i], text, length) == 0)
			return true;
	return false;
}

static enum cause
refuse_strategy(struct arena *arena, const struct gitconfig_text *text,
		const struct gitconfig_text *present)
{
	size_t length = text->length;

	(void)arena, (void)present;
	if (length > 0 && text->text[length - 1] == '\n')
		length--;
	return is_strategy(text->text, length) ? CAUSE_NONE : CAUSE_STEPS_STRATEGY;
}

static enum cause
refuse_options(struct arena *arena, const struct gitconfig_text *text,
	       const struct gitconfig_text *present)
{
	struct gitconfig config;

	(void)present;
	if (git_config_parse(arena, text->text, text->length, &config, NULL) != 1)
		return CAUSE_STEPS_SYNTAX;
	for (size_t i = 0; i < config.count; i++) {
		const char *value = config.items[i].value;

		if (ascii_same(config.items[i].name, "options.strategy") &&
		    (value == NULL || !is_strategy(value, strlen(value))))
			return CAUSE_STEPS_STRATEGY;
	}
	return CAUSE_NONE;
}

/* An option of git am that names no file. */
static bool
is_apply_option(const char *word, size_t length)
{
	static const char *const whole[] = {"--ignore-space-change", "--ignore-whitespace",
					    "--reject", "--3way"};
	static const char whitespace[] = "--whitespace=";
	size_t start = sizeof whitespace - 1;

	for (size_t i = 0; i < COUNT(whole); i++)
		if (strlen(whole[i]) == length && memcmp(whole[i], word, length) == 0)
			return true;
	if (length > 2 && word[0] == '-' && (word[1] == 'C' || word[1] == 'p'))
		return strspn(word + 2, "0123456789") >= length - 2;
	return length > start && memcmp(word, whitespace, start) == 0 &&
	       strspn(word + start, "abcdefghijklmnopqrstuvwxyz-") >= length - start;
}

/* Shell words, each fully quoted or not at all. */
static enum cause
refuse_apply(struct arena *arena, const struct gitconfig_text *text,
	     const struct gitconfig_text *present)
{
	const char *rest = arena_strndup(arena, text->text, text->length, NULL);

	(void)present;
	if (rest == NULL || strlen(rest) != text->length)
		return CAUSE_STEPS_SYNTAX;
	while (*(rest += strspn(rest, " \t\n")) != '\0') {
		size_t length = strcspn(rest, " \t\n");
		bool quoted = length > 1 && rest[0] == '\'' && rest[length - 1] == '\'';

		if (!is_apply_option(rest + quoted, length - 2 * (size_t)quoted))
			return CAUSE_STEPS_OPTION;
		rest += length;
	}
	return CAUSE_NONE;
}

static const struct {
	const char *name;
	enum cause (*refuse)(struct arena *arena, const struct gitconfig_text *text,
			     const struct gitconfig_text *present);
} files[] = {
	{"git-rebase-todo", refuse_list},
	{"strategy", refuse_strategy},
	{"opts", refuse_options},
	{"apply-opt", refuse_apply},
};

bool
git_sequencer_is_name(const char *name)
{
	for (size_t i = 0; i < COUNT(files); i++)
		if (ascii_same(files[i].name, name))
			return true;
	return false;
}

enum cause
git_sequencer_refuse(struct arena *arena, const char *name, const struct gitconfig_text *text,
		     const struct gitconfig_text *present)
{
	for (size_t i = 0; i < COUNT(files); i++)
		if (ascii_same(files[i].name, name))
			return files[i].refuse(arena, text, present);
	return CAUSE_GIT_NOT_ITS;
}
