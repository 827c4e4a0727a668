// SPDX-License-Identifier: MIT
/*
 * Reading git's settings for what they name. What git would not read is not read either: then it finds
 * nothing by it. Most settings have no such key, so a file is understood only where one of their words
 * stands in it. Includes are followed whatever their condition.
 */
#include "plan/hooksearch.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/gitconfig.h"
#include "plan/host.h"
#include "plan/resolve.h"

/* git follows ten includes in a row; more files in all than this are nobody's settings. */
#define DEPTH_MAX 10
#define FILES_MAX 64

/* ---- paths as git has them ---- */

static bool
is_own_name(const struct hooksearch *s, const char *name, size_t length)
{
	const char *own = host_getenv(s->host, "USER");

	return length == 0 ||
	       (own != NULL && strlen(own) == length && strncmp(own, name, length) == 0);
}

/* A value as a path: from home, from where git is installed, or as it is. NULL: no memory. */
static const char *
expand(struct hooksearch *s, const char *value)
{
	static const char optional[] = ":(optional)", prefix[] = "%(prefix)/";

	if (str_starts(value, optional))
		value += sizeof optional - 1;
	if (str_starts(value, prefix))
		return path_join(s->arena, "/usr", value + sizeof prefix - 1, s->err);
	if (*value == '~' && s->host->home != NULL) {
		size_t name = strcspn(value, "/");

		if (is_own_name(s, value + 1, name - 1))
			return path_join(s->arena, s->host->home,
					 value + name + (value[name] == '/'), s->err);
	}
	return value;
}

/* ---- settings ---- */

static const char *
beside(struct hooksearch *s, const char *file, const char *value)
{
	const char *path = expand(s, value), *folder;

	if (path == NULL || *path == '/')
		return path;
	folder = path_parent(s->arena, file, s->err);
	return folder == NULL ? NULL : path_join(s->arena, folder, path, s->err);
}

static int
take_hooks(struct hooksearch *s, const char *file, const char *value, int depth)
{
	(void)file, (void)depth;
	return hooksearch_keep(s, &s->values, expand(s, value));
}

static int
take_include(struct hooksearch *s, const char *file, const char *value, int depth)
{
	const char *path = beside(s, file, value);
	int rc = path == NULL ? -CORDON_E_MEMORY : hooksearch_add(s, HOOKDIR_SETTINGS, path);

	return rc < 0 ? rc : hooksearch_read(s, path, depth + 1);
}

/* Commands are for the shell: its first word is run, and any other may be what is run by that. */
static int
take_program(struct hooksearch *s, const char *file, const char *value, int depth)
{
	bool is_first = true;
	int rc = 0;

	(void)file, (void)depth;
	value += *value == '!';
	while (rc == 0 && *(value += strspn(value, " \t'\"")) != '\0') {
		size_t length = strcspn(value, " \t'\"");
		const char *word = arena_strndup(s->arena, value, length, s->err);

		if (word == NULL)
			return -CORDON_E_MEMORY;
		if (!is_first || strchr(word, '/') != NULL)
			rc = hooksearch_keep(s, is_first ? &s->programs : &s->files,
					     expand(s, word));
		is_first = false;
		value += length;
	}
	return rc;
}

/* A repository of this machine; what is none is told apart by the colon in it. */
static int
take_remote(struct hooksearch *s, const char *file, const char *value, int depth)
{
	(void)file, (void)depth;
	if (str_starts(value, "file://"))
		value += strlen("file://");
	return strchr(value, ':') != NULL || strchr(value, '/') == NULL
		       ? 0
		       : hooksearch_keep(s, &s->remotes, value);
}

/* Relative hooks start from there. */
static int
take_worktree(struct hooksearch *s, const char *file, const char *value, int depth)
{
	struct cordon_error why = {0};
	const char *path = beside(s, file, value);
	struct resolved found;
	int rc;

	(void)depth;
	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = resolve_path(s->arena, &fs_real, path, &found, &why);
	if (rc < 0)
		return rc == -CORDON_E_MEMORY ? cordon_no_memory(s->err) : 0;
	return hooksearch_keep(s, &s->roots, found.path);
}

static const struct key {
	const char *start, *end; /* of its name */
	int (*use)(struct hooksearch *s, const char *file, const char *value, int depth);
} keys[] = {
	{"core.hookspath", "", take_hooks},
	{"init.templatedir", "", take_hooks},
	{"include.path", "", take_include},
	{"includeif.", ".path", take_include},
	{"core.worktree", "", take_worktree},
	{"remote.", ".url", take_remote},
	{"remote.", ".pushurl", take_remote},
	{"remote.pushdefault", "", take_remote},
	{"branch.", ".remote", take_remote},
	{"branch.", ".pushremote", take_remote},
	{"submodule.", ".url", take_remote},
	{"core.fsmonitor", "", take_program},
	{"core.sshcommand", "", take_program},
	{"core.editor", "", take_program},
	{"core.pager", "", take_program},
	{"core.askpass", "", take_program},
	{"core.alternaterefscommand", "", take_program},
	{"sequence.editor", "", take_program},
	{"hook.", ".command", take_program},
	{"filter.", ".clean", take_program},
	{"filter.", ".smudge", take_program},
	{"filter.", ".process", take_program},
	{"diff.external", "", take_program},
	{"diff.", ".command", take_program},
	{"diff.", ".textconv", take_program},
	{"merge.", ".driver", take_program},
	{"interactive.difffilter", "", take_program},
	{"credential.", "helper", take_program},
	{"gpg.", "program", take_program},
	{"trailer.", ".cmd", take_program},
	{"trailer.", ".command", take_program},
};

static bool
is_about(const struct key *key, const char *name)
{
	size_t length = strlen(name), end = strlen(key->end);

	if (end == 0)
		return strcmp(name, key->start) == 0;
	return str_starts(name, key->start) && length > end &&
	       strcmp(name + length - end, key->end) == 0;
}

static int
take_item(struct hooksearch *s, const char *file, const struct gitconfig_item *item, int depth)
{
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (is_about(&keys[i], item->name) && item->value != NULL && *item->value != '\0')
			return keys[i].use(s, file, item->value, depth);
	return 0;
}

/* Does a word of one of the keys stand in it? That is cheaper to see than what it means. */
static bool
has_word(const char *text)
{
	static const char *const words[] = {"hookspath", "include", "templatedir", "worktree",
					    "fsmonitor", "command", "editor",	   "pager",
					    "askpass",	 "filter",  "external",	   "textconv",
					    "driver",	 "helper",  "program",	   "trailer",
					    "url",	 "remote"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ascii_has(text, words[i]))
			return true;
	return false;
}

/* 1: text is there to be understood. */
static int
read_text(struct hooksearch *s, const char *path, char **ret_text, size_t *ret_length)
{
	int rc;

	/* most are not there, and nobody asks for words about that */
	errno = 0;
	rc = file_read(s->arena, path, GITCONFIG_MAX, ret_text, ret_length, NULL, NULL);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(s->err);
	if (rc < 0 && errno != ENOENT && errno != ENOTDIR)
		s->is_unread = true;
	s->read += rc == 0;
	return rc < 0 ? 0 : 1;
}

int
hooksearch_read(struct hooksearch *s, const char *path, int depth)
{
	struct gitconfig config = {0};
	size_t length;
	char *text;
	int rc;

	if (path == NULL)
		return -CORDON_E_MEMORY;
	if (depth > DEPTH_MAX || s->looked++ >= FILES_MAX) {
		s->is_unread = true;
		return 0;
	}
	rc = read_text(s, path, &text, &length);
	if (rc <= 0 || !has_word(text))
		return rc < 0 ? rc : 0;
	rc = gitconfig_parse(s->arena, text, length, &config, s->err);
	for (size_t i = 0; rc > 0 && i < config.count; i++)
		if (take_item(s, path, &config.items[i], depth) < 0)
			return -CORDON_E_MEMORY;
	return rc < 0 ? rc : 0;
}
