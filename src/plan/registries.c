// SPDX-License-Identifier: MIT
/* Reads .npmrc and pip.conf line by line: KEY = VALUE; every other line is left out. */
#include "plan/registries.h"

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "host/host.h"
#include "host/resolve.h"
#include "plan/environ.h"
#include "sources/layers.h"

#define LONGEST (1u << 20)

static const char *const npm_keys[] = {"registry", "proxy",  "https-proxy",
				       "noproxy",  "cafile", NULL};
static const char *const pip_keys[] = {"index-url", "extra-index-url", "proxy",
				       "cert",	    "trusted-host",    NULL};

static const struct source {
	const char *profile, *file;
	const char *prefix; /* of the variables */
	const char *const *keys;
	bool is_npm;
} sources[] = {
	{"node", "~/.npmrc", "npm_config_", npm_keys, true},
	{"python", "$XDG_CONFIG_HOME/pip/pip.conf", "PIP_", pip_keys, false},
	{"python", "~/.pip/pip.conf", "PIP_", pip_keys, false},
};

struct registry_reading {
	struct plan *plan;
	const struct source *source;
	bool has_tokens; /* a line, or a part of one, was left out */
	struct cordon_error *err;
};

/* "@scope:registry" is a registry, too. With domains the session has a proxy of its own. */
static bool
is_wanted(const struct plan *plan, const struct source *source, const char *key)
{
	const char *last = source->is_npm && *key == '@' ? strchr(key, ':') : NULL;

	if (last != NULL)
		return strcmp(last, ":registry") == 0;
	if (plan->settings.network.mode == NET_DOMAINS && strstr(key, "proxy") != NULL)
		return false;
	for (size_t i = 0; source->keys[i] != NULL; i++)
		if (strcmp(source->keys[i], key) == 0)
			return true;
	return false;
}

static bool
is_token(const char *key)
{
	return strstr(key, "_auth") != NULL || strstr(key, "_password") != NULL;
}

/* https://user:secret@host/ without what stands before the @. Words of a list each by itself. */
static void
add_value(struct registry_reading *r, const char *value, struct str *to)
{
	while (*value != '\0') {
		size_t length = strcspn(value, " ");
		const char *scheme = strstr(value, "://"), *at;

		at = scheme == NULL || scheme >= value + length
			     ? NULL
			     : memchr(scheme + 3, '@',
				      strcspn(scheme + 3, "/? ") <
						      (size_t)(value + length - scheme - 3)
					      ? strcspn(scheme + 3, "/? ")
					      : (size_t)(value + length - scheme - 3));
		if (at != NULL) {
			r->has_tokens = true;
			str_add_n(to, value, (size_t)(scheme + 3 - value));
			str_add_n(to, at + 1, (size_t)(value + length - at - 1));
		} else {
			str_add_n(to, value, length);
		}
		value += length;
		if (*value == ' ')
			str_add_n(to, value++, 1);
	}
}

static void
add_name(const struct source *source, const char *key, struct str *to)
{
	str_add(to, source->prefix);
	if (source->is_npm && *key == '@') {
		str_add(to, key);
		return;
	}
	for (; *key != '\0'; key++) {
		char c = *key == '-' ? '_' : source->is_npm ? *key : ascii_upper(*key);

		str_add_n(to, &c, 1);
	}
}

static int
set(struct registry_reading *r, const char *name, const char *value)
{
	struct environment *env = &r->plan->settings.env;
	struct env_set *items =
		arena_alloc(&r->plan->arena, (env->set_count + 1) * sizeof *items, r->err);

	if (items == NULL)
		return -CORDON_E_MEMORY;
	if (env->set_count > 0)
		memcpy(items, env->set, env->set_count * sizeof *items);
	items[env->set_count] = (struct env_set){
		.name = arena_strdup(&r->plan->arena, name, r->err),
		.value = arena_strdup(&r->plan->arena, value, r->err),
		.srcpos = {r->source->file, 0, 0},
	};
	if (items[env->set_count].name == NULL || items[env->set_count].value == NULL)
		return -CORDON_E_MEMORY;
	env->set = items;
	env->set_count++;
	return 0;
}

/* What the policy sets, or the caller has and the policy passes, stays. */
static bool
is_decided(const struct plan *plan, const char *name)
{
	struct env_answer answer = environ_decide(&plan->settings, name);

	return answer.value != NULL || (answer.passes && host_getenv(plan->host, name) != NULL);
}

/* Can the program read the file? */
static bool
is_granted(const struct plan *plan, const char *path)
{
	return (index_rights(&plan->index, path) & RIGHT_READ) != 0;
}

/* Certificates that cannot be read would make every connection fail. */
static bool
is_unreadable(const struct registry_reading *r, const char *key, const char *path)
{
	auto_arena struct arena arena = {0};
	struct resolved at;

	if (strcmp(key, "cafile") != 0 && strcmp(key, "cert") != 0)
		return false;
	return *path != '/' || resolve_path(&arena, r->plan->host->view, path, &at, NULL) < 0 ||
	       !is_granted(r->plan, at.path);
}

static int
take_setting(struct registry_reading *r, const char *key, const char *value)
{
	auto_str struct str name = {0}, text = {0};

	if (is_token(key))
		r->has_tokens = true;
	/* npm itself would replace ${NAME}, by variables that do not pass */
	if (!is_wanted(r->plan, r->source, key) || strstr(value, "${") != NULL || *value == '\0')
		return 0;
	add_name(r->source, key, &name);
	add_value(r, value, &text);
	if (name.failed || text.failed)
		return cordon_no_memory(r->err);
	if (is_unreadable(r, key, value))
		return plan_notice(r->plan, r->err,
				   "%s in %s is not passed: %s cannot be read inside; allow it "
				   "with --read PATH",
				   key, r->source->file, value);
	return is_decided(r->plan, name.text) ? 0 : set(r, name.text, text.text);
}

/* Removes white space at both ends, and quotes around the rest. */
static char *
trimmed(char *text)
{
	size_t length;

	text += strspn(text, " \t\"");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r\"", text[length - 1]) != NULL)
		length--;
	text[length] = '\0';
	return text;
}

static int
read_line(struct registry_reading *r, char *line)
{
	char *equals = strchr(line, '=');

	if (equals == NULL || *trimmed(line) == '#' || *trimmed(line) == ';')
		return 0;
	*equals = '\0';
	return take_setting(r, trimmed(line), trimmed(equals + 1));
}

static int
read_source(struct registry_reading *r)
{
	const struct token_text token = {r->source->file, {0}, true, false};
	auto_arena struct arena arena = {0};
	const char *written;
	struct resolved at;
	size_t length;
	char *text, *next;
	int rc = 0;

	/* if the program can read the file itself, it does */
	if (host_expand_token(&arena, r->plan->host, &token, &written, NULL) < 0 ||
	    written == NULL || resolve_path(&arena, r->plan->host->view, written, &at, NULL) < 0 ||
	    !at.exists || is_granted(r->plan, at.path) ||
	    host_read_file(&arena, at.path, LONGEST, &text, &length, NULL) < 0)
		return 0;
	for (char *line = text; rc == 0 && line != NULL; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		rc = read_line(r, line);
	}
	if (rc < 0 || !r->has_tokens)
		return rc;
	return plan_notice(r->plan, r->err,
			   "tokens and passwords in %s are not passed; --read %s passes them",
			   written, written);
}

int
registries_pass(struct plan *plan, struct cordon_error *err)
{
	int rc = 0;

	/* a plan for another host or without network takes nothing from files here */
	if (plan->settings.network.mode == NET_NONE || plan->host->view->list == NULL)
		return 0;
	for (size_t i = 0; rc == 0 && i < sizeof sources / sizeof sources[0]; i++) {
		struct registry_reading r = {plan, &sources[i], false, err};

		if (layers_have_profile(plan->stack, sources[i].profile))
			rc = read_source(&r);
	}
	return rc;
}
