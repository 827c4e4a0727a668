// SPDX-License-Identifier: MIT
/*
 * Prints all that a plan enforces in a canonical form: two commands may share a sandbox only if the
 * texts are equal. Source positions, the existence of files, and the inherited variables are left
 * out, because they do not change what is enforced.
 */
#include "explain/print_text.h"

static void
add_text(struct str *to, const char *key, const char *text)
{
	str_printf(to, " %s=", key);
	/* escaped by bytes: two names with invalid UTF-8 must not become equal */
	str_json_bytes(to, text == NULL ? "" : text);
}

static void
add_rules(struct str *to, const struct planned_rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rules[i].rights == 0)
			continue;
		str_printf(to, "rule %d %u %d %d", rules[i].effect, rules[i].rights, rules[i].match,
			   rules[i].layer);
		add_text(to, "path", rules[i].path);
		if (rules[i].alias_of != NULL) {
			add_text(to, "root", rules[i].root);
			add_text(to, "behind", rules[i].alias_of);
		}
		str_add(to, "\n");
	}
}

static void
add_words(struct str *to, const char *key, const struct words *words)
{
	str_printf(to, "%s %zu", key, words->count);
	for (size_t i = 0; i < words->count; i++)
		add_text(to, "word", words->items[i].text);
	str_add(to, "\n");
}

static void
add_ports(struct str *to, const char *key, const struct ports *ports)
{
	str_printf(to, "%s %zu", key, ports->count);
	for (size_t i = 0; i < ports->count; i++)
		str_printf(to, " %u", ports->items[i].number);
	str_add(to, "\n");
}

static void
add_network(struct str *to, const struct plan *plan)
{
	const struct network *network = &plan->settings.network;

	str_printf(to, "network %d %d %d", network->mode, network->ech == ECH_ALLOW,
		   plan->has_datagrams);
	add_text(to, "resolver", network->resolver.text);
	str_add(to, "\n");
	add_ports(to, "localhost", &network->localhost);
	add_ports(to, "ports", &network->ports);
	add_ports(to, "opaque", &network->opaque);
	add_words(to, "domains", &network->domains);
	add_words(to, "private", &network->private_ranges);
	for (size_t i = 0; i < plan->socket_count; i++) {
		add_text(to, "socket", plan->sockets[i].path);
		str_add(to, "\n");
	}
}

static void
add_environment(struct str *to, const struct environment *env)
{
	str_printf(to, "env %d\n", env->mode);
	add_words(to, "allow", &env->allow);
	for (size_t i = 0; i < env->set_count; i++) {
		add_text(to, "set", env->set[i].name);
		add_text(to, "to", env->set[i].value);
		str_add(to, "\n");
	}
}

void
digest_print(const struct plan *plan, struct str *to)
{
	const struct index *index = &plan->index;

	str_printf(to, "system %d default %u tmp %d ipc %d", plan->host->system,
		   index->default_rights, plan->settings.tmp, plan->settings.ipc);
	add_text(to, "project", plan->host->project);
	str_add(to, "\n");
	add_rules(to, index->paths, index->path_count);
	add_rules(to, index->patterns, index->pattern_count);
	for (size_t i = 0; i < index->protections.count; i++) {
		str_printf(to, "protection %d", index->protections.items[i].kind);
		add_text(to, "pattern", index->protections.items[i].pattern);
		str_add(to, "\n");
	}
	add_network(to, plan);
	add_environment(to, &plan->settings.env);
	for (int i = 0; i < LIMIT_COUNT; i++)
		str_printf(to, "limit %llu\n", (unsigned long long)plan->settings.limits[i].value);
	for (int i = 0; i < G_COUNT; i++)
		str_printf(to, "guarantee %d\n", plan->guarantees[i].status);
}
