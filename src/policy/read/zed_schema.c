// SPDX-License-Identifier: MIT
/* Recognises and checks Zed's settings, their sandbox object and the record of its wrapper. */
#include "policy/read/zed.h"

#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "policy/model/value.h"

const char *const zed_apply_names[] = {"terminal", "tool", "both", "neither", NULL};

const struct json *
zed_present(const struct json *object, const char *key)
{
	const struct json *value =
		object != NULL && object->type == JSON_OBJECT ? json_member(object, key) : NULL;

	return value == NULL || value->type == JSON_NULL ? NULL : value;
}

/* ---- keys ---- */

static bool
ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

/*
 * Can an unknown key be left out without a restriction being lost? Only null, a list that adds ("additional_..."),
 * and what names or describes by its own name. Any other key of a newer editor may restrict.
 */
static bool
is_harmless(const struct json *member)
{
	static const char *const ends[] = {"id",    "uuid",    "name",	  "title",
					   "label", "version", "comment", "description"};
	bool describes = *member->key == '$' || *member->key == '_';

	for (size_t i = 0; !describes && i < COUNT(ends); i++)
		describes = strcmp(member->key, ends[i]) == 0 ||
			    (ends_with(member->key, ends[i]) &&
			     member->key[strlen(member->key) - strlen(ends[i]) - 1] == '_');
	return describes || member->type == JSON_NULL || str_starts(member->key, "additional_");
}

static int
check_keys(struct policy_reading *r, const struct json *object, const char *what,
	   const struct read_key *keys, size_t count)
{
	return read_keys_noting(r, object, what, keys, count, is_harmless);
}

/* ---- values ---- */

static int
check_flag(struct policy_reading *r, const struct json *value)
{
	bool flag;

	return value->type == JSON_NULL ? 0 : read_bool(r, value, &flag);
}

static int
check_apply_to(struct policy_reading *r, const struct json *value)
{
	int index;

	return value->type == JSON_NULL ? 0 : read_name(r, value, zed_apply_names, &index);
}

static int
check_system_path(struct policy_reading *r, const struct json *value)
{
	const char *text;

	if (value->type == JSON_STRING && *value->string == '~')
		return read_fail(r, value,
				 "\"%.60s\" starts with ~, which is expanded only in the "
				 "additional lists; write the whole path or put it there",
				 value->string);
	return read_plain_path(r, value, false, &text);
}

static int
check_system_list(struct policy_reading *r, const struct json *value)
{
	return value->type == JSON_NULL ? 0 : read_list(r, value, check_system_path);
}

static int
check_system_paths(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"executable", check_system_list},
		{"read_only", check_system_list},
		{"read_write", check_system_list},
	};

	return value->type == JSON_NULL
		       ? 0
		       : check_keys(r, value, "\"system_paths\"", keys, COUNT(keys));
}

static int
check_additional_path(struct policy_reading *r, const struct json *value)
{
	const char *text;

	return read_plain_path(r, value, true, &text);
}

static int
check_additional(struct policy_reading *r, const struct json *value)
{
	return value->type == JSON_NULL ? 0 : read_list(r, value, check_additional_path);
}

static int
check_name(struct policy_reading *r, const struct json *value)
{
	const char *text;

	return read_checked(r, value, value_env_name, &text);
}

static int
check_names(struct policy_reading *r, const struct json *value)
{
	return value->type == JSON_NULL ? 0 : read_list(r, value, check_name);
}

int
zed_check_object(struct policy_reading *r, const struct json *value)
{
	if (value->type == JSON_NULL || value->type == JSON_OBJECT)
		return 0;
	return read_fail(r, value, "\"%.40s\" must be an object, not %s", value->key,
			 json_type_name(value));
}

static const struct read_key sandbox_keys[] = {
	{"enabled", check_flag},
	{"apply_to", check_apply_to},
	{"system_paths", check_system_paths},
	{"additional_executable_paths", check_additional},
	{"additional_read_only_paths", check_additional},
	{"additional_read_write_paths", check_additional},
	{"allow_network", check_flag},
	{"allowed_env_vars", check_names},
	/* not inside a block */
	{"linux", zed_check_block},
	{"macos", zed_check_block},
	{"windows", zed_check_object},
};
#define BLOCK_KEYS 3

int
zed_check_block(struct policy_reading *r, const struct json *value)
{
	if (value->type == JSON_NULL)
		return 0;
	return check_keys(r, value, "the block of one system", sandbox_keys,
			  COUNT(sandbox_keys) - BLOCK_KEYS);
}

int
zed_check_sandbox(struct policy_reading *r, const struct json *value)
{
	return check_keys(r, value, "the sandbox settings", sandbox_keys, COUNT(sandbox_keys));
}

/* ---- recognition ---- */

static const char *
nearest_sandbox_key(const char *key)
{
	const char *names[COUNT(sandbox_keys)];

	for (size_t i = 0; i < COUNT(sandbox_keys); i++)
		names[i] = sandbox_keys[i].name;
	return str_nearest_word(key, names, COUNT(sandbox_keys));
}

/* Does the object have a key of the sandbox, outside or inside a block? */
static bool
knows_sandbox(const struct json *object)
{
	for (size_t i = 0; i < COUNT(sandbox_keys); i++) {
		const struct json *member = json_member(object, sandbox_keys[i].name);

		if (member == NULL)
			continue;
		if (i < COUNT(sandbox_keys) - BLOCK_KEYS)
			return true;
		if (member->type == JSON_OBJECT && knows_sandbox(member))
			return true;
	}
	return false;
}

/*
 * Settings have "terminal". A text without it and without any key of the sandbox is settings too,
 * unless every key looks like a misspelt one.
 */
bool
zed_is_settings(const struct json *value)
{
	bool slips = true;

	if (json_member(value, "terminal") != NULL)
		return true;
	for (size_t i = COUNT(sandbox_keys) - BLOCK_KEYS; i < COUNT(sandbox_keys); i++)
		if (zed_present(json_member(value, sandbox_keys[i].name), "terminal") != NULL)
			return true;
	for (const struct json *m = value->first; m != NULL; m = m->next)
		slips = slips && nearest_sandbox_key(m->key) != NULL;
	return !slips && !knows_sandbox(value);
}

/* ---- the record ---- */

/* A cgroup is joined before the sandbox is entered, so its path must be exact. */
static int
check_cgroup(struct policy_reading *r, const struct json *value)
{
	const char *text = "";
	int rc = value->type == JSON_NULL ? 0 : read_plain_path(r, value, false, &text);

	if (rc == 0 && value->type != JSON_NULL && *text != '/')
		return read_fail(r, value, "\"cgroup_path\" must be an absolute path");
	return rc;
}

static const char *
uuid_problem(const char *text)
{
	static const char form[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
	size_t i = 0;

	for (; form[i] != '\0' && text[i] != '\0'; i++)
		if (form[i] == '-' ? text[i] != '-' : strchr("0123456789abcdef", text[i]) == NULL)
			break;
	return form[i] == '\0' && text[i] == '\0'
		       ? NULL
		       : "is not a UUID such as 123e4567-e89b-12d3-a456-426614174000, in lower case";
}

static int
check_uuid(struct policy_reading *r, const struct json *value)
{
	const char *text;

	return value->type == JSON_NULL ? 0 : read_checked(r, value, uuid_problem, &text);
}

static const struct read_key record_keys[] = {
	{"project_dir", check_system_path},
	{"executable_paths", check_system_list},
	{"read_only_paths", check_system_list},
	{"read_write_paths", check_system_list},
	{"additional_executable_paths", check_additional},
	{"additional_read_only_paths", check_additional},
	{"additional_read_write_paths", check_additional},
	{"allow_network", check_flag},
	{"allowed_env_vars", check_names},
	/* optional from here on */
	{"fingerprint_uuid", check_uuid},
	{"tracking_only", check_flag},
	{"cgroup_path", check_cgroup},
};
#define RECORD_NEEDED 9

bool
zed_is_record(const struct json *value)
{
	if (json_member(value, "project_dir") != NULL)
		return true;
	for (size_t i = RECORD_NEEDED; i < COUNT(record_keys); i++)
		if (json_member(value, record_keys[i].name) != NULL)
			return true;
	return false;
}

int
zed_check_record(struct policy_reading *r, const struct json *value)
{
	return check_keys(r, value, "the record", record_keys, COUNT(record_keys));
}

/* The other members have no meaning there; editors fill them with nothing. */
int
zed_check_tracking(struct policy_reading *r, const struct json *value)
{
	struct read_key keys[COUNT(record_keys)];

	memcpy(keys, record_keys, sizeof keys);
	for (size_t i = 0; i < RECORD_NEEDED; i++)
		keys[i].read = NULL;
	return check_keys(r, value, "the record", keys, COUNT(keys));
}

int
zed_check_needed(struct policy_reading *r, const struct json *value)
{
	for (size_t i = 0; i < RECORD_NEEDED; i++)
		if (zed_present(value, record_keys[i].name) == NULL)
			return read_fail(r, value, "the record has no \"%s\"", record_keys[i].name);
	return 0;
}
