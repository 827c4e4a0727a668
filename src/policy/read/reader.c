// SPDX-License-Identifier: MIT
/*
 * Dispatches policy text to the reader of its dialect, and shared helpers. Every message has a
 * source position; a text is read completely or not at all.
 */
#include "policy/read/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "policy/model/value.h"

struct srcpos
read_srcpos(const struct policy_reading *r, const struct json *value)
{
	return (struct srcpos){r->policy->file, value->line, value->column};
}

int
read_fail(const struct policy_reading *r, const struct json *value, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return cordon_fail_at(r->err, CORDON_E_POLICY, r->policy->file, value->line, value->column,
			      "%s", text);
}

static int
wrong_type(const struct policy_reading *r, const struct json *value, const char *expected)
{
	if (value->key != NULL)
		return read_fail(r, value, "\"%.40s\" must be %s, not %s", value->key, expected,
				 json_type_name(value));
	return read_fail(r, value, "%s is expected here, not %s", expected, json_type_name(value));
}

static const char *
nearest_key(const char *key, const struct read_key *keys, size_t count)
{
	const char *names[32] = {0};

	for (size_t i = 0; i < count && i < 32; i++)
		names[i] = keys[i].name;
	return str_nearest_word(key, names, count < 32 ? count : 32);
}

static int
note_key(struct policy_reading *r, const struct json *member, const char *what,
	 const struct read_key *keys, size_t count)
{
	const char *nearest = nearest_key(member->key, keys, count);
	int rc = read_hole(r, member, "unknown key \"%.40s\" in %s has no effect%s%s%s",
			   member->key, what, nearest == NULL ? "" : "; did you mean \"",
			   nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?");

	if (rc == 0)
		r->policy->holes[r->policy->hole_count - 1].at_start = true;
	return rc;
}

static int
unknown_key(const struct policy_reading *r, const struct json *member, const char *what,
	    const struct read_key *keys, size_t count)
{
	const char *nearest = nearest_key(member->key, keys, count);

	return cordon_fail_at(r->err, CORDON_E_POLICY, r->policy->file, member->key_line,
			      member->key_column, "unknown key \"%.40s\" in %s%s%s%s", member->key,
			      what, nearest == NULL ? "" : "; did you mean \"",
			      nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?");
}

int
read_keys(struct policy_reading *r, const struct json *object, const char *what,
	  const struct read_key *keys, size_t count)
{
	return read_keys_noting(r, object, what, keys, count, NULL);
}

int
read_keys_noting(struct policy_reading *r, const struct json *object, const char *what,
		 const struct read_key *keys, size_t count,
		 bool (*is_harmless)(const struct json *member))
{
	if (object->type != JSON_OBJECT)
		return read_fail(r, object, "%s must be an object, not %s", what,
				 json_type_name(object));
	for (const struct json *m = object->first; m != NULL; m = m->next) {
		size_t i = 0;
		int rc;

		while (i < count && strcmp(keys[i].name, m->key) != 0)
			i++;
		if (i < count)
			rc = keys[i].read == NULL ? 0 : keys[i].read(r, m);
		else if (is_harmless != NULL && is_harmless(m))
			rc = note_key(r, m, what, keys, count);
		else
			rc = unknown_key(r, m, what, keys, count);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
read_text(struct policy_reading *r, const struct json *value, const char **ret_text)
{
	if (value->type != JSON_STRING)
		return wrong_type(r, value, "a string");
	*ret_text = value->string;
	return 0;
}

int
read_bool(struct policy_reading *r, const struct json *value, bool *ret_bool)
{
	if (value->type != JSON_BOOL)
		return wrong_type(r, value, "true or false");
	*ret_bool = value->integer != 0;
	return 0;
}

int
read_whole(struct policy_reading *r, const struct json *value, int64_t low, int64_t high,
	   int64_t *ret_number)
{
	if (value->type != JSON_NUMBER)
		return wrong_type(r, value, "a number");
	if (!value->whole || value->integer < low || value->integer > high)
		return read_fail(r, value, "%.40s is not a whole number from %lld to %lld",
				 value->written, (long long)low, (long long)high);
	*ret_number = value->integer;
	return 0;
}

static int
unknown_name(struct policy_reading *r, const struct json *value, const char *const *names)
{
	auto_str struct str list = {0};

	for (; *names != NULL; names++)
		if (**names != '\0')
			str_printf(&list, "%s\"%s\"", list.length == 0 ? "" : ", ", *names);
	return read_fail(r, value, "\"%.40s\" is not one of %s", value->string,
			 list.failed ? "the known words" : list.text);
}

int
read_name(struct policy_reading *r, const struct json *value, const char *const *names,
	  int *ret_index)
{
	const char *text = "";
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	for (int i = 0; names[i] != NULL; i++) {
		if (*names[i] != '\0' && strcmp(names[i], text) == 0) {
			*ret_index = i;
			return 0;
		}
	}
	return unknown_name(r, value, names);
}

int
read_list(struct policy_reading *r, const struct json *value, key_reader *each)
{
	if (value->type != JSON_ARRAY)
		return wrong_type(r, value, "a list");
	for (const struct json *item = value->first; item != NULL; item = item->next) {
		int rc = each(r, item);

		if (rc < 0)
			return rc;
	}
	return 0;
}

int
read_checked(struct policy_reading *r, const struct json *value, const char *(*check)(const char *),
	     const char **ret_text)
{
	const char *text = "", *reason;
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	reason = check(text);
	if (reason != NULL)
		return read_fail(r, value, "\"%.60s\" %s", text, reason);
	*ret_text = text;
	return 0;
}

int
read_domain(struct policy_reading *r, const struct json *value)
{
	const char *text = "", *reason;
	char name[VALUE_DOMAIN_SIZE];
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	reason = value_domain(text, name);
	if (reason != NULL)
		return read_fail(r, value, "\"%.60s\" %s", text, reason);
	return policy_add_word(r->policy, &r->policy->network.domains, name, read_srcpos(r, value),
			       r->err);
}

int
read_port(struct policy_reading *r, const struct json *value, struct ports *ports)
{
	int64_t number = 0;
	int rc = read_whole(r, value, 1, UINT16_MAX, &number);
	const struct port port = {(uint16_t)number, read_srcpos(r, value)};

	return rc < 0 ? rc : policy_ports_add(&r->policy->arena, ports, &port, r->err);
}

int
read_localhost_port(struct policy_reading *r, const struct json *value)
{
	return read_port(r, value, &r->policy->network.localhost);
}

/* ---- rules ---- */

struct rule *
read_last_rule(struct policy_reading *r)
{
	return &r->policy->rules[r->policy->rule_count - 1];
}

int
read_effect(struct policy_reading *r, const struct json *value)
{
	static const char *const names[] = {"deny", "allow", NULL};
	int effect;
	int rc = read_name(r, value, names, &effect);

	if (rc == 0)
		read_last_rule(r)->effect = (enum effect)effect;
	return rc;
}

int
read_on_refusal(struct policy_reading *r, const struct json *value)
{
	int index = 0;
	int rc = read_name(r, value, on_refusal_names, &index);

	if (rc == 0)
		r->policy->on_refusal = (enum on_refusal)index;
	return rc;
}

int
read_worktrees(struct policy_reading *r, const struct json *value)
{
	return read_bool(r, value, &read_last_rule(r)->worktrees);
}

int
read_why(struct policy_reading *r, const struct json *value)
{
	const char *text;
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	read_last_rule(r)->why = arena_strdup(&r->policy->arena, text, r->err);
	return read_last_rule(r)->why == NULL ? -CORDON_E_MEMORY : 0;
}

int
read_check_members(struct policy_reading *r, const struct json *rule, const char *const *needed,
		   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_member(rule, needed[i]) == NULL)
			return read_fail(r, rule, "this rule has no \"%s\"", needed[i]);
	return 0;
}

/* ---- paths ---- */

static bool
is_token(const char *text)
{
	if (*text == '~')
		return text[1] == '\0' || text[1] == '/';
	for (size_t i = 0; path_tokens[i] != NULL; i++)
		if (str_starts(text, path_tokens[i]))
			return true;
	return false;
}

const char *
read_inner_token(const char *text)
{
	for (const char *slash = strchr(text, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
		if (is_token(slash + 1))
			return slash + 1;
	return NULL;
}

static const char *
check_plain_path(const char *text, bool home)
{
	const char *reason;

	if (*text != '\0' && *text != '/' && !(home && str_starts(text, "~/"))) {
		if (*text == '~')
			return "has a ~ that is not expanded here; only ~/ is";
		if (*text == '$')
			return "starts with a token, and this dialect has none; write ~/ or the folder itself";
		return home ? "is relative; start it with / or ~/" : "is relative; start it with /";
	}
	reason = value_path(text, false);
	if (reason != NULL)
		return reason;
	return read_inner_token(text) == NULL ? NULL : "has a token in the middle";
}

int
read_plain_path(struct policy_reading *r, const struct json *value, bool home,
		const char **ret_text)
{
	const char *text = "", *reason;
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	reason = check_plain_path(text, home);
	if (reason != NULL)
		return read_fail(r, value, "\"%.60s\" %s", text, reason);
	*ret_text = text;
	return 0;
}

int
read_hole(struct policy_reading *r, const struct json *at, const char *format, ...)
{
	struct policy *policy = r->policy;
	struct hole *hole = NULL;
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(&policy->arena, r->err, format, args);
	va_end(args);
	if (text != NULL)
		hole = arena_push(&policy->arena, &policy->holes, &policy->hole_count, sizeof *hole,
				  r->err);
	if (hole == NULL)
		return -CORDON_E_MEMORY;
	*hole = (struct hole){.srcpos = read_srcpos(r, at), .text = text};
	return 0;
}

/* Keys that only one dialect has. The first match decides. */
static const struct {
	const char *key;
	enum dialect dialect;
} telling_keys[] = {
	{"extends", DIALECT_NATIVE},
	{"files", DIALECT_NATIVE},
	{"sockets", DIALECT_NATIVE},
	{"limits", DIALECT_NATIVE},
	{"accept", DIALECT_NATIVE},
	{"terminal", DIALECT_ZED},
	{"enabled", DIALECT_ZED},
	{"apply_to", DIALECT_ZED},
	{"system_paths", DIALECT_ZED},
	{"additional_executable_paths", DIALECT_ZED},
	{"additional_read_only_paths", DIALECT_ZED},
	{"additional_read_write_paths", DIALECT_ZED},
	{"allow_network", DIALECT_ZED},
	{"allowed_env_vars", DIALECT_ZED},
	{"project_dir", DIALECT_ZED},
	{"net", DIALECT_FLOW},
	{"write_paths", DIALECT_FLOW},
	{"read_paths", DIALECT_FLOW},
	{"default", DIALECT_CLASH},
	{"rules", DIALECT_CLASH},
	{"sandboxes", DIALECT_CLASH},
};

static enum dialect
dialect_of(const struct json *object)
{
	for (size_t i = 0; i < COUNT(telling_keys); i++)
		if (object->type == JSON_OBJECT && json_member(object, telling_keys[i].key) != NULL)
			return telling_keys[i].dialect;
	return DIALECT_NATIVE;
}

int
read_check_regexes(struct policy_reading *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->policy->rule_count; i++) {
		const struct rule *rule = &r->policy->rules[i];

		if (rule->match == MATCH_REGEX && ++count > REGEX_MAX)
			return cordon_fail_at(r->err, CORDON_E_POLICY, rule->srcpos.file,
					      rule->srcpos.line, rule->srcpos.column,
					      "this is regular expression %d; one text may have %d",
					      REGEX_MAX + 1, REGEX_MAX);
	}
	return 0;
}

int
policy_read(const char *file, const char *text, size_t length, const struct reading_as *as,
	    struct policy **ret_policy, struct cordon_error *err)
{
	static key_reader *const readers[] = {
		[DIALECT_NATIVE] = native_read,
		[DIALECT_ZED] = zed_read,
		[DIALECT_FLOW] = flow_read,
		[DIALECT_CLASH] = clash_read,
	};
	auto_arena struct arena tree = {0};
	auto_policy struct policy *policy = policy_new(file, err);
	struct policy_reading r = {policy, as, err};
	const struct json *value;
	int rc;

	if (policy == NULL)
		return -CORDON_E_MEMORY;
	rc = json_read(&tree, file, text, length, &value, err);
	if (rc < 0)
		return rc;
	policy->system = as->system;
	policy->dialect = as->dialect == DIALECT_ANY ? dialect_of(value) : as->dialect;
	if (as->variant != NULL && policy->dialect != DIALECT_CLASH)
		return read_fail(&r, value, "only clash texts hold policies by name (#%.40s)",
				 as->variant);
	rc = readers[policy->dialect](&r, value);
	if (rc == 0)
		rc = read_check_regexes(&r);
	if (rc < 0)
		return rc;
	*ret_policy = take(&policy);
	return 0;
}
