// SPDX-License-Identifier: MIT
/*
 * Applies the policy of an unapproved project. It can only remove rights; anything beyond is listed
 * as a request and has no effect.
 */
#include <string.h>

#include "base/array.h"
#include "plan/environ.h"
#include "plan/trust_requests.h"
#include "policy/read/printer.h"
#include "sources/layers.h"
#include "sources/profile.h"

/* ---- files ---- */

/* Does everything below path have its rights? Then the project's rule adds nothing. */
static bool
allows_below(const struct verdict *verdict, unsigned rights)
{
	for (int i = 0; i < RIGHT_KINDS; i++) {
		const struct planned_rule *by = verdict->by[i].rule;

		if ((rights & (1u << i)) && by != NULL && by->match != MATCH_SUBPATH)
			return false;
	}
	return true;
}

static bool
is_protected(const struct verdict *verdict)
{
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (verdict->by[i].protection != NULL ||
		    (verdict->by[i].rule != NULL && verdict->by[i].rule->layer == LAYER_BUILTIN))
			return true;
	return false;
}

/* Requests everything that the dialect implies as one item. */
static int
request_implied(struct plan *plan, const struct policy *project, size_t count,
		struct cordon_error *err)
{
	const struct srcpos srcpos = {project->file, 0, 0};

	return count == 0 ? 0
			  : trust_requests_add(
				    plan, srcpos, err,
				    "what the %s form grants by itself (%zu paths; `cordon check "
				    "--print` "
				    "shows them)",
				    dialect_names[project->dialect], count);
}

/*
 * A deny narrows. An allow of rights that are granted anyway is kept as an exception from the
 * project's own denies. Any other allow is a request.
 */
static int
narrow_rule(struct plan *plan, const struct rule *rule, bool *ret_add, size_t *implied,
	    struct cordon_error *err)
{
	const char *path = NULL;
	struct verdict verdict;
	int rc;

	*ret_add = rule->effect == EFFECT_DENY;
	if (*ret_add)
		return 0;
	if (match_is_pattern(rule->match))
		return trust_requests_add_rule(plan, rule, NULL, "", err);
	rc = plan_rule_path(plan, rule, &path, err);
	if (rc < 0 || path == NULL)
		return rc;
	verdict = index_decide(&plan->index, path);
	*ret_add = !(rule->rights & ~verdict.rights) && allows_below(&verdict, rule->rights);
	if (*ret_add)
		return 0;
	if (rule->implied) {
		++*implied;
		return 0;
	}
	return trust_requests_add_rule(
		plan, rule, path,
		is_protected(&verdict) ? " (protected: no project can be granted it)" : "", err);
}

static int
narrow_rules(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	auto_free bool *add = calloc(project->rule_count + 1, sizeof *add);
	size_t implied = 0;
	int rc = 0;

	if (add == NULL)
		return cordon_no_memory(err);
	/* all rules are compared with the plan without the project, then added together */
	for (size_t i = 0; rc == 0 && i < project->rule_count; i++)
		rc = narrow_rule(plan, &project->rules[i], &add[i], &implied, err);
	if (rc == 0)
		rc = request_implied(plan, project, implied, err);
	for (size_t i = 0; rc == 0 && i < project->rule_count; i++)
		if (add[i])
			rc = plan_add_rule(plan, &project->rules[i], LAYER_PROJECT, err);
	return rc < 0 ? rc : index_finish(&plan->index, err);
}

static int
narrow_default(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	unsigned more = project->default_rights & ~plan->index.default_rights;
	char words[RIGHTS_WORDS];

	if (!project->has_default)
		return 0;
	plan->index.default_rights &= project->default_rights;
	policy_rights_to_words(more, words);
	return more == 0 ? 0
			 : trust_requests_add(plan, project->default_srcpos, err, "%s everywhere",
					      words);
}

/* ---- other settings ---- */

static int
narrow_sockets(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < project->sockets.count; i++) {
		const struct word *word = &project->sockets.items[i];
		const char *path = NULL;

		if (policy_words_have(&plan->settings.sockets, word->text))
			continue;
		rc = plan_socket_path(plan, word, &path, err);
		if (rc == 0)
			rc = trust_requests_add_socket(plan, word, path, err);
	}
	return rc;
}

/* Keeps names that pass now and that the project wants, when its mode removes the rest. */
static int
keep_passing(struct plan *plan, const struct words *wanted, struct cordon_error *err)
{
	struct words *allow = &plan->settings.env.allow;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < wanted->count; i++) {
		const struct word *word = &wanted->items[i];

		if (strchr(word->text, '*') == NULL &&
		    environ_decide(&plan->settings, word->text).passes)
			rc = policy_words_add(&plan->arena, allow, word, err);
	}
	return rc;
}

static int
narrow_env(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	struct environment *have = &plan->settings.env;
	const struct environment *wanted = &project->env;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < wanted->allow.count; i++) {
		const struct word *word = &wanted->allow.items[i];
		bool pattern = strchr(word->text, '*') != NULL;

		if (pattern ? !policy_words_have(&have->allow, word->text)
			    : !environ_decide(&plan->settings, word->text).passes)
			rc = trust_requests_add(plan, word->srcpos, err,
						"the environment variable %s", word->text);
	}
	for (size_t i = 0; rc == 0 && i < wanted->set_count; i++)
		rc = trust_requests_add(plan, wanted->set[i].srcpos, err, "%s set to \"%s\"",
					wanted->set[i].name, wanted->set[i].value);
	if (rc < 0 || wanted->mode == ENV_UNSET)
		return rc;
	if (wanted->mode > have->mode)
		return trust_requests_add(plan, wanted->srcpos, err, "the environment in mode %s",
					  env_names[wanted->mode]);
	rc = keep_passing(plan, &wanted->allow, err);
	have->mode = wanted->mode;
	return rc;
}

static int
narrow_limits(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < LIMIT_COUNT; i++) {
		const struct limit_value *wanted = &project->limits[i];
		struct limit_value *have = &plan->settings.limits[i];

		if (wanted->value == 0)
			continue;
		if (have->value == 0 || wanted->value <= have->value) {
			*have = *wanted;
		} else {
			auto_str struct str text = {0};

			printer_print_limit((enum limit)i, wanted->value, &text);
			rc = trust_requests_add(plan, wanted->srcpos, err,
						"the limit %s raised to %s", limit_names[i],
						text.failed ? "more" : text.text);
		}
	}
	return rc;
}

/* Replacing a base also drops its denies, so the request mentions that. */
static int
narrow_profiles(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	const struct srcpos srcpos = {project->file, 0, 0};
	int rc = 0;

	if (project->has_extends && project->extends.count == 0 &&
	    project->dialect == DIALECT_NATIVE)
		return trust_requests_add(plan, srcpos, err,
					  "to have no base profile, instead of the one in force");
	for (size_t i = 0; rc == 0 && i < project->extends.count; i++) {
		const struct word *word = &project->extends.items[i];
		const struct profile *profile = profile_find(word->text);

		if (layers_have_profile(plan->stack, word->text))
			continue;
		rc = trust_requests_add(
			plan, word->srcpos, err, "the profile %s%s", word->text,
			profile != NULL && profile_is_base(profile)
				? " instead of the one in force and all that it denies"
				: "");
	}
	return rc;
}

static int
narrow_accept(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < project->accept.count; i++)
		if (!plan->settings.accept[merge_guarantee_by_name(project->accept.items[i].text)])
			rc = trust_requests_add(plan, project->accept.items[i].srcpos, err,
						"to run without the guarantee %s",
						project->accept.items[i].text);
	return rc;
}

static int
narrow_tmp(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	if (project->tmp == TMP_PRIVATE)
		plan->settings.tmp = TMP_PRIVATE;
	if (project->tmp == TMP_SHARED && plan->settings.tmp != TMP_SHARED)
		return trust_requests_add(plan, project->tmp_srcpos, err, "the shared tmp folder");
	return 0;
}

static int
narrow_ipc(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	if (project->ipc == IPC_NONE)
		plan->settings.ipc = IPC_NONE;
	if (project->ipc == IPC_SYSV && plan->settings.ipc != IPC_SYSV)
		return trust_requests_add(
			plan, project->ipc_place, err,
			"System V queues, semaphores and memory of all your processes");
	return 0;
}

/* Not a right: an unapproved project may only ask for more caution. */
static int
narrow_on_refusal(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	(void)err;
	if (project->on_refusal == ON_REFUSAL_STOP)
		plan->settings.on_refusal = ON_REFUSAL_STOP;
	return 0;
}

/* The log has command lines, which the other users of a system's log may read. */
static int
narrow_log(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	if (project->log == EVENT_LOG_UNSET || project->log == plan->settings.log)
		return 0;
	return trust_requests_add(plan, project->log_place, err, "to have events logged to \"%s\"",
				  event_log_names[project->log]);
}

static int
note_off(struct plan *plan, struct cordon_error *err)
{
	const struct policy *project = plan->stack->project;

	if (project->dialect != DIALECT_ZED || project->has_extends)
		return 0;
	return plan_notice(plan, err,
			   "%s requests no sandbox here; that is never granted to a project",
			   project->file);
}

int
plan_narrow(struct plan *plan, struct cordon_error *err)
{
	static int (*const steps[])(struct plan *, const struct policy *, struct cordon_error *) = {
		narrow_profiles, narrow_accept,	 narrow_rules,	    narrow_default,
		narrow_net,	 narrow_sockets, narrow_env,	    narrow_limits,
		narrow_tmp,	 narrow_ipc,	 narrow_on_refusal, narrow_log,
	};
	const struct policy *project = plan->stack->project;
	int rc = 0;

	if (project == NULL)
		return 0;
	for (size_t i = 0; rc == 0 && !plan->stack->project_trusted && i < COUNT(steps); i++)
		rc = steps[i](plan, project, err);
	return rc < 0 ? rc : note_off(plan, err);
}
