// SPDX-License-Identifier: MIT
/* Reads "files" of the native form: lists of paths, and complete rules. */
#include <string.h>

#include "base/array.h"
#include "policy/model/value.h"
#include "policy/read/native.h"

static const char *
check_list_path(const char *text)
{
	return value_path(text, true);
}

static int
add_list_rule(struct policy_reading *r, const struct json *value, enum list list)
{
	const char *text;
	struct rule *rule;
	int rc = read_checked(r, value, check_list_path, &text);

	if (rc < 0)
		return rc;
	rule = policy_add_rule(r->policy, list, text, read_srcpos(r, value), r->err);
	if (rule == NULL)
		return -CORDON_E_MEMORY;
	rule->match = value_is_glob(text) ? MATCH_GLOB : MATCH_SUBPATH;
	return 0;
}

#define LIST_READER(name, list)                                                    \
	static int name##_item(struct policy_reading *r, const struct json *value) \
	{                                                                          \
		return add_list_rule(r, value, list);                              \
	}                                                                          \
	static int name(struct policy_reading *r, const struct json *value)        \
	{                                                                          \
		return read_list(r, value, name##_item);                           \
	}
LIST_READER(read_reads, LIST_READ)
LIST_READER(read_writes, LIST_WRITE)
LIST_READER(read_executes, LIST_EXECUTE)
LIST_READER(read_denies, LIST_DENY)
LIST_READER(read_protects, LIST_PROTECT)

static int
read_letters(struct policy_reading *r, const struct json *value, unsigned *ret_rights)
{
	const char *text;
	int rights;
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	rights = policy_rights_from_letters(text);
	if (rights < 0)
		return read_fail(r, value,
				 "\"%.40s\" is not made of the letters rwcdx, each at most once",
				 text);
	*ret_rights = (unsigned)rights;
	return 0;
}

static int
read_rights(struct policy_reading *r, const struct json *value)
{
	int rc = read_letters(r, value, &read_last_rule(r)->rights);

	if (rc == 0 && read_last_rule(r)->rights == 0)
		return read_fail(r, value, "a rule without rights does nothing");
	return rc;
}

static int
read_path(struct policy_reading *r, const struct json *value)
{
	const char *text;
	int rc = read_text(r, value, &text);

	if (rc < 0)
		return rc;
	read_last_rule(r)->path = arena_strdup(&r->policy->arena, text, r->err);
	/* messages about a rule point at its path */
	read_last_rule(r)->srcpos = read_srcpos(r, value);
	return read_last_rule(r)->path == NULL ? -CORDON_E_MEMORY : 0;
}

static int
read_match(struct policy_reading *r, const struct json *value)
{
	int match;
	int rc = read_name(r, value, match_names, &match);

	if (rc == 0)
		read_last_rule(r)->match = (enum match)match;
	return rc;
}

static int
read_optional(struct policy_reading *r, const struct json *value)
{
	return read_bool(r, value, &read_last_rule(r)->optional);
}

static int
check_rule_path(struct policy_reading *r, const struct json *value, const struct rule *rule)
{
	const struct json *path = json_member(value, "path");
	const char *reason = NULL;

	/* a regular expression is checked when it is compiled */
	if (rule->match != MATCH_REGEX)
		reason = value_path(rule->path, rule->match == MATCH_GLOB);
	else if (*rule->path == '\0')
		reason = "is empty";
	return reason == NULL ? 0 : read_fail(r, path, "\"%.60s\" %s", rule->path, reason);
}

static int
read_rule(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"effect", read_effect},     {"rights", read_rights}, {"path", read_path},
		{"match", read_match},	     {"why", read_why},	      {"worktrees", read_worktrees},
		{"optional", read_optional},
	};
	static const char *const needed[] = {"effect", "rights", "path"};
	int rc;

	if (policy_add_rule(r->policy, LIST_RULES, "", read_srcpos(r, value), r->err) == NULL)
		return -CORDON_E_MEMORY;
	rc = read_keys(r, value, "a rule", keys, COUNT(keys));
	if (rc < 0)
		return rc;
	rc = read_check_members(r, value, needed, COUNT(needed));
	return rc < 0 ? rc : check_rule_path(r, value, read_last_rule(r));
}

static int
read_rules(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_rule);
}

static int
read_default(struct policy_reading *r, const struct json *value)
{
	r->policy->has_default = true;
	r->policy->default_srcpos = read_srcpos(r, value);
	return read_letters(r, value, &r->policy->default_rights);
}

int
native_read_files(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"read", read_reads},	   {"write", read_writes},     {"execute", read_executes},
		{"deny", read_denies},	   {"protect", read_protects}, {"rules", read_rules},
		{"default", read_default},
	};

	return read_keys(r, value, "\"files\"", keys, COUNT(keys));
}
