// SPDX-License-Identifier: MIT
/* Prints a plan as text. File names must always go through str_visible. */
#include "explain/print_text.h"

#include <string.h>

#include "explain/mechanisms.h"
#include "explain/why.h"
#include "plan/environ.h"
#include "plan/pty.h"
#include "policy/read/printer.h"

const char *const keeping_names[] = {
	[GUARANTEE_NOT_NEEDED] = "not needed",
	[GUARANTEE_ENFORCED] = "enforced",
	[GUARANTEE_ACCEPTED] = "accepted",
	[GUARANTEE_GAP] = "gap",
};
const char *const routing_names[] = {
	[ROUTE_NOTHING] = "nothing",
	[ROUTE_CHANGES] = "changes",
	[ROUTE_READS] = "reads",
};

/* Is there a policy text besides the profiles? */
static bool
has_sources(const struct plan *plan)
{
	for (size_t i = 0; i < plan->stack->count; i++)
		if (plan->stack->entries[i].name == NULL)
			return true;
	return plan->stack->project != NULL;
}

static void
text_head(const struct plan *plan, struct str *to)
{
	str_printf(to, "plan for `%s` on %s (%s)\nproject   ",
		   plan->host->command == COMMAND_RUN ? "run" : "shell",
		   system_names[plan->host->system], plan->facts.kernel);
	str_visible(to, plan->host->project);
	str_add(to, "\nprofiles ");
	for (size_t i = 0; i < plan->stack->count; i++)
		if (plan->stack->entries[i].name != NULL)
			str_printf(to, " %s", plan->stack->entries[i].name);
	str_add(to, "\nsources  ");
	if (!has_sources(plan))
		str_add(to, " none");
	for (size_t i = 0; i < plan->stack->count; i++) {
		if (plan->stack->entries[i].name != NULL)
			continue;
		str_add(to, " ");
		str_visible(to, plan->stack->entries[i].policy->file);
	}
	if (plan->stack->project != NULL && !plan->stack->project_trusted) {
		str_add(to, " ");
		str_visible(to, plan->stack->project->file);
		str_add(to, " (not approved: it can only narrow)");
	}
	str_add(to, "\n");
}

static void
text_rule(const struct plan *plan, const struct planned_rule *rule, struct str *to)
{
	/* files of another system are unknown */
	bool known = plan->host->view == &fs_real;
	char columns[RIGHT_KINDS + 1];

	if (rule->rights == 0)
		return;
	policy_rights_to_columns(rule->rights, columns);
	str_printf(to, "  %-5s %s  ", rule->effect == EFFECT_ALLOW ? "allow" : "deny", columns);
	str_visible(to, rule->path);
	if (rule->match != MATCH_SUBPATH)
		str_printf(to, " (%s)", match_names[rule->match]);
	if (rule->alias_of != NULL) {
		str_add(to, " [for ");
		str_visible(to, rule->root);
		str_add(to, ", which is also ");
		str_visible(to, rule->alias_of);
		str_add(to, "]");
	}
	if (!rule->exists && known && rule->match != MATCH_GLOB && rule->match != MATCH_REGEX)
		str_add(to,
			plan_rule_creates_dir(plan, rule) ? " [made at the start]" : " [missing]");
	if (strcmp(rule->path, TERMINALS) == 0 && rule->effect == EFFECT_ALLOW)
		str_add(to, plan_own_terminals(plan, TERMINALS) ? " [its own terminals]"
								: " [of others, too]");
	if (rule->is_absent && rule->exists)
		str_add(to, " [left out: calls are not supervised]");
	str_add(to, "  <- ");
	why_source(rule, to);
	str_add(to, "\n");
}

/* Rules for missing files are printed only if verbose. */
static void
text_files(const struct plan *plan, bool verbose, struct str *to)
{
	/* files of another system are unknown */
	bool known = plan->host->view == &fs_real;
	char letters[RIGHT_KINDS + 1];
	size_t hidden = 0;

	policy_rights_to_letters(plan->index.default_rights, letters);
	str_printf(to, "files     elsewhere: \"%s\"\n", letters);
	for (size_t i = 0; i < plan->index.path_count; i++) {
		const struct planned_rule *rule = &plan->index.paths[i];

		if (!verbose && known && !rule->exists && rule->rule->optional &&
		    !plan_rule_creates_dir(plan, rule))
			hidden++;
		else
			text_rule(plan, rule, to);
	}
	for (size_t i = 0; i < plan->index.pattern_count; i++)
		text_rule(plan, &plan->index.patterns[i], to);
	if (hidden > 0)
		str_printf(to, "  (%zu paths of profiles that do not exist here: -v shows them)\n",
			   hidden);
	if (verbose)
		for (size_t i = 0; i < plan->index.protections.count; i++)
			str_printf(to, "  %s %s\n",
				   plan->index.protections.items[i].kind == PROTECT_VETTED
					   ? "vetted   "
					   : "protected",
				   plan->index.protections.items[i].pattern);
}

#define DATAGRAM_COST " (each that names an address, and each sendmsg, is supervised: 25 to 100 us)"

static void
text_network(const struct plan *plan, struct str *to)
{
	const struct network *network = &plan->settings.network;

	str_printf(to, "network   %s", net_names[network->mode]);
	if (network->mode == NET_LOCALHOST)
		for (size_t i = 0; i < network->localhost.count; i++)
			str_printf(to, "%s%u", i == 0 ? " on ports " : ", ",
				   network->localhost.items[i].number);
	if (network->mode == NET_DOMAINS) {
		for (size_t i = 0; i < network->domains.count; i++)
			str_printf(to, "%s%s", i == 0 ? ": " : ", ",
				   network->domains.items[i].text);
		for (size_t i = 0; i < network->ports.count; i++)
			str_printf(to, "%s%u", i == 0 ? " on ports " : ", ",
				   network->ports.items[i].number);
		for (size_t i = 0; i < network->opaque.count; i++)
			str_printf(to, "%s%u", i == 0 ? ", anything on ports " : ", ",
				   network->opaque.items[i].number);
		for (size_t i = 0; i < network->localhost.count; i++)
			str_printf(to, "%s%u", i == 0 ? "; this machine on ports " : ", ",
				   network->localhost.items[i].number);
		str_add(to, network->ech == ECH_ALLOW ? ", also with hidden names (ECH)" : "");
	}
	if (plan->has_datagrams)
		str_printf(to, ", with UDP and unix datagrams%s",
			   plan->host->system == SYSTEM_LINUX ? DATAGRAM_COST : "");
	else if (network->mode == NET_LOCALHOST && network->udp == UDP_ALLOW)
		str_add(to, ", without UDP: no mechanism here checks addresses of datagrams");
	str_add(to, "\nsockets  ");
	for (size_t i = 0; i < plan->socket_count; i++) {
		str_add(to, " ");
		str_visible(to, plan->sockets[i].path);
	}
	str_add(to, plan->socket_count == 0 ? " none\n" : "\n");
}

static void
text_env(const struct plan *plan, bool verbose, struct str *to)
{
	size_t passing = 0, all = 0;
	char name[ENV_NAME_SIZE];

	for (const char *const *e = plan->host->environ; e != NULL && *e != NULL; e++, all++) {
		passing += environ_decide_pair(&plan->settings, *e, name).passes;
	}
	str_printf(to, "env       %s: %zu of the caller's %zu variables pass\n",
		   env_names[plan->settings.env.mode], passing, all);
	for (const char *const *e = plan->host->environ; verbose && e != NULL && *e != NULL; e++) {
		struct env_answer answer = environ_decide_pair(&plan->settings, *e, name);

		str_printf(to, "  %-7s ", answer.passes ? "passes" : "dropped");
		str_visible(to, name);
		str_printf(to, ": %s\n", answer.reason);
	}
}

static void
text_limits(const struct plan *plan, struct str *to)
{
	bool any = false;

	str_add(to, "limits   ");
	for (int i = 0; i < LIMIT_COUNT; i++) {
		if (plan->settings.limits[i].value == 0)
			continue;
		str_printf(to, " %s ", limit_names[i]);
		printer_print_limit((enum limit)i, plan->settings.limits[i].value, to);
		any = true;
	}
	str_add(to, any ? "\n" : " none\n");
	str_printf(to, "tmp       %s\n", tmp_names[plan->settings.tmp]);
	if (plan->settings.log > EVENT_LOG_FILE)
		str_printf(to, "log       %s, too\n", event_log_names[plan->settings.log]);
	if (plan->settings.ipc == IPC_SYSV)
		str_add(to, "ipc       System V: queues, semaphores and memory of every process of "
			    "the user can be read, changed and removed\n");
}

/* Measured with caller and broker on one CPU, and on two. */
static const struct {
	const char *calls, *cost;
} routings[] = {
	[ROUTE_NOTHING] = {"none is supervised", NULL},
	[ROUTE_CHANGES] = {"opens that may write, changes of names and of metadata are supervised",
			   "25 to 100 us each; reading is not slower"},
	[ROUTE_READS] = {"every open, changes of names and of metadata are supervised",
			 "25 to 100 us each"},
};

void
print_text_calls(const struct plan *plan, struct str *to)
{
	const struct planned_rule *rule = plan->routed_by;

	str_add(to, routings[plan->routing].calls);
	if (plan->routing == ROUTE_NOTHING)
		return;
	str_printf(to, " (%s)", routings[plan->routing].cost);
	if (rule == NULL) {
		str_add(to, ", for protected names and metadata");
		return;
	}
	str_printf(to, ", for: %s ", rule->effect == EFFECT_ALLOW ? "allow" : "deny");
	str_visible(to, rule->path);
	str_add(to, "  <- ");
	why_source(rule, to);
}

static void
text_calls(const struct plan *plan, bool verbose, struct str *to)
{
	if (plan->host->system != SYSTEM_LINUX || (plan->routing == ROUTE_NOTHING && !verbose))
		return;
	str_add(to, "calls     ");
	print_text_calls(plan, to);
	str_add(to, "\n");
}

/* Measured like the costs above. A lookup is cheaper than an open, a path from the root than a relative one. */
#define TRACE_COST "25 to 50 us each"

static void
text_trace(const struct plan *plan, struct str *to)
{
	if (plan->traces)
		str_add(to,
			"trace     opens, starts of programs, lookups and connects are watched, "
			"and nothing is decided by it (" TRACE_COST ")\n");
	else if (plan->facts.values[FACT_AUDIT])
		str_add(to, "trace     what the kernel refuses is read from its audit log\n");
}

static void
text_layers(const struct plan *plan, struct str *to)
{
	const char *names[MECHANISM_LAYERS];
	size_t count = mechanisms_layers(plan, names);

	str_add(to, "layers   ");
	for (size_t i = 0; i < count; i++)
		str_printf(to, " %s", names[i]);
	str_add(to, count == 0 ? " none\n" : "\n");
}

static void
text_promises(const struct plan *plan, bool verbose, struct str *to)
{
	str_add(to, "guarantees\n");
	for (int i = 0; i < G_COUNT; i++) {
		const struct guarantee_state *promise = &plan->guarantees[i];

		if (promise->status == GUARANTEE_NOT_NEEDED && !verbose)
			continue;
		str_printf(to, "  %-10s %-18s %s", keeping_names[promise->status],
			   guarantee_names[i],
			   promise->how == NULL ? guarantee_sentences[i] : promise->how);
		if (promise->status == GUARANTEE_GAP)
			str_printf(to, "%s%s; or accept it: --accept %s",
				   promise->remedy == NULL ? "" : "; ",
				   promise->remedy == NULL ? "" : promise->remedy,
				   guarantee_names[i]);
		str_add(to, "\n");
	}
}

void
print_text_plan(const struct plan *plan, bool verbose, struct str *to)
{
	text_head(plan, to);
	text_files(plan, verbose, to);
	text_network(plan, to);
	text_env(plan, verbose, to);
	text_limits(plan, to);
	text_calls(plan, verbose, to);
	text_layers(plan, to);
	text_trace(plan, to);
	text_promises(plan, verbose, to);
}
