// SPDX-License-Identifier: MIT
/* Finds the sandbox objects in Zed's settings that apply on this system, and values in them. */
#include "policy/read/zed_sources.h"

/* By zed_apply_names and enum command: run is a tool, shell a terminal. */
static const bool applies[][2] = {{false, true}, {true, false}, {true, true}, {false, false}};

/* ---- lookup ---- */

const struct json *
zed_sources_find(const struct zed_sources *sources, const char *key)
{
	for (size_t i = sources->count; i > 0; i--) {
		const struct json *value = zed_present(sources->objects[i - 1], key);

		if (value != NULL)
			return value;
	}
	return NULL;
}

const struct json *
zed_sources_find_system(const struct zed_sources *sources, const char *key)
{
	for (size_t i = sources->count; i > 0; i--) {
		const struct json *paths = zed_present(sources->objects[i - 1], "system_paths");
		const struct json *value = zed_present(paths, key);

		if (value != NULL)
			return value;
	}
	return NULL;
}

static int
add_sandbox(struct policy_reading *r, struct zed_sources *sources, const struct json *object)
{
	const struct json *block;
	int rc = zed_check_sandbox(r, object);

	if (rc < 0)
		return rc;
	sources->objects[sources->count++] = object;
	block = zed_present(object, system_names[r->as->system]);
	if (block != NULL)
		sources->objects[sources->count++] = block;
	return 0;
}

/* Returns the sandbox object of settings or of a block, or NULL. */
static int
find_sandbox(struct policy_reading *r, const struct json *settings, const struct json **ret_sandbox)
{
	const struct json *terminal = zed_present(settings, "terminal");
	const struct json *sandbox = zed_present(terminal, "sandbox");
	int rc = terminal == NULL ? 0 : zed_check_object(r, terminal);

	if (rc == 0 && sandbox != NULL)
		rc = zed_check_object(r, sandbox);
	if (rc == 0)
		*ret_sandbox = sandbox;
	return rc;
}

static int
add_settings_block(struct policy_reading *r, struct zed_sources *sources,
		   const struct json *settings, int system)
{
	const struct json *block = json_member(settings, system_names[system]);
	const struct json *sandbox = NULL;
	int rc = block == NULL ? 0 : zed_check_object(r, block);

	if (rc == 0 && block != NULL)
		rc = find_sandbox(r, block, &sandbox);
	if (rc == 0 && sandbox != NULL)
		rc = zed_check_block(r, sandbox);
	if (rc == 0 && sandbox != NULL && (int)r->as->system == system)
		sources->objects[sources->count++] = sandbox;
	return rc;
}

static int
add_settings(struct policy_reading *r, struct zed_sources *sources, const struct json *settings)
{
	const struct json *windows = json_member(settings, "windows");
	const struct json *sandbox = NULL;
	int rc = find_sandbox(r, settings, &sandbox);

	if (rc == 0 && sandbox != NULL)
		rc = add_sandbox(r, sources, sandbox);
	for (int system = 0; rc == 0 && system < 2; system++)
		rc = add_settings_block(r, sources, settings, system);
	if (rc == 0 && windows != NULL)
		rc = zed_check_object(r, windows);
	return rc;
}

int
zed_sources_add(struct policy_reading *r, struct zed_sources *sources, const struct json *value)
{
	if (sources->count + ZED_OBJECTS > ZED_SOURCES_MAX)
		return read_fail(r, value, "more than %d settings files are too many",
				 ZED_SOURCES_MAX / ZED_OBJECTS);
	return zed_is_settings(value) ? add_settings(r, sources, value)
				      : add_sandbox(r, sources, value);
}

int
zed_sources_apply(struct policy_reading *r, const struct zed_sources *sources,
		  const struct json *at)
{
	static const char *const users[] = {"tools (cordon run)", "terminals (cordon shell)"};
	const struct json *enabled = zed_sources_find(sources, "enabled");
	const struct json *apply_to = zed_sources_find(sources, "apply_to");
	int index = 2;

	if (sources->count == 0)
		return read_hole(r, at,
				 "\"terminal\" has no \"sandbox\" here: these settings add "
				 "nothing");
	if (enabled == NULL)
		return read_hole(r, sources->objects[0],
				 "\"enabled\" is not set: these settings add nothing");
	if (enabled->integer == 0)
		return read_hole(r, enabled,
				 "\"enabled\" is false: these settings add nothing, "
				 "and the run stays confined");
	if (apply_to != NULL && read_name(r, apply_to, zed_apply_names, &index) < 0)
		return -CORDON_E_POLICY;
	if (!applies[index][r->as->command])
		return read_hole(r, apply_to,
				 "\"apply_to\" leaves out %s: these settings add nothing",
				 users[r->as->command]);
	return 1;
}
