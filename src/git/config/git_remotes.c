// SPDX-License-Identifier: MIT
/*
 * Keeps the address of a remote while a branch names it. Without address git treats the name as a
 * path, and whatever is at that path would get the user's next push. `git remote rename` leaves
 * such a name for a moment. The address is kept in a marked section until nothing names the remote.
 */
#include <string.h>

#include "base/str.h"
#include "git/config/git_config.h"

#define MARK "] ; kept by cordon while it is named"
#define ADDRESS "\turl = "

/* Length of the marked section at line, or 0 if it contains anything else. */
static size_t
kept_length(const char *line)
{
	size_t first = strcspn(line, "\n"), second, mark = strlen(MARK);

	if (first < mark || strncmp(line + first - mark, MARK, mark) != 0 || line[first] != '\n' ||
	    strncmp(line + first + 1, ADDRESS, strlen(ADDRESS)) != 0)
		return 0;
	second = strcspn(line + first + 1, "\n");
	if (line[first + 1 + second] == '\n')
		second++;
	line += first + 1 + second;
	return *line == '\0' || *line == '[' ? first + 1 + second : 0;
}

static void
add_without_kept(struct str *to, const char *text)
{
	while (*text != '\0') {
		size_t kept = *text == '[' ? kept_length(text) : 0;
		size_t length = kept > 0 ? kept : strcspn(text, "\n");

		if (kept == 0) {
			length += text[length] == '\n';
			str_add_n(to, text, length);
		}
		text += length;
	}
}

static void
add_quoted(struct str *to, const char *text)
{
	str_add(to, "\"");
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			str_add(to, "\\");
		str_add_n(to, text, 1);
	}
	str_add(to, "\"");
}

static const char *
address_of(const struct gitconfig *config, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < config->count; i++) {
		const char *key = config->items[i].name;

		if (str_starts(key, "remote.") && strncmp(key + 7, name, length) == 0 &&
		    strcmp(key + 7 + length, ".url") == 0 && config->items[i].value != NULL)
			return config->items[i].value;
	}
	return NULL;
}

/* Is it a key whose value is the name of a remote? */
static bool
names_remote(const char *key)
{
	const char *last = strrchr(key, '.');

	return strcmp(key, "remote.pushdefault") == 0 ||
	       (str_starts(key, "branch.") &&
		(strcmp(last, ".remote") == 0 || strcmp(last, ".pushremote") == 0));
}

static bool
is_named_before(const struct gitconfig *config, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (names_remote(config->items[i].name) && config->items[i].value != NULL &&
		    strcmp(config->items[i].value, config->items[index].value) == 0)
			return true;
	return false;
}

static void
add_kept(struct str *to, const struct gitconfig *config, const struct gitconfig *present)
{
	for (size_t i = 0; i < config->count; i++) {
		const char *name = config->items[i].value, *address;

		if (name == NULL || !names_remote(config->items[i].name) ||
		    address_of(config, name) != NULL || is_named_before(config, i))
			continue;
		address = address_of(present, name);
		if (address == NULL || strpbrk(address, "\n\t\b") != NULL ||
		    strchr(name, '\n') != NULL)
			continue;
		if (to->length > 0 && to->text[to->length - 1] != '\n')
			str_add(to, "\n");
		str_add(to, "[remote ");
		add_quoted(to, name);
		str_add(to, MARK "\n" ADDRESS);
		add_quoted(to, address);
		str_add(to, "\n");
	}
}

int
git_remotes_keep(struct arena *arena, struct gitconfig_text *text,
		 const struct gitconfig_text *present, struct cordon_error *err)
{
	auto_str struct str to = {0};
	struct gitconfig config, old;
	const char *whole = arena_strndup(arena, text->text, text->length, err);
	int rc;

	/* an unreadable text is refused unchanged */
	if (whole == NULL || strlen(whole) != text->length)
		return whole == NULL ? -CORDON_E_MEMORY : 0;
	rc = git_config_parse(arena, present->text, present->length, &old, err);
	if (rc <= 0)
		return rc;
	add_without_kept(&to, whole);
	rc = git_config_parse(arena, to.length == 0 ? "" : to.text, to.length, &config, err);
	if (rc <= 0)
		return rc;
	add_kept(&to, &config, &old);
	text->text = arena_strndup(arena, to.length == 0 ? "" : to.text, to.length, err);
	text->length = to.length;
	return to.failed || text->text == NULL ? cordon_no_memory(err) : 1;
}

bool
git_remotes_has(const struct gitconfig *config, const char *name, size_t length)
{
	static const char section[] = "remote.";
	size_t start = sizeof section - 1;

	for (size_t i = 0; i < config->count; i++) {
		const char *key = config->items[i].name;

		if (strncmp(key, section, start) == 0 && strncmp(key + start, name, length) == 0 &&
		    strcmp(key + start + length, ".url") == 0 && config->items[i].value != NULL)
			return true;
	}
	return false;
}
