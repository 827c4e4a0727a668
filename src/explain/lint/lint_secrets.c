// SPDX-License-Identifier: MIT
/*
 * Finds secrets in shell start-up files that the policy makes readable. A file is read only if it
 * exists in the view and the plan allows reading it. Findings have the name of the variable, and
 * must never have its value.
 */
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/str.h"
#include "explain/lint/lint_checks.h"
#include "host/resolve.h"
#include "policy/read/dialect_defaults.h"

#define STARTUP_SIZE_MAX (1u << 20)
#define STARTUP_FINDINGS_MAX 20

/* In addition to baseline_dotfiles: files in its directories, and files that bash sources. */
static const char *const more_files[] = {
	"~/.bash_aliases",
	"~/.bash_logout",
	"$XDG_CONFIG_HOME/git/config",
	"$XDG_CONFIG_HOME/fish/config.fish",
	"$XDG_CONFIG_HOME/fish/fish_variables",
	"$XDG_CONFIG_HOME/nushell/config.nu",
	"$XDG_CONFIG_HOME/nushell/env.nu",
	"$XDG_CONFIG_HOME/elvish/rc.elv",
	"$XDG_CONFIG_HOME/zsh/.zshrc",
	"$XDG_CONFIG_HOME/zsh/.zshenv",
	"$XDG_CONFIG_HOME/zsh/.zprofile",
	"$XDG_CONFIG_HOME/powershell/profile.ps1",
	NULL,
};

struct startup {
	const char *path; /* canonical */
	const char *made_readable_by;
	bool spaced; /* not a shell script: "name = value" */
	int left;    /* how many findings may still be added */
};

/* ---- names ---- */

static bool
is_name_byte(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) || c == '_';
}

static bool
ends_with(const char *name, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && ascii_same_n(name + length - n, end, n);
}

/* Does a word end before rest? KEY is a word in API_KEY and KEYS, but not in KEYBOARD. */
static bool
is_word_end(const char *rest, size_t length)
{
	if (length > 0 && (*rest == 's' || *rest == 'S')) {
		rest++;
		length--;
	}
	return length == 0 || !ascii_is_letter(*rest);
}

bool
lint_secret_name(const char *name, size_t length)
{
	static const struct {
		const char *text;
		bool word; /* too common inside other words */
	} marks[] = {
		{"KEY", true},	     {"TOKEN", true},	{"SECRET", false},
		{"PASSWORD", false}, {"PASSWD", false}, {"CREDENTIAL", false},
	};
	/* the value is the path of a secret */
	static const char *const places[] = {"_FILE", "_DIR", "_PATH", NULL};

	for (size_t i = 0; places[i] != NULL; i++)
		if (ends_with(name, length, places[i]))
			return false;
	for (size_t i = 0; i < COUNT(marks); i++) {
		size_t n = strlen(marks[i].text);

		for (size_t at = 0; at + n <= length; at++)
			if (ascii_same_n(name + at, marks[i].text, n) &&
			    (!marks[i].word || is_word_end(name + at + n, length - at - n)))
				return true;
	}
	return false;
}

/* ---- lines ---- */

static size_t
blanks(const char *text)
{
	return strspn(text, " \t");
}

static bool
is_switch(const char *value)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on",
					    "off",  "0",     "1",   NULL};
	size_t length = strcspn(value, "\"' \t\r;&|)");

	for (size_t i = 0; words[i] != NULL; i++)
		if (strlen(words[i]) == length && str_starts(value, words[i]))
			return true;
	return false;
}

/* Is it a value, rather than a reference to one? */
static bool
is_literal(const struct linter *l, const char *value)
{
	char quote = *value == '"' || *value == '\'' ? *value : '\0';

	if (quote != '\0')
		value++;
	if (*value == '\0' || *value == quote || strchr(" \t\r;&|)#", *value) != NULL)
		return false;
	if (quote != '\'' && strchr("$`(", *value) != NULL)
		return false;
	/* a path in the home directory is no secret */
	return !is_switch(value) && !str_starts(value, "~/") &&
	       !(l->home != NULL && str_starts(value, l->home));
}

/* Does the character before the name allow an assignment? Not in "$NAME" and "--name". */
static bool
may_precede(const char *line, const char *name)
{
	return name == line || strchr(" \t;&|({\"'`:.", name[-1]) != NULL;
}

/* Returns the value in "NAME=VALUE" at name, or NULL. spaced: "NAME = VALUE" is an assignment too. */
static const char *
assigned_value(const char *line, const char *name, size_t length, bool spaced)
{
	const char *at = name + length;

	if (spaced)
		at += blanks(at);
	if (*at != '=' || at[1] == '=' || at[1] == '~' || !may_precede(line, name))
		return NULL;
	return spaced ? at + 1 + blanks(at + 1) : at + 1;
}

/* Returns the name in commands like "set -gx NAME VALUE", or NULL. It is followed by " " or ":". */
static const char *
set_name(const char *line)
{
	static const char *const words[] = {"set", "setenv", "SETUVAR", NULL};
	size_t length = strcspn(line, " \t");
	bool sets = false;

	for (size_t i = 0; words[i] != NULL; i++)
		sets = sets || (strlen(words[i]) == length && str_starts(line, words[i]));
	if (!sets)
		return NULL;
	do {
		line += strcspn(line, " \t");
		line += blanks(line);
	} while (*line == '-');
	return line;
}

static size_t
name_length(const char *text)
{
	size_t length = 0;

	while (is_name_byte(text[length]))
		length++;
	return length;
}

/* Returns the next name in the line, starting at `from`, that is set to a secret; or NULL. */
static const char *
next_secret(const struct linter *l, const struct startup *file, const char *line, const char *from,
	    size_t *ret_length)
{
	const char *start = line + blanks(line);
	const char *set = set_name(start);
	size_t length;

	if (*start == '#' || *start == ';')
		return NULL;
	for (const char *at = from; *at != '\0'; at += length == 0 ? 1 : length) {
		const char *value;

		length = name_length(at);
		if (length == 0 || !lint_secret_name(at, length))
			continue;
		value = assigned_value(line, at, length, file->spaced);
		if (value == NULL && at == set)
			value = at + length + strspn(at + length, " \t:");
		if (value == NULL || !is_literal(l, value))
			continue;
		*ret_length = length;
		return at;
	}
	return NULL;
}

/* ---- files ---- */

static int
scan_line(struct linter *l, struct startup *file, const char *line, uint32_t number)
{
	const char *at = line;
	size_t length;
	int rc = 0;

	while (rc == 0 && file->left > 0 &&
	       (at = next_secret(l, file, line, at, &length)) != NULL) {
		const struct srcpos srcpos = {file->path, number, (uint32_t)(at - line) + 1};

		rc = lint_add(l, LINT_WARNING, srcpos,
			      "%.*s looks like a secret, and %s makes this file readable",
			      (int)(length < 100 ? length : 100), at, file->made_readable_by);
		at += length;
		file->left--;
	}
	return rc;
}

static int
scan_text(struct linter *l, struct startup *file, char *text, size_t length)
{
	uint32_t number = 0;
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < length;) {
		size_t end = at;

		while (end < length && text[end] != '\n' && text[end] != '\0')
			end++;
		text[end] = '\0';
		rc = scan_line(l, file, text + at, ++number);
		at = end + 1;
	}
	return rc;
}

static int
scan_file(struct linter *l, struct startup *file)
{
	auto_arena struct arena arena = {0};
	struct cordon_error why = {0};
	size_t length;
	char *text;
	int rc = host_read_file(&arena, file->path, STARTUP_SIZE_MAX, &text, &length, &why);

	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(l->err);
	if (rc == 0)
		return scan_text(l, file, text, length);
	/* if it cannot be opened for another reason, the command cannot open it either */
	if (why.sys != 0)
		return 0;
	return lint_add(l, LINT_NOTE, (struct srcpos){file->path, 0, 0},
			"was not searched for secrets: it is not a regular file of at most 1 MiB");
}

static bool
is_spaced(const char *written)
{
	static const char *const ends[] = {".gitconfig", "/git/config", ".nu",
					   ".elv",	 ".ps1",	NULL};

	for (size_t i = 0; ends[i] != NULL; i++)
		if (ends_with(written, strlen(written), ends[i]))
			return true;
	return false;
}

static int
check_file(struct linter *l, const char *written)
{
	const struct token_text text = {written, {"", 0, 0}, true, false};
	const struct host *host = l->plan->host;
	struct startup file = {.spaced = is_spaced(written), .left = STARTUP_FINDINGS_MAX};
	struct resolved resolved;
	struct verdict verdict;
	const char *path;
	int rc = host_expand_token(&l->scratch, host, &text, &path, l->err);

	if (rc < 0 || path == NULL)
		return rc;
	rc = resolve_path(&l->scratch, host->view, path, &resolved, NULL);
	if (rc < 0)
		return rc == -CORDON_E_MEMORY ? cordon_no_memory(l->err) : 0;
	verdict = index_decide(&l->plan->index, resolved.path);
	if (resolved.kind != FS_FILE || !(verdict.rights & RIGHT_READ))
		return 0;
	/* findings outlive the linter */
	file.path = arena_strdup(&l->plan->arena, resolved.path, l->err);
	if (file.path == NULL)
		return -CORDON_E_MEMORY;
	file.made_readable_by = verdict.by[0].rule == NULL ? "the default"
							   : lint_source(l, verdict.by[0].rule);
	return scan_file(l, &file);
}

int
lint_startup(struct linter *l)
{
	const char *const *const lists[] = {baseline_dotfiles, more_files};
	int rc = 0;

	for (size_t list = 0; l->home != NULL && list < 2; list++)
		for (size_t i = 0; rc == 0 && lists[list][i] != NULL; i++)
			rc = check_file(l, lists[list][i]);
	return rc;
}
