// SPDX-License-Identifier: MIT
/* The functions behind cordon check and cordon init. Nothing here runs a command or approves anything. */
#include <string.h>

#include "discover/context.h"
#include "explain/lint/lint.h"
#include "explain/starter.h"
#include "policy/read/printer.h"
#include "review/tree_check.h"

static void
print_finding(const struct lint_finding *finding, struct str *to)
{
	str_visible(to, finding->srcpos.file);
	if (finding->srcpos.line != 0)
		str_printf(to, ":%u:%u", finding->srcpos.line, finding->srcpos.column);
	str_printf(to, ": %s: ", finding->severity == LINT_WARNING ? "warning" : "note");
	str_visible(to, finding->text);
	str_add(to, "\n");
}

static void
print_finding_json(const struct lint_finding *finding, struct str *to)
{
	str_printf(to, "{\"severity\": \"%s\", \"source\": ",
		   finding->severity == LINT_WARNING ? "warning" : "note");
	str_json(to, finding->srcpos.file);
	str_printf(to, ", \"line\": %u, \"column\": %u, \"text\": ", finding->srcpos.line,
		   finding->srcpos.column);
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
	const struct stack_text only = {file, NULL};
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

/* ---- refs ---- */

struct texts {
	const char **items;
	size_t count;
};

struct judging {
	struct arena arena;
	const char *ref, *project;
	const char *name;    /* the name by which it is found now */
	struct texts looked; /* ids of the trees checked so far */
	struct findings findings;
	bool is_failed;
};

/* A finding usually appears with and without replace refs: report it once. */
static bool
is_found(const struct findings *findings, const struct lint_finding *one)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].srcpos.file, one->srcpos.file) == 0 &&
		    strcmp(findings->items[i].text, one->text) == 0)
			return true;
	return false;
}

static void
judge_committed(void *sink, const struct committed *one)
{
	struct judging *j = sink;
	struct lint_finding *slot,
		made = {
			.severity = one->is_same ? LINT_NOTE : LINT_WARNING,
			.srcpos.file = arena_printf(&j->arena, NULL, "%s:%s", j->name,
						    one->path + strlen(j->project) + 1),
			.text = arena_printf(&j->arena, NULL, "%s; %s", one->reason,
					     one->is_same ? "it is the same in the working tree"
							  : "a checkout brings it"),
		};

	j->is_failed = j->is_failed || made.srcpos.file == NULL || made.text == NULL;
	if (j->is_failed || is_found(&j->findings, &made))
		return;
	slot = arena_push(&j->arena, &j->findings.items, &j->findings.count, sizeof *slot, NULL);
	j->is_failed = slot == NULL;
	if (slot != NULL)
		*slot = made;
}

/* Where git searches an abbreviated ref name; the order depends on the git command. */
static const struct {
	const char *before, *after;
} places[] = {{"", ""},
	      {"refs/heads/", ""},
	      {"refs/tags/", ""},
	      {"refs/remotes/", ""},
	      {"refs/remotes/", "/HEAD"},
	      {"refs/", ""}};

/* Returns 1 with the tree that git finds by this name in *ret, 0 if there is none. */
static int
find_tree(struct arena *arena, const struct git_run *in, const char *name, const char **ret,
	  struct cordon_error *err)
{
	const char *wanted = arena_printf(arena, err, "%s^{tree}", name);
	const char *verify[] = {"rev-parse",	    "--verify", "--quiet",
				"--end-of-options", wanted,	NULL};
	struct git_run_text said = {NULL, 0};
	int rc = wanted == NULL ? -CORDON_E_MEMORY : git_run_query(in, verify, NULL, &said, err);

	if (rc == 1)
		*ret = arena_strndup(arena, said.text, strcspn(said.text, "\n"), err);
	free(said.text);
	return rc == 1 && *ret == NULL ? -CORDON_E_MEMORY : rc;
}

/* Lists ref names, full and short. */
static void
list_refs(struct arena *arena, const struct git_run *in, const char *format, struct texts *ret)
{
	const char *all[] = {"for-each-ref", format, NULL};
	struct git_run_text said = {NULL, 0};

	if (git_run_query(in, all, NULL, &said, NULL) == 1)
		for (const char *at = said.text; *at != '\0';
		     at += strcspn(at, "\n"), at += *at == '\n') {
			const char **slot =
				arena_push(arena, &ret->items, &ret->count, sizeof *slot, NULL);

			if (slot != NULL)
				*slot = arena_strndup(arena, at, strcspn(at, "\n"), NULL);
		}
	free(said.text);
}

static int
refuse_ref(struct arena *arena, const struct git_run *in, const char *ref, struct cordon_error *err)
{
	struct texts names = {NULL, 0};
	const char *nearest;

	list_refs(arena, in, "--format=%(refname:short)", &names);
	nearest = names.count == 0 ? NULL : str_nearest_word(ref, names.items, names.count);
	return cordon_fail(err, CORDON_E_USAGE, 0,
			   "%.100s is not a commit of this repository%s%.60s%s", ref,
			   nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest,
			   nearest == NULL ? "" : "?");
}

/* Checks each tree once, under the first name that leads to it. */
static int
judge_tree(const struct git_run *in, const char *name, struct judging *j, struct cordon_error *err)
{
	const char *tree = NULL, **slot;
	int rc = find_tree(&j->arena, in, name, &tree, err);

	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < j->looked.count; i++)
		if (strcmp(j->looked.items[i], tree) == 0)
			return 1;
	slot = arena_push(&j->arena, &j->looked.items, &j->looked.count, sizeof *slot, err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = tree;
	j->name = name;
	rc = tree_check(in, tree, judge_committed, j, err);
	if (rc == 1 && j->is_failed)
		return cordon_no_memory(err);
	return rc != 0 ? rc
		       : cordon_fail(err, CORDON_E_SYSTEM, 0, "git cannot read all of %.100s",
				     name);
}

/* Checkout of a branch that only a remote has creates the local branch from the remote one. */
static int
judge_remotes(const struct git_run *in, struct judging *j, struct cordon_error *err)
{
	struct texts names = {NULL, 0};
	size_t length = strlen(j->ref);
	int rc, found = 0;

	list_refs(&j->arena, in, "--format=%(refname)", &names);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		size_t at = name == NULL ? 0 : strlen(name);

		if (at <= length || !str_starts(name, "refs/remotes/") ||
		    name[at - length - 1] != '/' || strcmp(name + at - length, j->ref) != 0)
			continue;
		rc = judge_tree(in, name, j, err);
		if (rc < 0)
			return rc;
		found = found || rc == 1;
	}
	return found;
}

static int
judge_places(const struct git_run *in, struct judging *j, struct cordon_error *err)
{
	bool is_there = false, is_branch = false;
	int rc;

	j->looked = (struct texts){NULL, 0};
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		const char *name = arena_printf(&j->arena, err, "%s%s%s", places[i].before, j->ref,
						places[i].after);

		rc = name == NULL ? -CORDON_E_MEMORY : judge_tree(in, name, j, err);
		if (rc < 0)
			return rc;
		is_there = is_there || rc == 1;
		is_branch = is_branch || (rc == 1 && i == 1);
	}
	rc = is_branch || strcmp(j->ref, "HEAD") == 0 ? is_there : judge_remotes(in, j, err);
	return rc < 0 ? rc : is_there || rc == 1;
}

static int
judge_ref(const struct plan *plan, const char *ref, struct judging *j, struct cordon_error *err)
{
	struct git_run in;
	int rc = git_run_open(&j->arena, plan, &in, err);

	if (rc < 0)
		return rc;
	if (in.git_dir == NULL)
		return cordon_fail(err, CORDON_E_USAGE, 0, "there is no git repository at %.180s",
				   plan->host->project);
	if (in.program == NULL)
		return cordon_fail(err, CORDON_E_SYSTEM, 0,
				   "cannot read %.100s: git is not installed", ref);
	j->project = plan->host->project;
	git_run_limit(&in);
	rc = *ref == '\0' ? 0 : judge_places(&in, j, err);
	if (rc == 0 && git_run_is_late(&in))
		return cordon_fail(
			err, CORDON_E_SYSTEM, 0,
			"git took too long to read %.100s; is a file of the repository a pipe?",
			ref);
	if (rc == 0)
		return refuse_ref(&j->arena, &in, ref, err);
	in.with_replacements = rc == 1 && git_run_has_replacements(&in);
	if (in.with_replacements)
		rc = judge_places(&in, j, err);
	return rc < 0 ? rc : 0;
}

int
cordon_check_ref(const struct cordon_setup *setup, const char *ref, enum cordon_format format,
		 char **ret_text, int *ret_warnings, struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	auto_str struct str text = {0};
	struct judging judging = {.ref = ref};
	int warnings = 0, rc = context_open(setup, CONTEXT_LOOK, &context, err);

	if (rc == 0)
		rc = context_plan(context, setup, CONTEXT_LOOK, NULL, err);
	if (rc == 0)
		rc = judge_ref(context->plan, ref, &judging, err);
	if (rc == 0)
		print_findings(&judging.findings, format == CORDON_JSON, &text);
	for (size_t i = 0; rc == 0 && i < judging.findings.count; i++)
		warnings += judging.findings.items[i].severity == LINT_WARNING;
	arena_free(&judging.arena);
	rc = rc < 0 ? rc : str_finish(&text, ret_text, err);
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
	struct stack_text named = {file, NULL};
	struct stack_input input;
	int rc;

	if (file == NULL && setup->text_count != 1)
		return cordon_fail(err, CORDON_E_USAGE, 0, "--print prints one policy; name it");
	if (file == NULL)
		named = setup->texts[0];
	rc = context_open(setup, CONTEXT_LOOK, &context, err);
	if (rc < 0)
		return rc;
	context_input(context, setup, &input);
	rc = layers_read_one(&input, &named, &policy, err);
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
	/* ignore the existing project policy: it is about to be replaced, or it is in the way */
	struct cordon_setup afresh = *setup;
	int rc = context_open(setup, CONTEXT_RUN, &context, err);

	afresh.no_project_policy = true;
	if (rc == 0 && context->host.has_no_project)
		rc = project_fail(context, err);
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
