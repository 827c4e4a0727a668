// SPDX-License-Identifier: MIT
/* Prints a plan as JSON. File names must always go through str_json. */
#include "explain/mechanisms.h"
#include "explain/print_text.h"
#include "plan/environ.h"

static void
json_text(const char *key, const char *text, struct str *to)
{
	str_printf(to, "\"%s\": ", key);
	str_json_or_null(to, text);
}

static void
json_srcpos(const struct srcpos *srcpos, struct str *to)
{
	json_text("source", srcpos->file, to);
	str_printf(to, ", \"line\": %u, \"column\": %u", srcpos->line, srcpos->column);
}

static void
json_rules(const struct planned_rule *rules, size_t count, bool *first, struct str *to)
{
	char letters[RIGHT_KINDS + 1];

	for (size_t i = 0; i < count; i++) {
		if (rules[i].rights == 0)
			continue;
		policy_rights_to_letters(rules[i].rights, letters);
		str_printf(to,
			   "%s\n    {\"effect\": \"%s\", \"rights\": \"%s\", \"match\": \"%s\", "
			   "\"layer\": \"%s\", \"exists\": %s, ",
			   *first ? "" : ",", rules[i].effect == EFFECT_ALLOW ? "allow" : "deny",
			   letters, match_names[rules[i].match], layer_names[rules[i].layer],
			   rules[i].exists ? "true" : "false");
		*first = false;
		json_text("path", rules[i].path, to);
		str_add(to, ", ");
		json_text("written", rules[i].rule->path, to);
		str_add(to, ", ");
		json_srcpos(&rules[i].rule->srcpos, to);
		str_add(to, "}");
	}
}

static void
json_files(const struct plan *plan, struct str *to)
{
	char letters[RIGHT_KINDS + 1];
	bool first = true;

	policy_rights_to_letters(plan->index.default_rights, letters);
	str_printf(to, "  \"default\": \"%s\",\n  \"rules\": [", letters);
	json_rules(plan->index.paths, plan->index.path_count, &first, to);
	json_rules(plan->index.patterns, plan->index.pattern_count, &first, to);
	str_add(to, "],\n  \"protected\": [");
	for (size_t i = 0; i < plan->index.protections.count; i++) {
		const struct protection *protection = &plan->index.protections.items[i];

		str_printf(to, "%s\n    {\"vetted\": %s, ", i == 0 ? "" : ",",
			   protection->kind == PROTECT_VETTED ? "true" : "false");
		json_text("pattern", protection->pattern, to);
		str_add(to, ", ");
		json_text("reason", protection->reason, to);
		str_add(to, "}");
	}
	str_add(to, "],\n");
}

static void
json_ports(const char *key, const struct ports *ports, struct str *to)
{
	str_printf(to, ", \"%s\": [", key);
	for (size_t i = 0; i < ports->count; i++)
		str_printf(to, "%s%u", i == 0 ? "" : ", ", ports->items[i].number);
	str_add(to, "]");
}

static void
json_words(const char *key, const struct words *words, struct str *to)
{
	str_printf(to, ", \"%s\": [", key);
	for (size_t i = 0; i < words->count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, words->items[i].text);
	}
	str_add(to, "]");
}

static void
json_network(const struct plan *plan, struct str *to)
{
	const struct network *network = &plan->settings.network;

	str_printf(to, "  \"network\": {\"mode\": \"%s\"", net_names[network->mode]);
	if (network->mode == NET_LOCALHOST || network->mode == NET_DOMAINS)
		json_ports("localhost", &network->localhost, to);
	str_printf(to, ", \"udp\": %s", plan->has_datagrams ? "true" : "false");
	if (network->mode == NET_DOMAINS) {
		json_words("domains", &network->domains, to);
		json_ports("ports", &network->ports, to);
		json_ports("opaque", &network->opaque, to);
		json_words("private", &network->private_ranges, to);
		str_add(to, ", ");
		json_text("resolver", network->resolver.text, to);
		str_printf(to, ", \"ech\": \"%s\"",
			   ech_names[network->ech == ECH_ALLOW ? ECH_ALLOW : ECH_REFUSE]);
	}
	str_add(to, "},\n  \"sockets\": [");
	for (size_t i = 0; i < plan->socket_count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, plan->sockets[i].path);
	}
	str_add(to, "],\n");
}

static void
json_env(const struct plan *plan, struct str *to)
{
	const struct environment *env = &plan->settings.env;
	bool first = true;
	char name[ENV_NAME_SIZE];

	str_printf(to, "  \"env\": {\"mode\": \"%s\", \"set\": {", env_names[env->mode]);
	for (size_t i = 0; i < env->set_count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, env->set[i].name);
		str_add(to, ": ");
		str_json(to, env->set[i].value);
	}
	str_add(to, "}, \"variables\": [");
	for (const char *const *e = plan->host->environ; e != NULL && *e != NULL; e++) {
		struct env_answer answer = environ_decide_pair(&plan->settings, *e, name);

		str_printf(to, "%s\n    {\"passes\": %s, ", first ? "" : ",",
			   answer.passes ? "true" : "false");
		json_text("name", name, to);
		str_add(to, ", ");
		json_text("reason", answer.reason, to);
		str_add(to, "}");
		first = false;
	}
	str_add(to, "]},\n");
}

static void
json_limits(const struct plan *plan, struct str *to)
{
	bool first = true;

	str_add(to, "  \"limits\": {");
	for (int i = 0; i < LIMIT_COUNT; i++) {
		if (plan->settings.limits[i].value == 0)
			continue;
		str_printf(to, "%s\"%s\": %llu", first ? "" : ", ", limit_names[i],
			   (unsigned long long)plan->settings.limits[i].value);
		first = false;
	}
	str_printf(to, "},\n  \"tmp\": \"%s\",\n  \"ipc\": \"%s\",\n  \"log\": \"%s\",\n",
		   tmp_names[plan->settings.tmp], ipc_names[plan->settings.ipc],
		   event_log_names[plan->settings.log]);
}

static void
json_promises(const struct plan *plan, struct str *to)
{
	str_add(to, "  \"guarantees\": [");
	for (int i = 0; i < G_COUNT; i++) {
		const struct guarantee_state *promise = &plan->guarantees[i];

		str_printf(to, "%s\n    {\"name\": \"%s\", \"state\": \"%s\", ", i == 0 ? "" : ",",
			   guarantee_names[i], keeping_names[promise->status]);
		json_text("promise", guarantee_sentences[i], to);
		str_add(to, ", ");
		json_text("how", promise->how, to);
		str_add(to, ", ");
		json_text("remedy", promise->remedy, to);
		str_add(to, "}");
	}
	str_printf(to, "],\n  \"gaps\": %d,\n  \"routing\": \"%s\",\n", plan_gaps(plan),
		   routing_names[plan->routing]);
}

static void
json_layers(const struct plan *plan, struct str *to)
{
	const char *names[MECHANISM_LAYERS];
	size_t count = mechanisms_layers(plan, names);

	str_add(to, "  \"layers\": [");
	for (size_t i = 0; i < count; i++)
		str_printf(to, "%s\"%s\"", i == 0 ? "" : ", ", names[i]);
	str_add(to, "],\n");
}

static void
json_head(const struct plan *plan, struct str *to)
{
	bool first = true;

	str_printf(to, "{\n  \"command\": \"%s\",\n  \"system\": \"%s\",\n  ",
		   plan->host->command == COMMAND_RUN ? "run" : "shell",
		   system_names[plan->host->system]);
	json_text("project", plan->host->project, to);
	str_add(to, ",\n  \"profiles\": [");
	for (size_t i = 0; i < plan->stack->count; i++) {
		if (plan->stack->entries[i].name == NULL)
			continue;
		str_printf(to, "%s\"%s\"", first ? "" : ", ", plan->stack->entries[i].name);
		first = false;
	}
	str_add(to, "],\n  \"files\": [");
	for (size_t i = 0; i < plan->stack->file_count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, plan->stack->files[i]);
	}
	str_printf(to, "],\n  \"project_approved\": %s,\n",
		   plan->stack->project == NULL	  ? "null"
		   : plan->stack->project_trusted ? "true"
						  : "false");
}

static void
json_tail(const struct plan *plan, struct str *to)
{
	str_add(to, "  \"requests\": [");
	for (size_t i = 0; i < plan->request_count; i++) {
		str_add(to, i == 0 ? "{" : ", {");
		json_text("text", plan->requests[i].text, to);
		str_add(to, ", ");
		json_srcpos(&plan->requests[i].srcpos, to);
		str_add(to, "}");
	}
	str_add(to, "],\n  \"notices\": [");
	for (size_t i = 0; i < plan->notice_count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, plan->notices[i]);
	}
	str_add(to, "],\n  \"facts\": ");
	facts_print(&plan->facts, to);
	str_add(to, "\n}\n");
}

void
print_json_plan(const struct plan *plan, struct str *to)
{
	json_head(plan, to);
	json_files(plan, to);
	json_network(plan, to);
	json_env(plan, to);
	json_limits(plan, to);
	json_layers(plan, to);
	json_promises(plan, to);
	json_tail(plan, to);
}
