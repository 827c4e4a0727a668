// SPDX-License-Identifier: MIT
/*
 * A project's own policy. Unapproved, it can only take away; everything it asks for beyond that is
 * listed as a request and changes nothing. Approved, its grants hold as long as they lead where they
 * led when they were approved.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "plan/confusable.h"
#include "plan/environ.h"
#include "plan/plan.h"
#include "policy/printer.h"
#include "policy/profile.h"

static struct request *
push_request(struct plan *plan, struct place place, struct cordon_error *err)
{
	struct request *request = arena_push(&plan->arena, &plan->requests, &plan->request_count,
					     sizeof *request, err);

	if (request != NULL)
		request->place = place;
	return request;
}

static int
ask(struct plan *plan, struct place place, struct cordon_error *err, const char *format, ...)
{
	struct request *request = push_request(plan, place, err);
	char text[600];
	va_list args;

	if (request == NULL)
		return -CORDON_E_MEMORY;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	request->text = arena_strdup(&plan->arena, text, err);
	request->confusable = confusable(text);
	if (request->text == NULL) {
		plan->request_count--;
		return -CORDON_E_MEMORY;
	}
	return 0;
}

/* ---- files ---- */

static int
ask_rule(struct plan *plan, const struct rule *rule, const char *path, const char *note,
	 struct cordon_error *err)
{
	char words[RIGHTS_WORDS];
	int rc;

	rights_to_words(rule->rights, words);
	rc = ask(plan, rule->place, err, "%s %s%s%s%s%s", words, rule->path,
		 rule->match == MATCH_SUBPATH ? "" : " (",
		 rule->match == MATCH_SUBPATH ? "" : match_names[rule->match],
		 rule->match == MATCH_SUBPATH ? "" : ")", note);
	if (rc == 0)
		plan->requests[plan->request_count - 1].path = path;
	return rc;
}

/* Is everything below path granted that is granted at path? Then the project's rule adds nothing. */
static bool
holds_below(const struct verdict *verdict, unsigned rights)
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

/* What a dialect adds to a text by itself: said once, and granted with the rest. */
static int
ask_implied(struct plan *plan, const struct policy *project, size_t count, struct cordon_error *err)
{
	const struct place place = {project->file, 0, 0};

	return count == 0
		       ? 0
		       : ask(plan, place, err,
			     "what the %s form grants by itself (%zu paths; `cordon check --print` "
			     "shows them)",
			     dialect_names[project->dialect], count);
}

/*
 * A deny narrows. An allow of what is granted anyway may stay, to make exceptions from the project's
 * own denies. Any other allow is a request.
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
	if (rule->match == MATCH_GLOB || rule->match == MATCH_REGEX)
		return ask_rule(plan, rule, NULL, "", err);
	rc = plan_rule_path(plan, rule, &path, err);
	if (rc < 0 || path == NULL)
		return rc;
	verdict = index_decide(&plan->index, path);
	*ret_add = !(rule->rights & ~verdict.rights) && holds_below(&verdict, rule->rights);
	if (*ret_add)
		return 0;
	if (rule->optional) {
		++*implied;
		return 0;
	}
	return ask_rule(plan, rule, path,
			is_protected(&verdict) ? " (protected: no project can be granted it)" : "",
			err);
}

static int
narrow_rules(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	auto_free bool *add = calloc(project->rule_count + 1, sizeof *add);
	size_t implied = 0;
	int rc = 0;

	if (add == NULL)
		return cordon_no_memory(err);
	/* all are judged against the plan without the project, then added together */
	for (size_t i = 0; rc == 0 && i < project->rule_count; i++)
		rc = narrow_rule(plan, &project->rules[i], &add[i], &implied, err);
	if (rc == 0)
		rc = ask_implied(plan, project, implied, err);
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
	rights_to_words(more, words);
	return more == 0 ? 0 : ask(plan, project->default_place, err, "%s everywhere", words);
}

/* ---- network ---- */

static int
narrow_domains(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;
	struct words kept = {0};

	for (size_t i = 0; i < wanted->domains.count; i++) {
		const struct word *word = &wanted->domains.items[i];
		bool covered = have->mode == NET_ALL;
		struct word *slot;
		int rc;

		for (size_t k = 0; !covered && have->mode == NET_DOMAINS && k < have->domains.count;
		     k++)
			covered = domain_covers(have->domains.items[k].text, word->text);
		if (!covered) {
			rc = ask(plan, word->place, err, "network to %s", word->text);
			if (rc < 0)
				return rc;
			continue;
		}
		slot = arena_push(&plan->arena, &kept.items, &kept.count, sizeof *slot, err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = *word;
	}
	if (have->mode == NET_ALL || have->mode == NET_DOMAINS) {
		have->mode = NET_DOMAINS;
		have->domains = kept;
	} else {
		have->mode = NET_NONE;
	}
	return 0;
}

static bool
port_in(const struct ports *ports, uint16_t number)
{
	for (size_t i = 0; i < ports->count; i++)
		if (ports->items[i].number == number)
			return true;
	return false;
}

/* Only ports that both name stay; what the project adds is a request. all: no list means all. */
static int
narrow_ports(struct plan *plan, struct ports *have, const struct ports *wanted, bool all,
	     struct cordon_error *err)
{
	struct ports kept = {0};

	for (size_t i = 0; i < wanted->count; i++) {
		struct port *slot;

		if (!(all && have->count == 0) && !port_in(have, wanted->items[i].number)) {
			int rc = ask(plan, wanted->items[i].place, err, "network port %u",
				     wanted->items[i].number);

			if (rc < 0)
				return rc;
			continue;
		}
		slot = arena_push(&plan->arena, &kept.items, &kept.count, sizeof *slot, err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = wanted->items[i];
	}
	*have = kept;
	return 0;
}

static int
narrow_localhost(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;
	int rc;

	if (have->mode == NET_ALL) {
		have->mode = NET_LOCALHOST;
		have->localhost = wanted->localhost;
		return 0;
	}
	if (have->mode != NET_LOCALHOST) {
		rc = ask(plan, wanted->place, err, "network to this machine");
		have->mode = NET_NONE;
		return rc;
	}
	if (wanted->localhost.count == 0)
		return have->localhost.count == 0 ? 0
						  : ask(plan, wanted->place, err,
							"network to every port of this machine");
	rc = narrow_ports(plan, &have->localhost, &wanted->localhost, true, err);
	/* an empty list would mean every port */
	if (rc == 0 && have->localhost.count == 0)
		have->mode = NET_NONE;
	return rc;
}

static bool
has_word(const struct words *words, const char *text)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->items[i].text, text) == 0)
			return true;
	return false;
}

/* Beside the mode: ports, ranges, resolver, hidden names. What is there already is not asked for. */
static int
narrow_details(struct plan *plan, const struct network *wanted, struct cordon_error *err)
{
	struct network *have = &plan->settings.network;
	const struct word *resolver = &wanted->resolver;
	int rc = 0;

	/* from the whole network every list of ports is a narrowing */
	if (wanted->ports.count > 0 && have->mode == NET_ALL)
		have->ports = wanted->ports;
	else if (wanted->ports.count > 0)
		rc = narrow_ports(plan, &have->ports, &wanted->ports, false, err);
	for (size_t i = 0; rc == 0 && i < wanted->private_ranges.count; i++) {
		const struct word *range = &wanted->private_ranges.items[i];

		if (!has_word(&have->private_ranges, range->text))
			rc = ask(plan, range->place, err,
				 "domains that lead to private addresses (%s)", range->text);
	}
	if (rc == 0 && resolver->text != NULL &&
	    (have->resolver.text == NULL || strcmp(have->resolver.text, resolver->text) != 0))
		rc = ask(plan, resolver->place, err, "names looked up at %s", resolver->text);
	if (rc == 0 && wanted->ech == ECH_ALLOW && have->ech != ECH_ALLOW)
		rc = ask(plan, wanted->ech_place, err, "TLS that hides whom it asks for (ECH)");
	if (wanted->ech == ECH_REFUSE)
		have->ech = ECH_REFUSE;
	return rc;
}

static int
narrow_network(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	const struct network *wanted = &project->network;
	struct network *have = &plan->settings.network;
	/* before the mode: the ports of this machine and of domains are two things */
	int rc = narrow_details(plan, wanted, err);

	if (rc < 0)
		return rc;
	switch (wanted->mode) {
	case NET_UNSET:
		return 0;
	case NET_NONE:
		have->mode = NET_NONE;
		return 0;
	case NET_LOCALHOST:
		return narrow_localhost(plan, wanted, err);
	case NET_DOMAINS:
		return narrow_domains(plan, wanted, err);
	case NET_ALL:
		break;
	}
	return have->mode == NET_ALL ? 0 : ask(plan, wanted->place, err, "the whole network");
}

/* ---- the rest ---- */

static int
narrow_sockets(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < project->sockets.count; i++) {
		const struct word *word = &project->sockets.items[i];
		const char *path = NULL;

		if (has_word(&plan->settings.sockets, word->text))
			continue;
		rc = plan_socket_path(plan, word, &path, err);
		if (rc == 0)
			rc = ask(plan, word->place, err, "the socket %s", word->text);
		if (rc == 0)
			plan->requests[plan->request_count - 1].path = path;
	}
	return rc;
}

/* Names that pass now and that the project wants go on passing when its mode takes the rest away. */
static int
keep_passing(struct plan *plan, const struct words *wanted, struct cordon_error *err)
{
	struct words *allow = &plan->settings.env.allow;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct word *word = &wanted->items[i];
		struct word *slot;

		if (strchr(word->text, '*') != NULL ||
		    !environ_decide(&plan->settings, word->text).passes)
			continue;
		slot = arena_push(&plan->arena, &allow->items, &allow->count, sizeof *slot, err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = *word;
	}
	return 0;
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

		if (pattern ? !has_word(&have->allow, word->text)
			    : !environ_decide(&plan->settings, word->text).passes)
			rc = ask(plan, word->place, err, "the environment variable %s", word->text);
	}
	for (size_t i = 0; rc == 0 && i < wanted->set_count; i++)
		rc = ask(plan, wanted->set[i].place, err, "%s set to \"%.100s\"",
			 wanted->set[i].name, wanted->set[i].value);
	if (rc < 0 || wanted->mode == ENV_UNSET)
		return rc;
	if (wanted->mode > have->mode)
		return ask(plan, wanted->place, err, "the environment in mode %s",
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

			limit_print((enum limit)i, wanted->value, &text);
			rc = ask(plan, wanted->place, err, "the limit %s raised to %s",
				 limit_names[i], text.failed ? "more" : text.text);
		}
	}
	return rc;
}

static bool
is_loaded(const struct plan *plan, const char *profile)
{
	for (size_t i = 0; i < plan->stack->count; i++)
		if (plan->stack->entries[i].name != NULL &&
		    strcmp(plan->stack->entries[i].name, profile) == 0)
			return true;
	return false;
}

/* A base takes the place of another: what that one denied goes with it, and that must be said. */
static int
narrow_profiles(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	const struct place place = {project->file, 0, 0};
	int rc = 0;

	if (project->has_extends && project->extends.count == 0 &&
	    project->dialect == DIALECT_NATIVE)
		return ask(plan, place, err, "to stand on no profile, instead of the one in force");
	for (size_t i = 0; rc == 0 && i < project->extends.count; i++) {
		const struct word *word = &project->extends.items[i];
		const struct profile *profile = profile_find(word->text);

		if (is_loaded(plan, word->text))
			continue;
		rc = ask(plan, word->place, err, "the profile %s%s", word->text,
			 profile != NULL && profile_is_base(profile)
				 ? " in place of the one in force, with all that one denies"
				 : "");
	}
	return rc;
}

static int
narrow_accept(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < project->accept.count; i++)
		if (!plan->settings.accept[guarantee_by_name(project->accept.items[i].text)])
			rc = ask(plan, project->accept.items[i].place, err,
				 "to live without the guarantee %s", project->accept.items[i].text);
	return rc;
}

static int
narrow_tmp(struct plan *plan, const struct policy *project, struct cordon_error *err)
{
	if (project->tmp == TMP_PRIVATE)
		plan->settings.tmp = TMP_PRIVATE;
	if (project->tmp == TMP_SHARED && plan->settings.tmp != TMP_SHARED)
		return ask(plan, project->tmp_place, err, "the shared tmp folder");
	return 0;
}

/* One line that says what was not granted and how to grant it. */
int
plan_note_requests(struct plan *plan, struct cordon_error *err)
{
	auto_str struct str list = {0};
	size_t shown = plan->request_count < 4 ? plan->request_count : 3;

	if (plan->request_count == 0)
		return 0;
	for (size_t i = 0; i < shown; i++) {
		str_add(&list, i == 0 ? "" : ", ");
		str_visible(&list, plan->requests[i].text);
	}
	if (shown < plan->request_count)
		str_printf(&list, " and %zu more", plan->request_count - shown);
	if (list.failed)
		return cordon_no_memory(err);
	return plan_notice(plan, err,
			   "%s asks for more than it may have: %.600s; `cordon trust` shows "
			   "and grants it",
			   plan->stack->project->file, list.text);
}

static int
note_off(struct plan *plan, struct cordon_error *err)
{
	const struct policy *project = plan->stack->project;

	if (project->dialect != DIALECT_ZED || project->has_extends)
		return 0;
	return plan_notice(plan, err,
			   "%s asks for no sandbox here; that is never granted to a project",
			   project->file);
}

int
plan_narrow(struct plan *plan, struct cordon_error *err)
{
	static int (*const steps[])(struct plan *, const struct policy *, struct cordon_error *) = {
		narrow_profiles, narrow_accept, narrow_rules,  narrow_default, narrow_network,
		narrow_sockets,	 narrow_env,	narrow_limits, narrow_tmp,
	};
	const struct policy *project = plan->stack->project;
	int rc = 0;

	if (project == NULL)
		return 0;
	for (size_t i = 0;
	     rc == 0 && !plan->stack->project_trusted && i < sizeof steps / sizeof steps[0]; i++)
		rc = steps[i](plan, project, err);
	return rc < 0 ? rc : note_off(plan, err);
}

/* ---- pins ---- */

static bool
pin_holds(const struct trust *trust, const char *path)
{
	struct pin now = pin_now(path);

	for (size_t i = 0; i < trust->pin_count; i++) {
		const struct pin *pin = &trust->pins[i];

		if (strcmp(pin->path, path) == 0 &&
		    (pin->inode == 0 || (pin->inode == now.inode && pin->device == now.device)))
			return true;
	}
	return false;
}

static int
check_pins(struct plan *plan, const struct trust *trust, struct planned_rule *rules, size_t count,
	   struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct planned_rule *planned = &rules[i];

		if (planned->layer != LAYER_PROJECT || planned->effect != EFFECT_ALLOW ||
		    pin_holds(trust, planned->root))
			continue;
		rc = ask_rule(plan, planned->rule, planned->path,
			      " (approved once, but it leads elsewhere now)", err);
		planned->rights = 0;
	}
	return rc;
}

int
plan_check_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err)
{
	int rc;

	if (trust == NULL || !plan->stack->project_trusted)
		return 0;
	rc = check_pins(plan, trust, plan->index.paths, plan->index.path_count, err);
	return rc < 0 ? rc
		      : check_pins(plan, trust, plan->index.patterns, plan->index.pattern_count,
				   err);
}

/* A socket is made anew at every start: its place is what was approved, not its inode. */
static bool
socket_was_approved(const struct trust *trust, const char *path)
{
	for (size_t i = 0; i < trust->pin_count; i++)
		if (strcmp(trust->pins[i].path, path) == 0)
			return true;
	return false;
}

int
plan_check_socket_pins(struct plan *plan, const struct trust *trust, struct cordon_error *err)
{
	size_t kept = 0;
	int rc = 0;

	if (trust == NULL || !plan->stack->project_trusted)
		return 0;
	for (size_t i = 0; rc == 0 && i < plan->socket_count; i++) {
		const struct socket_grant grant = plan->sockets[i];

		if (!plan_is_projects_socket(plan, &grant) ||
		    socket_was_approved(trust, grant.path)) {
			plan->sockets[kept++] = grant;
			continue;
		}
		rc = ask(plan, grant.word->place, err,
			 "the socket %s (approved once, but it leads elsewhere now)",
			 grant.word->text);
		if (rc == 0)
			plan->requests[plan->request_count - 1].path = grant.path;
	}
	plan->socket_count = kept;
	return rc;
}
