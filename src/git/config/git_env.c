// SPDX-License-Identifier: MIT
/*
 * Reads what the caller's environment tells git: settings, settings files, another repository,
 * templates, programs. git is assumed to run later, outside, with the same environment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "git/config/git_config.h"
#include "git/config/git_scan.h"
#include "host/host.h"

/* No real environment has more settings. */
#define SETTINGS_MAX 1000

/* Section and variable in lower case, as in a file. */
static const char *
small_name(struct git_scan *s, const char *key)
{
	char *name = arena_strdup(s->arena, key, s->err);
	char *variable = name == NULL ? NULL : strrchr(name, '.');

	for (char *at = name; at != NULL && *at != '\0'; at++)
		if (*at >= 'A' && *at <= 'Z' && (at > variable || at < name + strcspn(name, ".")))
			*at = (char)(*at - 'A' + 'a');
	return name;
}

/* Paths are relative to the working directory. */
static int
take_setting(struct git_scan *s, const char *key, const char *value)
{
	const struct gitconfig_item item = {small_name(s, key), value};
	const char *file = path_join(s->arena, s->host->cwd, ".", s->err);

	return item.name == NULL || file == NULL ? -CORDON_E_MEMORY
						 : git_scan_item(s, file, &item, 0);
}

/* GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0, and so on. */
static int
take_counted(struct git_scan *s, const char *count)
{
	long left = strtol(count, NULL, 10);
	int rc = 0;

	for (long i = 0; rc == 0 && i < left && i < SETTINGS_MAX; i++) {
		char key_name[40], value_name[40];
		const char *key, *value;

		snprintf(key_name, sizeof key_name, "GIT_CONFIG_KEY_%ld", i);
		snprintf(value_name, sizeof value_name, "GIT_CONFIG_VALUE_%ld", i);
		key = host_getenv(s->host, key_name);
		value = host_getenv(s->host, value_name);
		if (key != NULL && value != NULL)
			rc = take_setting(s, key, value);
	}
	return rc;
}

/* Reads text in single quotes as git writes it, with *at behind it. NULL: no memory. */
static char *
take_quoted(struct git_scan *s, const char **at)
{
	char *to = arena_strdup(s->arena, *at, s->err), *end = to;

	for (const char *from = *at + 1; to != NULL; from++) {
		bool escaped = from[0] == '\'' && from[1] == '\\' && from[2] != '\0' &&
			       from[3] == '\'';

		if (*from == '\0' || (*from == '\'' && !escaped)) {
			*at = from + (*from == '\'');
			*end = '\0';
			break;
		}
		*end++ = escaped ? from[2] : *from;
		from += escaped ? 3 : 0;
	}
	return to;
}

/* Parses git -c settings: 'KEY'='VALUE', or 'KEY=VALUE' from older versions. */
static int
take_parameters(struct git_scan *s, const char *text)
{
	int rc = 0;

	while (rc == 0 && *(text += strspn(text, " ")) == '\'') {
		char *key = take_quoted(s, &text), *value = key == NULL ? NULL : strchr(key, '=');

		if (key != NULL && *text == '=' && text[1] == '\'') {
			text++;
			value = take_quoted(s, &text);
		} else if (value != NULL) {
			*value++ = '\0';
		}
		text += *text == '=';
		if (key == NULL)
			return -CORDON_E_MEMORY;
		rc = value == NULL ? 0 : take_setting(s, key, value);
	}
	return rc;
}

static const char *
from_here(struct git_scan *s, const char *path)
{
	return *path == '/' ? path : path_join(s->arena, s->host->cwd, path, s->err);
}

static int
take_file(struct git_scan *s, const char *value)
{
	const char *path = from_here(s, value);

	return path == NULL ? -CORDON_E_MEMORY : git_scan_own(s, NULL, path);
}

/* Another repository; without GIT_WORK_TREE its tree is the working directory. */
static int
take_repository(struct git_scan *s, const char *value)
{
	const char *tree = host_getenv(s->host, "GIT_WORK_TREE"),
		   *common = host_getenv(s->host, "GIT_COMMON_DIR");
	struct git_repo_dirs repo = {from_here(s, tree == NULL ? s->host->cwd : tree),
				     from_here(s, value),
				     from_here(s, common == NULL ? value : common)};

	return repo.root == NULL || repo.git_dir == NULL || repo.common_dir == NULL
		       ? -CORDON_E_MEMORY
		       : git_scan_repository(s, &repo);
}

static int
take_template(struct git_scan *s, const char *value)
{
	return take_setting(s, "init.templateDir", value);
}

static int
take_program(struct git_scan *s, const char *value)
{
	return take_setting(s, "core.editor", value);
}

/* A directory with git's own programs. */
static int
take_programs(struct git_scan *s, const char *value)
{
	return git_scan_add_text(s, &s->words.programs, from_here(s, value));
}

static const struct {
	const char *name;
	int (*use)(struct git_scan *s, const char *value);
} variables[] = {
	{"GIT_CONFIG_COUNT", take_counted},
	{"GIT_CONFIG_PARAMETERS", take_parameters},
	{"GIT_CONFIG_GLOBAL", take_file},
	{"GIT_CONFIG_SYSTEM", take_file},
	{"GIT_DIR", take_repository},
	{"GIT_TEMPLATE_DIR", take_template},
	{"GIT_EXEC_PATH", take_programs},
	{"EDITOR", take_program},
	{"GIT_ASKPASS", take_program},
	{"GIT_EDITOR", take_program},
	{"GIT_EXTERNAL_DIFF", take_program},
	{"GIT_PAGER", take_program},
	{"GIT_PROXY_COMMAND", take_program},
	{"GIT_SEQUENCE_EDITOR", take_program},
	{"GIT_SSH", take_program},
	{"GIT_SSH_COMMAND", take_program},
	{"PAGER", take_program},
	{"SSH_ASKPASS", take_program},
	{"VISUAL", take_program},
};

/* Handles one NAME=VALUE. */
static int
take_variable(struct git_scan *s, const char *text)
{
	size_t length = strcspn(text, "=");

	if (strchr("EGPSV", *text) == NULL || text[length] == '\0' || text[length + 1] == '\0')
		return 0;
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
		if (strncmp(variables[i].name, text, length) == 0 &&
		    variables[i].name[length] == '\0')
			return variables[i].use(s, text + length + 1);
	return 0;
}

int
git_env_scan(struct git_scan *s)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && s->host->environ != NULL && s->host->environ[i] != NULL; i++)
		rc = take_variable(s, s->host->environ[i]);
	return rc;
}
