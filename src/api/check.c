// SPDX-License-Identifier: MIT
/* Reading and judging policy text, and the starter policy. Nothing here runs or approves anything. */
#include <string.h>

#include "api/setup.h"
#include "base/path.h"
#include "plan/lint.h"
#include "plan/starter.h"
#include "policy/printer.h"

static void
print_finding(const struct finding *finding, struct str *to)
{
	str_visible(to, finding->place.file);
	if (finding->place.line != 0)
		str_printf(to, ":%u:%u", finding->place.line, finding->place.column);
	str_printf(to, ": %s: ", finding->severity == LINT_WARNING ? "warning" : "note");
	str_visible(to, finding->text);
	str_add(to, "\n");
}

static void
print_finding_json(const struct finding *finding, struct str *to)
{
	str_printf(to, "{\"severity\": \"%s\", \"source\": ",
		   finding->severity == LINT_WARNING ? "warning" : "note");
	str_json(to, finding->place.file);
	str_printf(to, ", \"line\": %u, \"column\": %u, \"text\": ", finding->place.line,
		   finding->place.column);
	str_json(to, finding->text);
	str_add(to, "}");
}

static void
print_findings(const struct findings *findings, bool json, struct str *to)
{
	if (json)
		str_add(to, "[");
	for (size_t i = 0; i < findings->count; i++) {
		if (!json) {
			print_finding(&findings->items[i], to);
			continue;
		}
		str_add(to, i == 0 ? "\n  " : ",\n  ");
		print_finding_json(&findings->items[i], to);
	}
	if (json)
		str_add(to, findings->count > 0 ? "\n]\n" : "]\n");
}

int
cordon_check(const struct cordon_setup *setup, const char *file, enum cordon_format format,
	     char **ret_text, int *ret_warnings, struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	auto_str struct str text = {0};
	const struct stack_text only = {file, false};
	struct findings findings = {0};
	int warnings = 0;
	int rc = context_open(setup, CONTEXT_LOOK, &context, err);

	if (rc == 0)
		rc = context_plan(context, setup, CONTEXT_LOOK, file == NULL ? NULL : &only, err);
	if (rc == 0)
		rc = lint_plan(context->plan, &findings, err);
	if (rc < 0)
		return rc;
	print_findings(&findings, format == CORDON_JSON, &text);
	for (size_t i = 0; i < findings.count; i++)
		warnings += findings.items[i].severity == LINT_WARNING;
	rc = str_finish(&text, ret_text, err);
	if (rc == 0)
		*ret_warnings = warnings;
	return rc;
}

int
cordon_check_print(const struct cordon_setup *setup, const char *file, char **ret_text,
		   struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	auto_policy struct policy *policy = NULL;
	auto_str struct str text = {0};
	struct stack_text named = {file, false};
	struct stack_input input;
	int rc;

	if (file == NULL && setup->text_count != 1)
		return cordon_fail(err, CORDON_E_USAGE, 0, "name the one policy to print");
	if (file == NULL)
		named = setup->texts[0];
	rc = context_open(setup, CONTEXT_LOOK, &context, err);
	if (rc < 0)
		return rc;
	context_input(context, setup, &input);
	rc = stack_read_one(&input, &named, &policy, err);
	if (rc < 0)
		return rc;
	policy_print(policy, &text);
	return str_finish(&text, ret_text, err);
}

int
cordon_init_policy(const struct cordon_setup *setup, char **ret_text, char **ret_path,
		   struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	auto_str struct str text = {0}, path = {0};
	/* what is there is about to be replaced, or in the way: it does not count */
	struct cordon_setup afresh = *setup;
	int rc = context_open(setup, CONTEXT_RUN, &context, err);

	afresh.no_project_policy = true;
	if (rc == 0)
		rc = context_plan(context, &afresh, CONTEXT_RUN, NULL, err);
	if (rc == 0)
		rc = starter_make(context->plan, &text, err);
	if (rc < 0)
		return rc;
	str_printf(&path, "%s/%s", context->host.project, PROJECT_POLICY_NAME);
	rc = str_finish(&path, ret_path, err);
	if (rc < 0)
		return rc;
	rc = str_finish(&text, ret_text, err);
	if (rc < 0) {
		free(*ret_path);
		*ret_path = NULL;
	}
	return rc;
}
