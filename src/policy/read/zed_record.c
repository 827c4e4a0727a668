// SPDX-License-Identifier: MIT
/* Prints the record that Zed's settings mean, as its wrapper takes it. */
#include "policy/read/zed_record.h"

#include "base/array.h"
#include "policy/read/dialect_defaults.h"

static void
put_path(const char *path, const char *home, bool *is_first, struct str *to)
{
	auto_str struct str whole = {0};

	if (home != NULL && str_starts(path, "~/"))
		str_printf(&whole, "%s%s", home, path + 1);
	else
		str_add(&whole, path);
	to->failed = to->failed || whole.failed;
	str_add(to, *is_first ? "" : ", ");
	if (!whole.failed)
		str_json(to, whole.text);
	*is_first = false;
}

/* Prints the list that was given, else the built-in one. */
static void
put_list(const char *key, const struct json *given, const char *const *builtin, const char *home,
	 struct str *to)
{
	bool is_first = true;

	str_printf(to, ",\n \"%s\": [", key);
	for (const struct json *item = given == NULL ? NULL : given->first; item != NULL;
	     item = item->next)
		put_path(item->string, home, &is_first, to);
	for (; given == NULL && builtin != NULL && *builtin != NULL; builtin++)
		put_path(*builtin, NULL, &is_first, to);
	str_add(to, "]");
}

static void
put_writable(const struct json *given, enum system system, struct str *to)
{
	const char *paths[16] = {NULL};

	for (size_t i = 0; baseline_read_write[system][i].path != NULL && i < COUNT(paths) - 1; i++)
		paths[i] = baseline_read_write[system][i].path;
	put_list("read_write_paths", given, paths, NULL, to);
}

static void
put_head(const char *project, struct str *to)
{
	str_add(to, "{\"project_dir\": ");
	str_json(to, project);
}

void
zed_record_print(const struct zed_sources *sources, const struct zed_record_dirs *dirs,
		 struct str *to)
{
	static const char *const additional[] = {"additional_executable_paths",
						 "additional_read_only_paths",
						 "additional_read_write_paths"};
	const struct json *network = zed_sources_find(sources, "allow_network");
	enum system system = dirs->system;

	put_head(dirs->project, to);
	put_list("executable_paths", zed_sources_find_system(sources, "executable"),
		 baseline_executable[system], NULL, to);
	put_list("read_only_paths", zed_sources_find_system(sources, "read_only"),
		 baseline_read_only[system], NULL, to);
	put_writable(zed_sources_find_system(sources, "read_write"), system, to);
	for (size_t i = 0; i < COUNT(additional); i++)
		put_list(additional[i], zed_sources_find(sources, additional[i]), NULL, dirs->home,
			 to);
	str_printf(to, ",\n \"allow_network\": %s",
		   network == NULL || network->integer != 0 ? "true" : "false");
	put_list("allowed_env_vars", zed_sources_find(sources, "allowed_env_vars"), baseline_env,
		 NULL, to);
	str_add(to, "}\n");
}

void
zed_record_print_tracking(const char *project, struct str *to)
{
	static const char *const lists[] = {
		"executable_paths",	      "read_only_paths",
		"read_write_paths",	      "additional_executable_paths",
		"additional_read_only_paths", "additional_read_write_paths",
	};

	put_head(project, to);
	for (size_t i = 0; i < COUNT(lists); i++)
		put_list(lists[i], NULL, NULL, NULL, to);
	str_add(to, ",\n \"allow_network\": true,\n \"allowed_env_vars\": [],\n "
		    "\"tracking_only\": true}\n");
}
