// SPDX-License-Identifier: MIT
/*
 * Makes a plan in order: built-in rules, the stack from most to least trusted, then an unapproved
 * project, which can only remove rights from the result.
 */
#include "plan/plan.h"

#include <stdarg.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "host/prefetch.h"
#include "plan/certificates.h"
#include "plan/exec_rules.h"
#include "plan/registries.h"

#define APPROVALS "cordon's approvals and logs"

struct plan *
plan_free(struct plan *plan)
{
	if (plan == NULL)
		return NULL;
	index_free(&plan->index);
	layers_free(plan->stack);
	arena_free(&plan->arena);
	free(plan);
	return NULL;
}

int
plan_notice(struct plan *plan, struct cordon_error *err, const char *format, ...)
{
	const char **slot = NULL;
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(&plan->arena, err, format, args);
	va_end(args);
	if (text != NULL)
		slot = arena_push(&plan->arena, &plan->notices, &plan->notice_count, sizeof *slot,
				  err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = text;
	return 0;
}

int
plan_gaps(const struct plan *plan)
{
	int gaps = 0;

	for (int i = 0; i < G_COUNT; i++)
		gaps += plan->guarantees[i].status == GUARANTEE_GAP;
	return gaps;
}

/* Adds a deny of cordon's own files, which no policy can override. */
static int
add_builtin(struct plan *plan, const char *path, unsigned rights, enum match match, const char *why,
	    struct cordon_error *err)
{
	struct rule *rule;

	if (path == NULL)
		return 0;
	rule = arena_alloc(&plan->arena, sizeof *rule, err);
	if (rule == NULL)
		return -CORDON_E_MEMORY;
	*rule = (struct rule){.effect = EFFECT_DENY,
			      .rights = rights,
			      .match = match,
			      .list = LIST_RULES,
			      .path = path,
			      .why = why,
			      .srcpos = {"built-in", 0, 0}};
	return plan_add_rule(plan, rule, LAYER_BUILTIN, err);
}

static int
add_folders(struct plan *plan, struct cordon_error *err)
{
	const struct host *host = plan->host;
	/* subdirectories are listed as well, because each may be a link */
	const struct {
		const char *folder, *below;
		unsigned rights;
		const char *why;
	} rows[] = {
		{host->system_dir, "", RIGHTS_CHANGE, "the system's policy files"},
		{host->config_dir, "", RIGHTS_CHANGE, "the user's policy files"},
		{host->state_dir, "", RIGHTS_ALL, APPROVALS},
		{host->state_dir, "trust", RIGHTS_ALL, APPROVALS},
		{host->state_dir, "audit", RIGHTS_ALL, APPROVALS},
		{host->runtime_dir, "", RIGHTS_ALL, "cordon's live sessions"},
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < COUNT(rows); i++) {
		const char *path = rows[i].folder;

		if (path != NULL && *rows[i].below != '\0')
			path = path_join(&plan->arena, path, rows[i].below, err);
		if (path == NULL && rows[i].folder != NULL)
			return -CORDON_E_MEMORY;
		rc = add_builtin(plan, path, rows[i].rights, MATCH_SUBPATH, rows[i].why, err);
	}
	return rc;
}

static int
add_builtins(struct plan *plan, struct cordon_error *err)
{
	const struct host *host = plan->host;
	const struct stack *stack = plan->stack;
	int rc = add_folders(plan, err);

	for (size_t i = 0; rc == 0 && i < stack->file_count; i++) {
		const char *file = stack->files[i];

		if (*file != '/')
			file = path_join(&plan->arena, host->cwd, file, err);
		if (file == NULL)
			return -CORDON_E_MEMORY;
		rc = add_builtin(plan, file, RIGHTS_CHANGE, MATCH_LITERAL,
				 "a policy file of this run", err);
	}
	return rc;
}

/* "tmp": "shared" is an ordinary grant, unless an unapproved project wants a private one. */
static int
add_shared_tmp(struct plan *plan, struct cordon_error *err)
{
	static const struct rule rules[] = {
		{.effect = EFFECT_ALLOW,
		 .rights = RIGHTS_ALL,
		 .path = "/tmp",
		 .optional = true,
		 .srcpos = {"\"tmp\": \"shared\"", 0, 0}},
		{.effect = EFFECT_ALLOW,
		 .rights = RIGHTS_ALL,
		 .path = "$TMPDIR",
		 .optional = true,
		 .srcpos = {"\"tmp\": \"shared\"", 0, 0}},
	};
	const struct stack *stack = plan->stack;
	bool narrowed = stack->project != NULL && !stack->project_trusted &&
			stack->project->tmp == TMP_PRIVATE;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < COUNT(rules); i++)
		if (plan->settings.tmp == TMP_SHARED && !narrowed)
			rc = plan_add_rule(plan, &rules[i], LAYER_PROFILE, err);
	return rc;
}

static int
add_policy(struct plan *plan, const struct policy *policy, enum layer layer, struct fs_cache *cache,
	   struct cordon_error *err)
{
	struct prefetch prefetch;
	size_t before = prefetch_start(&prefetch, cache, policy->rules, policy->rule_count);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < policy->rule_count; i++) {
		if (i == before)
			prefetch_end(&prefetch, cache);
		rc = plan_add_rule(plan, &policy->rules[i], layer, err);
	}
	prefetch_end(&prefetch, NULL);
	return rc;
}

static int
add_stack(struct plan *plan, struct fs_cache *cache, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->stack->count; i++)
		rc = add_policy(plan, plan->stack->entries[i].policy, plan->stack->entries[i].layer,
				cache, err);
	return rc;
}

static int
note_git(struct plan *plan, struct cordon_error *err)
{
	if (plan->host->git.refused == NULL)
		return 0;
	return plan_notice(plan, err,
			   "the project's .git file is ignored: %s; git's own folders stay closed",
			   plan->host->git.refused);
}

/* Only -C makes a home, or what contains one, the project. */
static int
note_home(struct plan *plan, struct cordon_error *err)
{
	const struct host *host = plan->host;

	if (host->home == NULL || host->project == NULL || *host->project == '\0' ||
	    host->has_no_project || !path_below(host->home, host->project) ||
	    !(index_rights(&plan->index, host->home) & RIGHT_WRITE))
		return 0;
	return plan_notice(plan, err,
			   "the project is %s: everything in your home can be read and changed, "
			   "keys and start-up files too; a folder in it is safer",
			   host->project);
}

static int
note_holes(struct plan *plan, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < plan->stack->count; i++) {
		const struct policy *policy = plan->stack->entries[i].policy;

		for (size_t j = 0; rc == 0 && j < policy->hole_count; j++)
			if (policy->holes[j].at_start)
				rc = plan_notice(plan, err, "%s:%u:%u: %s", policy->file,
						 policy->holes[j].srcpos.line,
						 policy->holes[j].srcpos.column,
						 policy->holes[j].text);
	}
	return rc;
}

static int
build(struct plan *plan, const struct trust *trust, struct fs_cache *cache,
      struct cordon_error *err)
{
	int rc = merge_settings(&plan->arena, plan->stack, &plan->settings, err);

	if (rc == 0)
		rc = mounts_read(&plan->arena, plan->host->mounts, &plan->mounts, err);
	if (rc == 0)
		rc = protected_make(&plan->index.arena, plan->host, &plan->index.protections, err);
	if (rc == 0)
		rc = add_builtins(plan, err);
	if (rc == 0)
		rc = add_shared_tmp(plan, err);
	if (rc == 0)
		rc = certificates_grant(plan, err);
	if (rc == 0)
		rc = add_stack(plan, cache, err);
	if (rc < 0)
		return rc;
	plan->index.default_rights = plan->settings.default_rights;
	rc = index_finish(&plan->index, err);
	if (rc == 0)
		rc = plan_check_links(plan, err);
	if (rc == 0)
		rc = plan_check_pins(plan, trust, err);
	if (rc == 0)
		rc = plan_narrow(plan, err);
	if (rc == 0)
		rc = plan_add_sockets(plan, err);
	if (rc == 0)
		rc = plan_check_socket_pins(plan, trust, err);
	if (rc == 0)
		rc = plan_note_requests(plan, err);
	if (rc == 0)
		rc = certificates_pass(plan, err);
	if (rc == 0)
		rc = registries_pass(plan, err);
	if (rc == 0)
		rc = note_home(plan, err);
	if (rc == 0)
		rc = note_git(plan, err);
	if (rc == 0)
		rc = note_holes(plan, err);
	if (rc == 0)
		rc = plan_mark_absent(plan, err);
	if (rc == 0)
		rc = exec_gaps_find(plan, err);
	if (rc == 0)
		plan_check_guarantees(plan);
	return rc;
}

int
plan_make(const struct host *host, const struct facts *facts, struct stack *stack,
	  const struct trust *trust, struct plan **ret_plan, struct cordon_error *err)
{
	auto_plan struct plan *plan = calloc(1, sizeof *plan);
	struct host cached_host = *host;
	struct fs_cache cache;
	int rc;

	if (plan == NULL) {
		layers_free(stack);
		return cordon_no_memory(err);
	}
	plan->facts = *facts;
	plan->stack = stack;
	fs_cache_start(&cache, host->view);
	cached_host.view = &cache.view;
	plan->host = &cached_host;
	rc = build(plan, trust, &cache, err);
	plan->host = host;
	fs_cache_end(&cache);
	if (rc < 0)
		return rc;
	*ret_plan = take(&plan);
	return 0;
}
