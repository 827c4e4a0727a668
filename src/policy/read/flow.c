// SPDX-License-Identifier: MIT
/*
 * Reader of flow's capability record: net, write_paths, read_paths, env. The working directory is
 * always writable. What flow leaves to its lightweight layer, which restricts no file, is enforced
 * here too.
 */
#include <string.h>

#include "base/array.h"
#include "policy/model/value.h"
#include "policy/read/dialect_defaults.h"

static int
add_path(struct policy_reading *r, const struct json *value, enum list list)
{
	const char *text = NULL;
	struct rule *rule;
	int rc = 0;

	if (value->type == JSON_STRING && strcmp(value->string, "cwd") == 0)
		text = "$CWD";
	else
		rc = read_plain_path(r, value, true, &text);
	if (rc < 0)
		return rc;
	rule = policy_add_rule(r->policy, list, text, read_srcpos(r, value), r->err);
	if (rule == NULL)
		return -CORDON_E_MEMORY;
	rule->optional = strcmp(text, "$CWD") == 0;
	rule->skips_missing = true;
	return 0;
}

static int
read_write_path(struct policy_reading *r, const struct json *value)
{
	return add_path(r, value, LIST_WRITE);
}

static int
read_write_paths(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_write_path);
}

/* flow does not restrict execution: readable files can be executed. */
static int
read_read_path(struct policy_reading *r, const struct json *value)
{
	return add_path(r, value, LIST_EXECUTE);
}

static int
read_read_paths(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_read_path);
}

static int
read_net(struct policy_reading *r, const struct json *value)
{
	bool net;
	int rc = read_bool(r, value, &net);

	if (rc < 0)
		return rc;
	r->policy->network.mode = net ? NET_ALL : NET_NONE;
	r->policy->network.srcpos = read_srcpos(r, value);
	return 0;
}

static int
read_var(struct policy_reading *r, const struct json *value)
{
	const char *text;
	int rc = read_checked(r, value, value_env_name, &text);

	if (rc < 0)
		return rc;
	return policy_add_word(r->policy, &r->policy->env.allow, text, read_srcpos(r, value),
			       r->err);
}

static int
read_vars(struct policy_reading *r, const struct json *value)
{
	r->policy->env.mode = ENV_EXPLICIT;
	return read_list(r, value, read_var);
}

static int
set_env_scrubbed(struct policy_reading *r, const struct json *at)
{
	r->policy->env.mode = ENV_EXPLICIT;
	r->policy->env.srcpos = read_srcpos(r, at);
	return dialect_defaults_pass(r, at, baseline_env_scrub);
}

static int
read_env(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {{"vars", read_vars}};
	static const char *const names[] = {"scrubbed", "inherit", NULL};
	int mode, rc;

	r->policy->env.srcpos = read_srcpos(r, value);
	if (value->type == JSON_ARRAY)
		return read_vars(r, value);
	if (value->type == JSON_OBJECT) {
		if (value->count == 0)
			return read_fail(r, value, "\"env\" has no \"vars\"");
		return read_keys(r, value, "\"env\"", keys, COUNT(keys));
	}
	if (value->type != JSON_STRING)
		return read_fail(r, value,
				 "\"env\" must be \"scrubbed\", \"inherit\" or a list of "
				 "names in \"vars\", not %s",
				 json_type_name(value));
	rc = read_name(r, value, names, &mode);
	if (rc < 0)
		return rc;
	r->policy->env.mode = ENV_INHERIT;
	return mode == 0 ? set_env_scrubbed(r, value) : 0;
}

/* ---- defaults of flow ---- */

static bool
is_listed(const struct json *record, const char *key)
{
	const struct json *list = json_member(record, key);

	return list != NULL && list->count > 0;
}

static int
grant_reads(struct policy_reading *r, const struct json *record)
{
	struct policy *policy = r->policy;

	if (is_listed(record, "read_paths"))
		return dialect_defaults_grant(r, record, LIST_EXECUTE,
					      baseline_flow_read[r->as->system]);
	policy->has_default = true;
	policy->default_rights = RIGHT_READ | RIGHT_EXECUTE;
	policy->default_srcpos = read_srcpos(r, record);
	return 0;
}

static int
grant_cwd(struct policy_reading *r, const struct json *record)
{
	struct rule *rule =
		policy_add_rule(r->policy, LIST_RULES, "$CWD", read_srcpos(r, record), r->err);

	if (rule == NULL)
		return -CORDON_E_MEMORY;
	rule->rights = RIGHTS_ALL;
	/* in a home, in /tmp or in / the token has no value: nothing is writable there unless named */
	rule->optional = true;
	return 0;
}

static int
set_defaults(struct policy_reading *r, const struct json *record)
{
	struct policy *policy = r->policy;

	policy->has_extends = true;
	policy->tmp = TMP_PRIVATE;
	policy->tmp_srcpos = read_srcpos(r, record);
	if (policy->network.mode == NET_UNSET) {
		policy->network.mode = NET_ALL;
		policy->network.srcpos = read_srcpos(r, record);
	}
	if (policy->env.mode == ENV_UNSET && set_env_scrubbed(r, record) < 0)
		return -CORDON_E_MEMORY;
	return dialect_defaults_accept(r, record);
}

static int
add_holes(struct policy_reading *r, const struct json *record)
{
	bool light = r->policy->network.mode == NET_ALL && !is_listed(record, "write_paths") &&
		     !is_listed(record, "read_paths");
	bool macos = r->as->system == SYSTEM_MACOS;
	int rc = 0;

	if (light)
		rc = read_hole(r, record, "flow would not restrict writes here; cordon does");
	else if (!macos)
		rc = read_hole(r, record,
			       "flow enforces nothing on Linux; cordon does, or refuses");
	if (rc == 0 && is_listed(record, "read_paths") && macos)
		rc = read_hole(r, record, "whole /dev is not readable: its ordinary nodes are");
	if (rc == 0 && !light && macos)
		rc = read_hole(r, record,
			       "/private/tmp and /private/var/folders are not granted, "
			       "every program shares them: TMPDIR names a private folder");
	return rc;
}

int
flow_read(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"net", read_net},
		{"write_paths", read_write_paths},
		{"read_paths", read_read_paths},
		{"env", read_env},
	};
	int rc = read_keys(r, value, "the capability record", keys, COUNT(keys));

	if (rc == 0)
		rc = grant_cwd(r, value);
	if (rc == 0)
		rc = grant_reads(r, value);
	if (rc == 0)
		rc = dialect_defaults_grant_devices(r, value);
	if (rc == 0)
		rc = dialect_defaults_grant_start(r, value);
	if (rc == 0)
		rc = set_defaults(r, value);
	return rc == 0 ? add_holes(r, value) : rc;
}
