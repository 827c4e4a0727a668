// SPDX-License-Identifier: MIT
/*
 * Checks the parts of a text that are not rules: network, environment, accepted gaps, settings that
 * its dialect ignores, requests of an unapproved project. Must never print the value of a variable.
 */
#include <string.h>

#include "base/confusable.h"
#include "base/str.h"
#include "explain/lint/lint_checks.h"
#include "plan/environ.h"

int
lint_holes(struct linter *l, const struct lint_text *text)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < text->policy->hole_count; i++)
		rc = lint_add(l, LINT_NOTE, text->policy->holes[i].srcpos, "%s",
			      text->policy->holes[i].text);
	return rc;
}

int
lint_accept(struct linter *l, const struct lint_text *text)
{
	const struct words *accept = &text->policy->accept;
	int rc = 0;

	for (size_t i = 0; rc == 0 && text->in_force && i < accept->count; i++) {
		const struct word *word = &accept->items[i];
		int guarantee = merge_guarantee_by_name(word->text);
		const struct guarantee_state *promise;

		if (guarantee < 0)
			continue;
		promise = &l->plan->guarantees[guarantee];
		if (promise->status == GUARANTEE_NOT_NEEDED)
			rc = lint_add(l, LINT_NOTE, word->srcpos,
				      "%s need not be accepted: this policy does not ask for it",
				      word->text);
		else if (promise->status == GUARANTEE_ENFORCED)
			rc = lint_add(l, LINT_NOTE, word->srcpos,
				      "%s need not be accepted here: it is enforced (%s)",
				      word->text, promise->how);
	}
	return rc;
}

/* ---- network ---- */

/* Is it a pattern such as "*.com" or "*.co.uk", which covers names of many owners? */
static bool
is_registry_wide(const char *domain)
{
	static const char *const seconds[] = {"ac", "co", "com", "edu", "gov", "net", "org", NULL};
	const char *dot;

	if (!str_starts(domain, "*."))
		return false;
	domain += 2;
	dot = strchr(domain, '.');
	if (dot == NULL)
		return true;
	for (size_t i = 0; strlen(dot) == 3 && seconds[i] != NULL; i++)
		if (strlen(seconds[i]) == (size_t)(dot - domain) && str_starts(domain, seconds[i]))
			return true;
	return false;
}

int
lint_domains(struct linter *l, const struct lint_text *text)
{
	const struct words *domains = &text->policy->network.domains;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < domains->count; i++)
		if (is_registry_wide(domains->items[i].text))
			rc = lint_add(l, LINT_WARNING, domains->items[i].srcpos,
				      "%s covers names of any owner; anyone can register one",
				      domains->items[i].text);
	return rc;
}

int
lint_ech(struct linter *l, const struct lint_text *text)
{
	const struct network *network = &text->policy->network;

	if (network->ech != ECH_ALLOW)
		return 0;
	return lint_add(
		l, LINT_NOTE, network->ech_srcpos,
		"on a server that many names share, TLS may ask for any of them, listed or not");
}

int
lint_opaque(struct linter *l, const struct lint_text *text)
{
	const struct ports *opaque = &text->policy->network.opaque;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < opaque->count; i++)
		rc = lint_add(
			l, LINT_NOTE, opaque->items[i].srcpos,
			"port %u carries any protocol: a server that serves many names may be "
			"asked there for any of them, listed or not",
			opaque->items[i].number);
	return rc;
}

/* ---- environment ---- */

static int
lint_env_name(struct linter *l, const struct word *word)
{
	if (strcmp(word->text, "*") == 0)
		return lint_add(l, LINT_WARNING, word->srcpos,
				"lets every variable pass, also those that hold secrets");
	if (!environ_is_loader(word->text))
		return 0;
	if (strchr(word->text, '*') != NULL)
		return lint_add(l, LINT_NOTE, word->srcpos,
				"%s lets no loader variable pass: those need their full names",
				word->text);
	return lint_add(l, LINT_WARNING, word->srcpos, "%s can make programs run foreign code",
			word->text);
}

int
lint_env(struct linter *l, const struct lint_text *text)
{
	const struct environment *env = &text->policy->env;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < env->allow.count; i++)
		rc = lint_env_name(l, &env->allow.items[i]);
	for (size_t i = 0; rc == 0 && i < env->set_count; i++)
		if (lint_secret_name(env->set[i].name, strlen(env->set[i].name)))
			rc = lint_add(l, LINT_WARNING, env->set[i].srcpos,
				      "%s looks like a secret, written into a policy; allow the "
				      "variable instead",
				      env->set[i].name);
	return rc;
}

/* ---- sockets ---- */

int
lint_sockets(struct linter *l, const struct lint_text *text)
{
	const struct words *sockets = &text->policy->sockets;
	int rc = 0;

	for (size_t i = 0; rc == 0 && text->in_force && i < sockets->count; i++) {
		const struct word *word = &sockets->items[i];
		const char *danger = plan_socket_danger(word->text);

		if (danger != NULL)
			rc = lint_add(l, LINT_WARNING, word->srcpos, "the socket %s: %s",
				      word->text, danger);
	}
	return rc;
}

/* ---- the default ---- */

int
lint_default(struct linter *l, const struct lint_text *text)
{
	const struct policy *policy = text->policy;
	unsigned rights = policy->default_rights & l->plan->index.default_rights;
	enum severity severity = LINT_WARNING;
	const char *opened;
	char words[RIGHTS_WORDS];

	if (!text->in_force || !policy->has_default || rights == 0)
		return 0;
	opened = rights & RIGHT_READ ? lint_opened(l, NULL) : NULL;
	/* these dialects allow reading by default; the author did not write it */
	if (!(rights & RIGHTS_CHANGE) && policy->dialect != DIALECT_NATIVE)
		severity = LINT_NOTE;
	policy_rights_to_words(rights, words);
	return lint_add(l, severity, policy->default_srcpos,
			"grants %s wherever no rule applies%s%s", words,
			opened == NULL ? "" : "; that opens ", opened == NULL ? "" : opened);
}

/* ---- letters ---- */

static int
lint_letters_of(struct linter *l, const char *text, struct srcpos srcpos)
{
	const char *reason = confusable(text);

	return reason == NULL ? 0
			      : lint_add(l, LINT_WARNING, srcpos, "check \"%s\": %s", text, reason);
}

static int
lint_letters_in(struct linter *l, const struct words *words)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < words->count; i++)
		rc = lint_letters_of(l, words->items[i].text, words->items[i].srcpos);
	return rc;
}

int
lint_letters(struct linter *l, const struct lint_text *text)
{
	const struct policy *policy = text->policy;
	int rc = lint_letters_in(l, &policy->network.domains);

	if (rc == 0)
		rc = lint_letters_in(l, &policy->sockets);
	for (size_t i = 0; rc == 0 && i < policy->rule_count; i++)
		rc = lint_letters_of(l, policy->rules[i].path, policy->rules[i].srcpos);
	return rc;
}

/* ---- requests ---- */

static bool
same_srcpos(const struct srcpos *a, const struct srcpos *b)
{
	return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

/* Returns the variable that the request sets, if its value is a secret; or NULL. */
static const char *
secret_of(const struct policy *project, const struct request *request)
{
	const struct environment *env = &project->env;

	for (size_t i = 0; i < env->set_count; i++)
		if (same_srcpos(&env->set[i].srcpos, &request->srcpos) &&
		    lint_secret_name(env->set[i].name, strlen(env->set[i].name)))
			return env->set[i].name;
	return NULL;
}

int
lint_requests(struct linter *l)
{
	const struct plan *plan = l->plan;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->request_count; i++) {
		const struct request *request = &plan->requests[i];
		const char *secret = plan->stack->project == NULL
					     ? NULL
					     : secret_of(plan->stack->project, request);

		rc = lint_add(l, LINT_NOTE, request->srcpos,
			      "asks %s%s; not granted until `cordon trust` approves it",
			      strncmp(request->text, "to ", 3) == 0 ? "" : "for ",
			      secret != NULL ? secret : request->text);
	}
	return rc;
}
