// SPDX-License-Identifier: MIT
/*
 * Prints canonical native text. Short lists are used where they mean the same as a full rule. Only
 * the order of patterns matters: if patterns both allow and deny, all are printed in "rules", in
 * order.
 */
#include "policy/read/printer.h"

#include <string.h>

#include "policy/model/value.h"
#include "policy/read/reader.h"

#define LINE_MAX_WIDTH 90

struct printer {
	struct str *to;
	int depth;
	bool first; /* nothing printed yet in the innermost object */
};

static void
indent(struct printer *p)
{
	for (int i = 0; i < p->depth; i++)
		str_add(p->to, "  ");
}

static void
begin_member(struct printer *p, const char *key)
{
	str_add(p->to, p->first ? "\n" : ",\n");
	p->first = false;
	indent(p);
	if (key != NULL) {
		str_json(p->to, key);
		str_add(p->to, ": ");
	}
}

static void
open_object(struct printer *p, const char *key)
{
	if (key != NULL)
		begin_member(p, key);
	str_add(p->to, "{");
	p->depth++;
	p->first = true;
}

static void
close_object(struct printer *p)
{
	p->depth--;
	if (!p->first) {
		str_add(p->to, "\n");
		indent(p);
	}
	str_add(p->to, "}");
	p->first = false;
}

/* Prints JSON items on one line if they fit, else one per line. */
static void
put_list(struct printer *p, const char *key, const struct str *items, size_t count)
{
	size_t width = strlen(key) + 6 + (size_t)p->depth * 2;

	for (size_t i = 0; i < count; i++)
		width += items[i].length + 2;
	begin_member(p, key);
	str_add(p->to, "[");
	p->depth++;
	for (size_t i = 0; i < count; i++) {
		if (width > LINE_MAX_WIDTH) {
			str_add(p->to, i == 0 ? "\n" : ",\n");
			indent(p);
		} else if (i > 0) {
			str_add(p->to, ", ");
		}
		if (items[i].failed)
			p->to->failed = true;
		else
			str_add_n(p->to, items[i].text, items[i].length);
	}
	p->depth--;
	if (width > LINE_MAX_WIDTH) {
		str_add(p->to, "\n");
		indent(p);
	}
	str_add(p->to, "]");
}

/* Items of the list being collected. */
struct gathered {
	struct str *items;
	size_t count;
};

static struct str *
gather(struct printer *p, struct gathered *g)
{
	struct str *grown = realloc(g->items, (g->count + 1) * sizeof *grown);

	if (grown == NULL) {
		p->to->failed = true;
		return NULL;
	}
	g->items = grown;
	grown[g->count] = (struct str){0};
	return &grown[g->count++];
}

static void
put_gathered(struct printer *p, const char *key, struct gathered *g, bool even_empty)
{
	if (g->count > 0 || even_empty)
		put_list(p, key, g->items, g->count);
	for (size_t i = 0; i < g->count; i++)
		str_free(&g->items[i]);
	free(g->items);
	*g = (struct gathered){0};
}

static void
put_words(struct printer *p, const char *key, const struct words *words, bool even_empty)
{
	struct gathered g = {0};

	for (size_t i = 0; i < words->count; i++) {
		struct str *item = gather(p, &g);

		if (item != NULL)
			str_json(item, words->items[i].text);
	}
	put_gathered(p, key, &g, even_empty);
}

static void
put_ports(struct printer *p, const char *key, const struct ports *ports, bool even_empty)
{
	struct gathered g = {0};

	for (size_t i = 0; i < ports->count; i++) {
		struct str *item = gather(p, &g);

		if (item != NULL)
			str_printf(item, "%u", ports->items[i].number);
	}
	put_gathered(p, key, &g, even_empty);
}

/* ---- files ---- */

static bool
patterns_are_mixed(const struct policy *policy)
{
	bool seen[2] = {false, false};

	for (size_t i = 0; i < policy->rule_count; i++)
		if (match_is_pattern(policy->rules[i].match))
			seen[policy->rules[i].effect] = true;
	return seen[0] && seen[1];
}

/* "optional" matters only where a token can be unset. */
static bool
token_may_lack(const struct rule *rule)
{
	return rule->optional && rule->match != MATCH_REGEX &&
	       (*rule->path == '$' || *rule->path == '~' || read_inner_token(rule->path) != NULL);
}

/* Does the short list express the rule completely? */
static bool
fits_list(const struct rule *rule, bool mixed)
{
	enum match as_list = value_is_glob(rule->path) ? MATCH_GLOB : MATCH_SUBPATH;

	return rule->list != LIST_RULES && rule->why == NULL && !rule->worktrees &&
	       !token_may_lack(rule) && rule->match == as_list &&
	       rule->rights == policy_list_rights(rule->list) &&
	       !(mixed && match_is_pattern(rule->match));
}

static void
print_rule(const struct rule *rule, struct str *to)
{
	char letters[RIGHT_KINDS + 1];

	policy_rights_to_letters(rule->rights, letters);
	str_printf(to, "{\"effect\": \"%s\", \"rights\": \"%s\", \"path\": ",
		   rule->effect == EFFECT_ALLOW ? "allow" : "deny", letters);
	str_json(to, rule->path);
	if (rule->match != MATCH_SUBPATH)
		str_printf(to, ", \"match\": \"%s\"", match_names[rule->match]);
	if (rule->worktrees)
		str_add(to, ", \"worktrees\": true");
	if (token_may_lack(rule))
		str_add(to, ", \"optional\": true");
	if (rule->why != NULL) {
		str_add(to, ", \"why\": ");
		str_json(to, rule->why);
	}
	str_add(to, "}");
}

static void
put_rules(struct printer *p, const struct policy *policy, enum list list, bool mixed)
{
	struct gathered g = {0};

	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct rule *rule = &policy->rules[i];
		bool shorter = fits_list(rule, mixed);
		struct str *item;

		if (list == LIST_RULES ? shorter : !shorter || rule->list != list)
			continue;
		item = gather(p, &g);
		if (item == NULL)
			break;
		if (list == LIST_RULES)
			print_rule(rule, item);
		else
			str_json(item, rule->path);
	}
	put_gathered(p, list_names[list], &g, false);
}

static void
put_files(struct printer *p, const struct policy *policy)
{
	bool mixed = patterns_are_mixed(policy);
	char letters[RIGHT_KINDS + 1];

	if (policy->rule_count == 0 && !policy->has_default)
		return;
	open_object(p, "files");
	for (int list = LIST_READ; list <= LIST_RULES; list++)
		put_rules(p, policy, (enum list)list, mixed);
	if (policy->has_default) {
		policy_rights_to_letters(policy->default_rights, letters);
		begin_member(p, "default");
		str_json(p->to, letters);
	}
	close_object(p);
}

/* ---- other members ---- */

static void
put_bool(struct printer *p, const char *key, bool value)
{
	begin_member(p, key);
	str_add(p->to, value ? "true" : "false");
}

static void
put_network(struct printer *p, const struct network *network)
{
	bool plain = network->ports.count == 0 && network->private_ranges.count == 0 &&
		     network->resolver.text == NULL && network->ech == ECH_UNSET &&
		     network->opaque.count == 0 && network->udp == UDP_UNSET;
	/* the other keys have no effect in these modes */
	bool word = network->mode == NET_NONE || network->mode == NET_ALL ||
		    (network->mode == NET_LOCALHOST && network->localhost.count == 0 &&
		     network->udp == UDP_UNSET) ||
		    (network->mode == NET_UNSET && plain);

	if (word && network->mode == NET_UNSET)
		return;
	if (word) {
		begin_member(p, "network");
		str_json(p->to, net_names[network->mode]);
		return;
	}
	open_object(p, "network");
	if (network->mode == NET_LOCALHOST && network->localhost.count == 0)
		put_bool(p, "localhost", true);
	else
		put_ports(p, "localhost", &network->localhost, false);
	if (network->mode == NET_DOMAINS)
		put_words(p, "domains", &network->domains, true);
	put_ports(p, "ports", &network->ports, false);
	put_ports(p, "opaque", &network->opaque, false);
	put_words(p, "private", &network->private_ranges, false);
	if (network->resolver.text != NULL) {
		begin_member(p, "resolver");
		str_json(p->to, network->resolver.text);
	}
	if (network->ech != ECH_UNSET) {
		begin_member(p, "ech");
		str_json(p->to, ech_names[network->ech]);
	}
	if (network->udp != UDP_UNSET)
		put_bool(p, "udp", network->udp == UDP_ALLOW);
	close_object(p);
}

static void
put_env(struct printer *p, const struct environment *env)
{
	if (env->mode == ENV_UNSET && env->allow.count == 0 && env->set_count == 0)
		return;
	open_object(p, "env");
	if (env->mode != ENV_UNSET) {
		begin_member(p, "mode");
		str_json(p->to, env_names[env->mode]);
	}
	put_words(p, "allow", &env->allow, false);
	if (env->set_count > 0) {
		open_object(p, "set");
		for (size_t i = 0; i < env->set_count; i++) {
			begin_member(p, env->set[i].name);
			str_json(p->to, env->set[i].value);
		}
		close_object(p);
	}
	close_object(p);
}

void
printer_print_limit(enum limit limit, uint64_t value, struct str *to)
{
	static const struct {
		uint64_t factor;
		const char *unit;
	} times[] = {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}},
	  sizes[] = {{1ull << 40, "T"}, {1ull << 30, "G"}, {1ull << 20, "M"}, {1ull << 10, "K"}};
	bool time = limit == LIMIT_TIME || limit == LIMIT_CPU_TIME;
	bool count = limit == LIMIT_PROCESSES || limit == LIMIT_OPEN_FILES;

	for (size_t i = 0; !count && i < 4; i++) {
		uint64_t factor = time ? times[i].factor : sizes[i].factor;

		if (value % factor == 0) {
			str_printf(to, "\"%llu%s\"", (unsigned long long)(value / factor),
				   time ? times[i].unit : sizes[i].unit);
			return;
		}
	}
	str_printf(to, "%llu", (unsigned long long)value);
}

static void
put_limits(struct printer *p, const struct policy *policy)
{
	bool any = false;

	for (int i = 0; i < LIMIT_COUNT; i++)
		any = any || policy->limits[i].value != 0;
	if (!any)
		return;
	open_object(p, "limits");
	for (int i = 0; i < LIMIT_COUNT; i++) {
		if (policy->limits[i].value == 0)
			continue;
		begin_member(p, limit_names[i]);
		printer_print_limit((enum limit)i, policy->limits[i].value, p->to);
	}
	close_object(p);
}

void
policy_print(const struct policy *policy, struct str *to)
{
	struct printer p = {.to = to};

	open_object(&p, NULL);
	put_words(&p, "extends", &policy->extends, policy->has_extends);
	put_files(&p, policy);
	put_network(&p, &policy->network);
	put_words(&p, "sockets", &policy->sockets, false);
	put_env(&p, &policy->env);
	put_limits(&p, policy);
	if (policy->tmp != TMP_UNSET) {
		begin_member(&p, "tmp");
		str_json(to, tmp_names[policy->tmp]);
	}
	if (policy->ipc != IPC_UNSET) {
		begin_member(&p, "ipc");
		str_json(to, ipc_names[policy->ipc]);
	}
	if (policy->on_refusal != ON_REFUSAL_UNSET) {
		begin_member(&p, "on_refusal");
		str_json(to, on_refusal_names[policy->on_refusal]);
	}
	if (policy->log != EVENT_LOG_UNSET) {
		begin_member(&p, "log");
		str_json(to, event_log_names[policy->log]);
	}
	put_words(&p, "accept", &policy->accept, false);
	close_object(&p);
	str_add(to, "\n");
}
