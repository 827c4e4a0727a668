// SPDX-License-Identifier: MIT
/*
 * Reader of Zed's terminal.sandbox: a settings file, the sandbox object alone, or the record for
 * its wrapper. The whole text is checked, including blocks for other systems, before anything is
 * granted. null means absent, so a null in a block keeps the outer value.
 */
#include <string.h>

#include "base/array.h"
#include "policy/read/dialect_defaults.h"
#include "policy/read/zed_sources.h"

/* ---- granting ---- */

/* Paths granted because they are named, with a warning: each leads out of any sandbox. */
static const struct {
	const char *path, *reason;
} unrestricted[] = {
	{"/", "it is everything"},
	{"/dev", "it holds disks, input devices and other terminals"},
	{"/run", "the session bus and agents listen below it"},
	{"/run/user", "the session bus and agents of every user listen there"},
};

static int
warn_of_sockets(struct policy_reading *r, const struct json *at)
{
	size_t length = strlen(at->string);

	while (length > 1 && at->string[length - 1] == '/')
		length--;
	for (size_t i = 0; i < COUNT(unrestricted); i++)
		if (strlen(unrestricted[i].path) == length &&
		    strncmp(unrestricted[i].path, at->string, length) == 0)
			return read_hole(r, at, "whole %s is named by the policy and granted: %s",
					 unrestricted[i].path, unrestricted[i].reason);
	return 0;
}

static int
grant_listed(struct policy_reading *r, const struct json *paths, enum list list, bool optional)
{
	const struct json *item = paths == NULL ? NULL : paths->first;

	for (; item != NULL; item = item->next) {
		struct rule *rule = policy_add_rule(r->policy, list, item->string,
						    read_srcpos(r, item), r->err);

		if (rule == NULL)
			return -CORDON_E_MEMORY;
		rule->optional = optional;
		rule->skips_missing = !optional;
		if ((list == LIST_WRITE && warn_of_sockets(r, item) < 0) ||
		    dialect_defaults_grant_targets(r, item, item->string) < 0)
			return -CORDON_E_MEMORY;
	}
	return 0;
}

static int
grant_instead(struct policy_reading *r, const struct json *at, const struct baseline_write *entry)
{
	const char *const itself[] = {entry->path, NULL};
	static const char *const tmpdir[] = {"$TMPDIR", NULL};
	int rc = entry->hole == NULL ? 0 : read_hole(r, at, "%s", entry->hole);

	if (rc == 0 && entry->instead == INSTEAD_DEVICES)
		rc = dialect_defaults_grant_devices(r, at);
	if (rc == 0 && entry->instead == INSTEAD_ITSELF)
		rc = dialect_defaults_grant(r, at, LIST_WRITE, itself);
	if (rc == 0 && entry->instead == INSTEAD_TMPDIR)
		rc = dialect_defaults_grant(r, at, LIST_WRITE, tmpdir);
	return rc;
}

static int
grant_writable(struct policy_reading *r, const struct json *at)
{
	int rc = 0;

	r->policy->tmp = TMP_PRIVATE;
	r->policy->tmp_srcpos = read_srcpos(r, at);
	for (const struct baseline_write *entry = baseline_read_write[r->as->system];
	     rc == 0 && entry->path != NULL; entry++)
		rc = grant_instead(r, at, entry);
	return rc;
}

static int
grant_project(struct policy_reading *r, const struct json *at, const char *path)
{
	struct rule *rule =
		policy_add_rule(r->policy, LIST_RULES, path, read_srcpos(r, at), r->err);

	if (rule == NULL)
		return -CORDON_E_MEMORY;
	rule->rights = RIGHTS_ALL;
	return 0;
}

static int
grant_home(struct policy_reading *r, const struct json *at)
{
	int rc = dialect_defaults_grant(r, at, LIST_READ, baseline_dotfiles);

	if (rc == 0)
		rc = dialect_defaults_grant(r, at, LIST_READ, baseline_config);
	if (rc == 0)
		rc = read_hole(r, at,
			       "whole ~/.config is not readable, it holds tokens of many "
			       "programs: the folders of git and of shells are");
	if (rc == 0)
		rc = dialect_defaults_grant(r, at, LIST_READ, baseline_histories);
	if (rc == 0)
		rc = read_hole(r, at,
			       "shell history files are not writable: a planted line is "
			       "run later, outside");
	return rc;
}

static void
set_network(struct policy_reading *r, const struct json *at, bool all)
{
	r->policy->network.mode = all ? NET_ALL : NET_NONE;
	r->policy->network.srcpos = read_srcpos(r, at);
}

static int
set_env(struct policy_reading *r, const struct json *at, const struct json *names)
{
	const struct json *item = names == NULL ? NULL : names->first;
	int rc = names == NULL ? dialect_defaults_pass(r, at, baseline_env) : 0;

	at = names == NULL ? at : names;
	r->policy->env.mode = ENV_EXPLICIT;
	r->policy->env.srcpos = read_srcpos(r, at);
	for (; rc == 0 && item != NULL; item = item->next) {
		const char *const name[] = {item->string, NULL};

		rc = dialect_defaults_pass(r, item, name);
	}
	return rc == 0 ? dialect_defaults_pass(r, at, baseline_env_always) : rc;
}

/* ---- settings ---- */

static int
grant_system(struct policy_reading *r, const struct zed_sources *sources, const struct json *at)
{
	const struct json *executable = zed_sources_find_system(sources, "executable");
	const struct json *read_only = zed_sources_find_system(sources, "read_only");
	const struct json *read_write = zed_sources_find_system(sources, "read_write");
	int rc;

	rc = executable != NULL ? grant_listed(r, executable, LIST_EXECUTE, false)
				: dialect_defaults_grant(r, at, LIST_EXECUTE,
							 baseline_executable[r->as->system]);
	if (rc == 0)
		rc = read_only != NULL ? grant_listed(r, read_only, LIST_READ, false)
				       : dialect_defaults_grant(r, at, LIST_READ,
								baseline_read_only[r->as->system]);
	if (rc == 0)
		rc = read_write != NULL ? grant_listed(r, read_write, LIST_WRITE, false)
					: grant_writable(r, at);
	return rc;
}

/* The additional lists have the same names in settings and in the record. */
static const struct {
	const char *key;
	enum list list;
} additional[] = {
	{"additional_executable_paths", LIST_EXECUTE},
	{"additional_read_only_paths", LIST_READ},
	{"additional_read_write_paths", LIST_WRITE},
};

static int
grant_additional(struct policy_reading *r, const struct zed_sources *sources)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < COUNT(additional); i++)
		rc = grant_listed(r, zed_sources_find(sources, additional[i].key),
				  additional[i].list, false);
	return rc;
}

static int
grant_rest(struct policy_reading *r, const struct zed_sources *sources, const struct json *at)
{
	const struct json *network = zed_sources_find(sources, "allow_network");
	int rc = grant_home(r, at);

	if (rc == 0)
		rc = dialect_defaults_grant_start(r, at);
	if (rc == 0)
		rc = dialect_defaults_accept(r, at);
	if (rc == 0)
		rc = grant_additional(r, sources);
	if (rc == 0)
		rc = set_env(r, at, zed_sources_find(sources, "allowed_env_vars"));
	if (rc == 0)
		rc = read_hole(r, at,
			       "Zed starts commands unprotected where the system cannot enforce "
			       "this; cordon refuses");
	set_network(r, network == NULL ? at : network, network == NULL || network->integer != 0);
	return rc;
}

static int
read_settings(struct policy_reading *r, const struct json *value)
{
	struct zed_sources sources = {0};
	const struct json *at;
	int rc = zed_sources_add(r, &sources, value);

	if (rc < 0)
		return rc;
	rc = zed_sources_apply(r, &sources, value);
	if (rc <= 0)
		return rc;
	at = sources.objects[0];
	r->policy->has_extends = true;
	rc = grant_project(r, at, "$PROJECT");
	if (rc == 0)
		rc = grant_system(r, &sources, at);
	return rc == 0 ? grant_rest(r, &sources, at) : rc;
}

/* ---- record of the wrapper ---- */

static int
read_tracking_only(struct policy_reading *r, const struct json *at)
{
	struct policy *policy = r->policy;

	policy->has_default = true;
	policy->default_rights = RIGHTS_ALL;
	policy->env.mode = ENV_INHERIT;
	policy->tmp = TMP_SHARED;
	policy->default_srcpos = policy->env.srcpos = policy->tmp_srcpos = read_srcpos(r, at);
	set_network(r, at, true);
	return read_hole(r, at,
			 "\"tracking_only\" is true: nothing is restricted, the session is "
			 "only kept track of");
}

/* Is it the editor's built-in list, which the user did not name? */
static bool
is_builtin_list(const struct policy_reading *r, const struct json *paths)
{
	const struct baseline_write *entry = baseline_read_write[r->as->system];
	const struct json *item = paths->first;

	for (; entry->path != NULL && item != NULL; entry++, item = item->next)
		if (strcmp(entry->path, item->string) != 0)
			return false;
	return entry->path == NULL && item == NULL;
}

static int
grant_record(struct policy_reading *r, const struct json *record)
{
	const struct json *project = json_member(record, "project_dir");
	const struct json *writable = json_member(record, "read_write_paths");
	int rc = grant_project(r, project, project->string);

	if (rc == 0)
		rc = grant_listed(r, json_member(record, "executable_paths"), LIST_EXECUTE, true);
	if (rc == 0)
		rc = grant_listed(r, json_member(record, "read_only_paths"), LIST_READ, true);
	if (rc == 0)
		rc = is_builtin_list(r, writable) ? grant_writable(r, writable)
						  : grant_listed(r, writable, LIST_WRITE, true);
	return rc;
}

static int
read_record(struct policy_reading *r, const struct json *value)
{
	const struct zed_sources sources = {{value}, 1};
	const struct json *tracking = zed_present(value, "tracking_only");
	bool tracks = tracking != NULL && tracking->type == JSON_BOOL && tracking->integer != 0;
	int rc = tracks ? zed_check_tracking(r, value) : zed_check_record(r, value);

	if (rc < 0)
		return rc;
	r->policy->has_extends = true;
	if (tracks)
		return read_tracking_only(r, tracking);
	rc = zed_check_needed(r, value);
	if (rc == 0)
		rc = grant_record(r, value);
	return rc == 0 ? grant_rest(r, &sources, value) : rc;
}

int
zed_read(struct policy_reading *r, const struct json *value)
{
	if (value->type != JSON_OBJECT)
		return read_fail(r, value, "Zed settings must be an object, not %s",
				 json_type_name(value));
	return zed_is_record(value) ? read_record(r, value) : read_settings(r, value);
}
