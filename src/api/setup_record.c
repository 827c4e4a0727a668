// SPDX-License-Identifier: MIT
/* The record of an editor's wrapper: its policy, its project, and how the editor identifies the processes. */
#include <string.h>

#include "api/setup_option.h"
#include "base/json.h"
#include "policy/read/reader.h"

int
setup_record_two_projects(struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_USAGE, 0,
			   "--project and the record's \"project_dir\" exclude each other");
}

static bool
is_true(const struct json *value)
{
	return value != NULL && value->type == JSON_BOOL && value->integer != 0;
}

static int
store(struct cordon_setup *setup, const char **to, const char *value, struct cordon_error *err)
{
	if (value == NULL)
		return 0;
	*to = arena_strdup(&setup->arena, value, err);
	return *to == NULL ? -CORDON_E_MEMORY : 0;
}

/* Checks the whole record: also one that restricts nothing, because a typing error could hide a policy. */
static int
check(const struct cordon_setup *setup, const struct setup_option *option, const char *text,
      struct cordon_error *err)
{
	const struct reading_as as = {.dialect = DIALECT_ZED, .system = setup->system};
	auto_policy struct policy *policy = NULL;

	return policy_read(option->name, text, strlen(text), &as, &policy, err);
}

static int
set_policy(struct cordon_setup *setup, const struct setup_option *option, const struct json *record,
	   const char *text, struct cordon_error *err)
{
	const char *project = json_member_text(record, "project_dir"), *value;
	int rc;

	if (setup->project != NULL)
		return setup_record_two_projects(err);
	value = arena_printf(&setup->arena, err, "zed:%s", text);
	if (value == NULL)
		return -CORDON_E_MEMORY;
	setup->no_project_policy = true;
	rc = store(setup, &setup->project, project, err);
	return rc < 0 ? rc : setup_text(setup, option, value, err);
}

int
setup_record(struct cordon_setup *setup, const struct setup_option *option, const char *text,
	     struct cordon_error *err)
{
	auto_arena struct arena tree = {0};
	const struct json *record;
	int rc = json_read(&tree, option->name, text, strlen(text), &record, err);

	if (rc == 0 && (record->type != JSON_OBJECT || record->count == 0))
		rc = cordon_fail(err, CORDON_E_USAGE, 0,
				 "%s: it must be an object with \"project_dir\"", option->name);
	if (rc == 0)
		rc = check(setup, option, text, err);
	if (rc == 0)
		rc = store(setup, &setup->ids.cgroup, json_member_text(record, "cgroup_path"), err);
	if (rc == 0)
		rc = store(setup, &setup->ids.fingerprint,
			   json_member_text(record, "fingerprint_uuid"), err);
	if (rc < 0)
		return rc;
	setup->has_record = true;
	setup->tracks = is_true(json_member(record, "tracking_only"));
	return setup->tracks ? 0 : set_policy(setup, option, record, text, err);
}
