// SPDX-License-Identifier: MIT
/*
 * Expands tokens in paths, at the start of a component only and once: a directory called "$HOME" in
 * a value stays as it is.
 */
#include "host/host.h"

#include <string.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"

const char *
host_getenv(const struct host *host, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; host->environ != NULL && host->environ[i] != NULL; i++)
		if (strncmp(host->environ[i], name, length) == 0 && host->environ[i][length] == '=')
			return host->environ[i] + length + 1;
	return NULL;
}

static const char *
home_value(struct arena *arena, const struct host *host, const char *name, struct cordon_error *err)
{
	(void)arena, (void)name, (void)err;
	return host->home;
}

static const char *
project_value(struct arena *arena, const struct host *host, const char *name,
	      struct cordon_error *err)
{
	(void)arena, (void)name, (void)err;
	return host->has_no_project ? NULL : host->project;
}

static const char *
cwd_value(struct arena *arena, const struct host *host, const char *name, struct cordon_error *err)
{
	(void)arena, (void)name, (void)err;
	return host->cwd_token;
}

static const char *
git_value(struct arena *arena, const struct host *host, const char *name, struct cordon_error *err)
{
	(void)arena, (void)err;
	return strcmp(name, "GIT_DIR") == 0 ? host->git.git_dir : host->git.common_dir;
}

static const char *
env_value(struct arena *arena, const struct host *host, const char *name, struct cordon_error *err)
{
	const char *value = host_getenv(host, name);

	(void)arena, (void)err;
	return value != NULL && *value == '/' ? value : NULL;
}

static const char *
tmp_value(struct arena *arena, const struct host *host, const char *name, struct cordon_error *err)
{
	const char *value = env_value(arena, host, name, err);

	return value == NULL ? "/tmp" : value;
}

/* Defaults of the XDG base directory specification; XDG_RUNTIME_DIR has none. */
static const char *
xdg_value(struct arena *arena, const struct host *host, const char *name, struct cordon_error *err)
{
	static const struct {
		const char *name, *below_home;
	} defaults[] = {
		{"XDG_CACHE_HOME", ".cache"},
		{"XDG_CONFIG_HOME", ".config"},
		{"XDG_DATA_HOME", ".local/share"},
		{"XDG_STATE_HOME", ".local/state"},
	};
	const char *value = env_value(arena, host, name, err);

	for (size_t i = 0; value == NULL && i < COUNT(defaults); i++)
		if (strcmp(defaults[i].name, name) == 0 && host->home != NULL)
			return path_join(arena, host->home, defaults[i].below_home, err);
	return value;
}

static const struct path_token {
	const char *name; /* a final "_" matches every name with that prefix */
	const char *(*value)(struct arena *arena, const struct host *host, const char *name,
			     struct cordon_error *err);
} tokens[] = {
	{"HOME", home_value},	{"PROJECT", project_value},    {"CWD", cwd_value},
	{"TMPDIR", tmp_value},	{"XDG_", xdg_value},	       {"SSH_AUTH_SOCK", env_value},
	{"GIT_DIR", git_value}, {"GIT_COMMON_DIR", git_value},
};

static const struct path_token *
token_find(const char *name)
{
	for (size_t i = 0; i < COUNT(tokens); i++) {
		size_t length = strlen(tokens[i].name);
		bool family = tokens[i].name[length - 1] == '_';

		if (family ? str_starts(name, tokens[i].name) : strcmp(name, tokens[i].name) == 0)
			return &tokens[i];
	}
	return NULL;
}

/* If the component at text is a token: its name without the sign, and its value. */
static int
component_value(struct arena *arena, const struct host *host, const char *text, size_t length,
		const char **ret_name, const char **ret_value, struct cordon_error *err)
{
	struct cordon_error why = {0};
	const struct path_token *token;

	*ret_name = NULL;
	*ret_value = NULL;
	if (length == 1 && *text == '~') {
		*ret_name = "HOME";
	} else if (length > 1 && *text == '$') {
		*ret_name = arena_strndup(arena, text + 1, length - 1, err);
		if (*ret_name == NULL)
			return -CORDON_E_MEMORY;
	} else {
		return 0;
	}
	token = token_find(*ret_name);
	if (token == NULL)
		*ret_name = NULL;
	else
		*ret_value = token->value(arena, host, *ret_name, &why);
	/* out of memory must not look like an unset token */
	return why.code == 0 ? 0 : cordon_no_memory(err);
}

static int
unset_token(const struct srcpos *srcpos, const char *name, struct cordon_error *err)
{
	/* CWD is always set, but this one would grant more than a project */
	const char *why = strcmp(name, "CWD") == 0 ? "is a home, or holds one" : "is not set";

	return cordon_fail_at(err, CORDON_E_POLICY, srcpos->file, srcpos->line, srcpos->column,
			      "$%s %s, so this path cannot be resolved", name, why);
}

int
host_expand_token(struct arena *arena, const struct host *host, const struct token_text *text,
		  const char **ret_path, struct cordon_error *err)
{
	auto_str struct str path = {0};
	size_t length;

	if (strpbrk(text->text, "~$") == NULL) {
		*ret_path = text->text;
		return 0;
	}
	for (const char *at = text->text; *at != '\0'; at += length) {
		const char *name, *value;
		int rc;

		if (*at == '/') {
			str_add(&path, "/");
			length = 1;
			continue;
		}
		length = strcspn(at, "/");
		rc = component_value(arena, host, at, length, &name, &value, err);
		if (rc < 0)
			return rc;
		if (name != NULL && value == NULL) {
			*ret_path = NULL;
			/* a project without repository is no mistake */
			return text->optional || str_starts(name, "GIT_")
				       ? 0
				       : unset_token(&text->srcpos, name, err);
		}
		if (value == NULL)
			str_add_n(&path, at, length);
		else if (text->glob)
			glob_quote(value, &path);
		else
			str_add(&path, value);
	}
	if (path.failed)
		return cordon_no_memory(err);
	*ret_path = arena_strdup(arena, path.text == NULL ? "" : path.text, err);
	return *ret_path == NULL ? -CORDON_E_MEMORY : 0;
}

int
host_read_file(struct arena *arena, const char *path, size_t max, char **ret_text,
	       size_t *ret_length, struct cordon_error *err)
{
	return fd_read_file(arena, path, max, ret_text, ret_length, NULL, err);
}
