// SPDX-License-Identifier: MIT
/*
 * Compares each simple command of a line with each rule. In doubt a rule matches: quotes are not read, so that a
 * separator inside them begins a simple command as well.
 */
#include "cli/hook_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/path.h"

#define SEPARATORS ";&|\n(){}`"

static const struct {
	const char *variable; /* of the folder; NULL: the path is absolute */
	const char *path;
} files[] = {{NULL, "/etc/claude-code/managed-settings.json"},
	     {"HOME", ".claude/settings.json"},
	     {"CLAUDE_CONFIG_DIR", "settings.json"},
	     {"CLAUDE_PROJECT_DIR", ".claude/settings.json"},
	     {"CLAUDE_PROJECT_DIR", ".claude/settings.local.json"}};

/* Does the pattern, in which * stands for any text, match all of text, or its beginning? */
static bool
matches(const char *pattern, size_t length, const char *text, size_t rest, bool is_prefix)
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;

	while (t < rest) {
		if (p == length && is_prefix)
			return true;
		if (p < length && pattern[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < length && pattern[p] == text[t]) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < length && pattern[p] == '*')
		p++;
	return p == length;
}

/* Skips blanks and settings of variables, as in A=b make. */
static const char *
skip_settings(const char *at, const char *end)
{
	for (;;) {
		const char *word;

		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		word = at;
		while (at < end && *at != ' ' && *at != '\t' && *at != '=')
			at++;
		if (at == end || *at != '=')
			return word;
		while (at < end && *at != ' ' && *at != '\t')
			at++;
	}
}

static bool
matches_any_part(const char *pattern, size_t length, bool is_prefix, const char *command)
{
	while (*command != '\0') {
		const char *end = command + strcspn(command, SEPARATORS);
		const char *at = skip_settings(command, end), *last = end;

		while (last > at && (last[-1] == ' ' || last[-1] == '\t'))
			last--;
		if (at < last && matches(pattern, length, at, (size_t)(last - at), is_prefix))
			return true;
		command = end + (*end != '\0');
	}
	return false;
}

/* "Bash", "Bash(TEXT)", "Bash(PREFIX:*)" or "Bash(TEXT with *)". */
static bool
rule_matches(const char *rule, const char *command)
{
	size_t length = strlen(rule);

	if (strcmp(rule, "Bash") == 0)
		return true;
	if (strncmp(rule, "Bash(", 5) != 0 || rule[length - 1] != ')')
		return false;
	rule += 5;
	length -= 6;
	if (length >= 2 && strncmp(rule + length - 2, ":*", 2) == 0)
		return matches_any_part(rule, length - 2, true, command);
	return matches_any_part(rule, length, false, command);
}

static const char *
find_in_list(const struct json *permissions, const char *key, const char *command)
{
	const struct json *list = json_member(permissions, key);
	const struct json *one = list == NULL || list->type != JSON_ARRAY ? NULL : list->first;

	for (; one != NULL; one = one->next)
		if (one->type == JSON_STRING && rule_matches(one->string, command))
			return one->string;
	return NULL;
}

static int
read_permissions(struct arena *arena, const char *path, const struct json **ret_permissions,
		 struct cordon_error *err)
{
	const struct json *root;
	char *text;
	size_t length;
	int rc = fd_read_file(arena, path, JSON_SIZE_MAX, &text, &length, NULL, err);

	*ret_permissions = NULL;
	if (rc < 0)
		return err->sys == ENOENT || err->sys == ENOTDIR ? 0 : rc;
	rc = json_read(arena, path, text, length, &root, err);
	if (rc == 0 && root->type == JSON_OBJECT)
		*ret_permissions = json_member(root, "permissions");
	if (*ret_permissions != NULL && (*ret_permissions)->type != JSON_OBJECT)
		*ret_permissions = NULL;
	return rc;
}

static int
find_in_file(struct arena *arena, const char *path, const char *command, enum hook_rule *kind,
	     const char **rule, struct cordon_error *err)
{
	static const struct {
		enum hook_rule kind;
		const char *key;
	} lists[] = {{HOOK_RULE_DENY, "deny"}, {HOOK_RULE_ASK, "ask"}};
	const struct json *permissions;
	int rc = read_permissions(arena, path, &permissions, err);

	for (size_t i = 0; rc == 0 && permissions != NULL && i < COUNT(lists); i++) {
		const char *found = find_in_list(permissions, lists[i].key, command);

		if (found == NULL || lists[i].kind <= *kind)
			continue;
		*kind = lists[i].kind;
		*rule = found;
	}
	return rc;
}

int
hook_rules_find(struct arena *arena, const char *command, enum hook_rule *ret_kind,
		const char **ret_rule, struct cordon_error *err)
{
	int rc = 0;

	*ret_kind = HOOK_RULE_NONE;
	*ret_rule = NULL;
	for (size_t i = 0; rc == 0 && i < COUNT(files); i++) {
		const char *folder = files[i].variable == NULL ? "/" : getenv(files[i].variable);
		struct cordon_error why = {0};
		const char *path;

		if (folder == NULL || *folder != '/')
			continue;
		path = path_join(arena, folder, files[i].path + (*files[i].path == '/'), err);
		if (path == NULL)
			return -CORDON_E_MEMORY;
		rc = find_in_file(arena, path, command, ret_kind, ret_rule, &why);
		if (rc < 0 && err != NULL)
			*err = why;
	}
	return rc;
}
