// SPDX-License-Identifier: MIT
/* cordon_record(): from an editor's settings to the record for its wrapper. */
#include <stdio.h>

#include "base/fd.h"
#include "base/json.h"
#include "discover/context.h"
#include "policy/read/zed_record.h"

struct reading {
	struct arena tree;
	struct reading_as as;
	struct policy *notes; /* receives the reason why settings do not apply */
	const struct cordon_plan *context;
	const struct cordon_setup *setup;
	struct zed_sources sources;
	const struct json *last;
};

/* Checks the file as -p zed:FILE does, owner and folder included, then keeps its sandbox objects. */
static int
add_file(struct reading *reading, const char *file, struct cordon_error *err)
{
	struct policy_reading r = {reading->notes, &reading->as, err};
	auto_policy struct policy *checked = NULL;
	auto_str struct str argument = {0};
	struct stack_input input;
	size_t length;
	char *text;
	int rc;

	str_printf(&argument, "zed:%s", file);
	if (argument.failed)
		return cordon_no_memory(err);
	context_input(reading->context, reading->setup, &input);
	rc = layers_read_one(&input, &(struct stack_text){argument.text, NULL}, &checked, err);
	if (rc == 0)
		rc = fd_read_file(&reading->tree, file, JSON_SIZE_MAX, &text, &length, NULL, err);
	if (rc == 0)
		rc = json_read(&reading->tree, file, text, length, &reading->last, err);
	if (rc < 0)
		return rc;
	if (zed_is_record(reading->last))
		return cordon_fail(err, CORDON_E_USAGE, 0, "%s is a record already", file);
	reading->notes->file = file;
	return zed_sources_add(&r, &reading->sources, reading->last);
}

/* Returns 1 if the settings apply; else *ret_text says why not. */
static int
applies(struct reading *reading, char **ret_text, struct cordon_error *err)
{
	struct policy_reading r = {reading->notes, &reading->as, err};
	auto_str struct str why = {0};
	int rc = zed_sources_apply(&r, &reading->sources, reading->last);

	if (rc != 0)
		return rc;
	str_add(&why, reading->notes->holes[reading->notes->hole_count - 1].text);
	return str_finish(&why, ret_text, err);
}

static int
print_record(struct reading *reading, const char *const *files, char **ret_text,
	     struct cordon_error *err)
{
	const struct host *host = &reading->context->host;
	const struct zed_record_dirs dirs = {host->system, host->project, host->home};
	auto_str struct str text = {0};
	int rc = 0;

	for (; rc == 0 && *files != NULL; files++)
		rc = add_file(reading, *files, err);
	if (rc == 0)
		rc = applies(reading, ret_text, err);
	if (rc <= 0)
		return rc;
	zed_record_print(&reading->sources, &dirs, &text);
	rc = str_finish(&text, ret_text, err);
	return rc < 0 ? rc : 1;
}

int
cordon_record(const struct cordon_setup *setup, const char *const *files, char **ret_text,
	      struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	auto_policy struct policy *notes = policy_new("settings", err);
	struct reading reading = {.notes = notes, .setup = setup};
	auto_str struct str text = {0};
	int rc = notes == NULL ? -CORDON_E_MEMORY
			       : context_open(setup, CONTEXT_LOOK, &context, err);

	if (rc < 0)
		return rc;
	if (*files == NULL) {
		zed_record_print_tracking(context->host.project, &text);
		rc = str_finish(&text, ret_text, err);
		return rc < 0 ? rc : 1;
	}
	reading.context = context;
	reading.as = (struct reading_as){.dialect = DIALECT_ZED,
					 .system = context->host.system,
					 .command = setup->command};
	rc = print_record(&reading, files, ret_text, err);
	arena_free(&reading.tree);
	return rc;
}
