// SPDX-License-Identifier: MIT
/*
 * Runs the checks from tables, and sorts the findings. The checks are in lint_rules (one rule),
 * lint_conflicts (rules against each other), lint_settings (the rest of a text) and lint_secrets
 * (secrets in files). Must not change what a plan decides.
 */
#include "explain/lint/lint.h"

#include <stdarg.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/str.h"
#include "explain/lint/lint_checks.h"
#include "explain/why.h"
#include "host/resolve.h"
#include "policy/read/reader.h"
#include "sources/profile.h"

#define GUESSES_MAX 32

int
lint_add(struct linter *l, enum severity severity, struct srcpos srcpos, const char *format, ...)
{
	auto_str struct str visible = {0};
	struct lint_finding *finding;
	va_list args;
	char *text, *copy;

	va_start(args, format);
	text = arena_vprintf(&l->scratch, l->err, format, args);
	va_end(args);
	if (text == NULL)
		return -CORDON_E_MEMORY;
	str_visible(&visible, text);
	if (visible.failed)
		return cordon_no_memory(l->err);
	copy = arena_strdup(&l->plan->arena, visible.text, l->err);
	finding = copy == NULL ? NULL
			       : arena_push(&l->plan->arena, &l->to->items, &l->to->count,
					    sizeof *finding, l->err);
	if (finding == NULL)
		return -CORDON_E_MEMORY;
	*finding = (struct lint_finding){severity, srcpos, copy};
	return 0;
}

const char *
lint_source(struct linter *l, const struct planned_rule *rule)
{
	auto_str struct str source = {0};
	const char *copy = NULL;

	why_source(rule, &source);
	if (!source.failed)
		copy = arena_strdup(&l->scratch, source.text, NULL);
	return copy == NULL ? rule->rule->srcpos.file : copy;
}

bool
lint_is_own(const struct planned_rule *rule)
{
	return rule->layer > LAYER_PROFILE && rule->rights != 0 && !rule->is_alias;
}

bool
lint_decides(const struct verdict *verdict, const struct planned_rule *rule, unsigned rights)
{
	for (int i = 0; i < RIGHT_KINDS; i++)
		if ((rights & verdict->rights & (1u << i)) && verdict->by[i].rule == rule)
			return true;
	return false;
}

const char *
lint_opened(struct linter *l, const struct planned_rule *by)
{
	auto_str struct str list = {0};
	size_t count = 0;

	for (size_t i = 0; i < l->secret_count; i++) {
		const struct opened *secret = &l->secrets[i];

		if (!secret->open || secret->by != by)
			continue;
		if (count++ < 3)
			str_printf(&list, "%s%s", count == 1 ? "" : ", ", secret->written);
	}
	if (count > 3)
		str_printf(&list, " and %zu more", count - 3);
	return count == 0 || list.failed ? NULL : arena_strdup(&l->scratch, list.text, NULL);
}

/* ---- lookups ---- */

/* *ret->path stays NULL for a token without a value on this host. */
static int
locate(struct linter *l, const char *written, struct resolved *ret)
{
	const struct token_text text = {written, {"", 0, 0}, true, false};
	const char *path = NULL;
	int rc = host_expand_token(&l->scratch, l->plan->host, &text, &path, l->err);

	*ret = (struct resolved){0};
	if (rc < 0 || path == NULL)
		return rc;
	rc = resolve_path(&l->scratch, l->plan->host->view, path, ret, NULL);
	return rc == -CORDON_E_MEMORY ? cordon_no_memory(l->err) : 0;
}

static int
find_home(struct linter *l)
{
	struct resolved resolved;
	int rc = l->plan->host->home == NULL ? 0 : locate(l, "~", &resolved);

	if (rc == 0 && l->plan->host->home != NULL)
		l->home = resolved.path;
	return rc;
}

static int
add_secret(struct linter *l, const char *written)
{
	/* files of another system are unknown, so none counts as missing */
	bool unknown = l->plan->host->view == &fs_macos_minimal;
	struct resolved resolved;
	struct opened *slot;
	struct verdict verdict;
	int rc = locate(l, written, &resolved);

	if (rc < 0 || resolved.path == NULL || (!resolved.exists && !unknown) ||
	    !path_below(resolved.path, l->home))
		return rc;
	slot = arena_push(&l->scratch, &l->secrets, &l->secret_count, sizeof *slot, l->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	verdict = index_decide(&l->plan->index, resolved.path);
	slot->path = resolved.path;
	slot->written = arena_strdup(&l->scratch, written, l->err);
	slot->open = (verdict.rights & RIGHT_READ) != 0;
	slot->by = verdict.by[0].rule;
	return slot->written == NULL ? -CORDON_E_MEMORY : 0;
}

/* The secrets are the denies of the profile open-reads. */
static int
find_secrets(struct linter *l)
{
	const struct reading_as as = {DIALECT_NATIVE, NULL, l->plan->host->system,
				      l->plan->host->command};
	const struct profile *profile = profile_find("open-reads");
	auto_policy struct policy *policy = NULL;
	int rc;

	if (profile == NULL || l->home == NULL)
		return 0;
	rc = policy_read(profile->name, profile->text, strlen(profile->text), &as, &policy, l->err);
	for (size_t i = 0; rc == 0 && i < policy->rule_count; i++)
		if (policy->rules[i].effect == EFFECT_DENY &&
		    policy->rules[i].match == MATCH_SUBPATH)
			rc = add_secret(l, policy->rules[i].path);
	return rc;
}

static int
add_dir(struct linter *l, const char *path)
{
	const char *project = l->plan->host->project;
	struct program_dir *slot;
	struct resolved resolved;
	int rc;

	if (*path != '/')
		return 0;
	rc = resolve_path(&l->scratch, l->plan->host->view, path, &resolved, NULL);
	if (rc < 0)
		return rc == -CORDON_E_MEMORY ? cordon_no_memory(l->err) : 0;
	/* programs of the project may be changed in the project */
	if (project != NULL && path_below(resolved.path, project))
		return 0;
	slot = arena_push(&l->scratch, &l->dirs, &l->dir_count, sizeof *slot, l->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct program_dir){resolved.path, index_decide(&l->plan->index, resolved.path)};
	return 0;
}

static int
find_dirs(struct linter *l)
{
	const char *at = host_getenv(l->plan->host, "PATH");
	int rc = 0;

	while (rc == 0 && at != NULL && *at != '\0') {
		size_t length = strcspn(at, ":");
		char *path = arena_strndup(&l->scratch, at, length, l->err);

		rc = path == NULL ? -CORDON_E_MEMORY : add_dir(l, path);
		at += length + (at[length] == ':');
	}
	return rc;
}

/* ---- the tables ---- */

typedef int rule_check(struct linter *l, struct planned_rule *rule);
typedef int text_check(struct linter *l, const struct lint_text *text);
typedef int plan_check(struct linter *l);

static rule_check *const rule_checks[] = {
	lint_missing,	lint_secret, lint_wide,	      lint_programs, lint_builtin,
	lint_protected, lint_whole,  lint_everything, lint_reach,    lint_reopened,
};
static text_check *const text_checks[] = {
	lint_holes, lint_accept,  lint_domains, lint_ech,     lint_opaque,
	lint_env,   lint_sockets, lint_default, lint_letters,
};
static plan_check *const plan_checks[] = {lint_pairs, lint_requests, lint_startup};

static int
check_rules(struct linter *l, struct planned_rule *rules, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; rc == 0 && lint_is_own(&rules[i]) && k < COUNT(rule_checks); k++)
			rc = rule_checks[k](l, &rules[i]);
	return rc;
}

static int
check_text(struct linter *l, const struct policy *policy, bool in_force)
{
	const struct lint_text text = {policy, in_force};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < COUNT(text_checks); i++)
		rc = text_checks[i](l, &text);
	return rc;
}

static int
check_texts(struct linter *l)
{
	const struct stack *stack = l->plan->stack;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < stack->count; i++)
		if (stack->entries[i].layer != LAYER_PROFILE)
			rc = check_text(l, stack->entries[i].policy, true);
	if (rc == 0 && stack->project != NULL && !stack->project_trusted)
		rc = check_text(l, stack->project, false);
	return rc;
}

/* ---- the order ---- */

static int
compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int
by_place(const void *a, const void *b)
{
	const struct lint_finding *x = a, *y = b;
	int order = strcmp(x->srcpos.file, y->srcpos.file);

	if (order == 0)
		order = compare_numbers(x->srcpos.line, y->srcpos.line);
	if (order == 0)
		order = compare_numbers(x->srcpos.column, y->srcpos.column);
	if (order == 0)
		order = (int)y->severity - (int)x->severity;
	return order != 0 ? order : strcmp(x->text, y->text);
}

/* Sorts, and removes duplicates: a rule for several paths has the same finding for each. */
static void
sort_findings(struct findings *findings)
{
	size_t kept = 0;

	if (findings->count > 1)
		qsort(findings->items, findings->count, sizeof findings->items[0], by_place);
	for (size_t i = 0; i < findings->count; i++)
		if (kept == 0 || by_place(&findings->items[kept - 1], &findings->items[i]) != 0)
			findings->items[kept++] = findings->items[i];
	findings->count = kept;
}

static int
process_scan_all(struct linter *l)
{
	int rc = find_home(l);

	if (rc == 0)
		rc = find_secrets(l);
	return rc < 0 ? rc : find_dirs(l);
}

int
lint_plan(struct plan *plan, struct findings *ret, struct cordon_error *err)
{
	struct findings findings = {0};
	struct linter l = {.plan = plan, .to = &findings, .err = err, .guesses = GUESSES_MAX};
	int rc = process_scan_all(&l);

	if (rc == 0)
		rc = check_rules(&l, plan->index.paths, plan->index.path_count);
	if (rc == 0)
		rc = check_rules(&l, plan->index.patterns, plan->index.pattern_count);
	if (rc == 0)
		rc = check_texts(&l);
	for (size_t i = 0; rc == 0 && i < COUNT(plan_checks); i++)
		rc = plan_checks[i](&l);
	arena_free(&l.scratch);
	if (rc < 0)
		return rc;
	sort_findings(&findings);
	*ret = findings;
	return 0;
}
