// SPDX-License-Identifier: MIT
/* Adding up a stack. Pure: entries in, one record out. */
#include "policy/settings.h"

#include <string.h>

#include "base/str.h"

struct merger {
	struct arena *arena;
	struct settings *to;
	struct cordon_error *err;
};

static int
add_word(struct merger *m, struct words *words, const struct word *word)
{
	struct word *slot;

	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->items[i].text, word->text) == 0)
			return 0;
	slot = arena_push(m->arena, &words->items, &words->count, sizeof *slot, m->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = *word;
	return 0;
}

static int
add_words(struct merger *m, struct words *to, const struct words *from)
{
	for (size_t i = 0; i < from->count; i++) {
		int rc = add_word(m, to, &from->items[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
add_port(struct merger *m, struct ports *ports, struct port port)
{
	struct port *slot;

	for (size_t i = 0; i < ports->count; i++)
		if (ports->items[i].number == port.number)
			return 0;
	slot = arena_push(m->arena, &ports->items, &ports->count, sizeof *slot, m->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = port;
	return 0;
}

static int
add_ports(struct merger *m, struct ports *to, const struct ports *from)
{
	for (size_t i = 0; i < from->count; i++) {
		int rc = add_port(m, to, from->items[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Another mode replaces; the same mode "domains" in two sources adds up. */
static int
merge_network(struct merger *m, const struct network *from)
{
	struct network *to = &m->to->network;
	int rc;

	if (from->mode != NET_UNSET) {
		if (from->mode != NET_DOMAINS || to->mode != NET_DOMAINS)
			to->domains = (struct words){0};
		to->mode = from->mode;
		to->place = from->place;
		to->localhost = from->localhost;
	}
	if (from->resolver.text != NULL)
		to->resolver = from->resolver;
	rc = add_words(m, &to->domains, &from->domains);
	return rc < 0 ? rc : add_words(m, &to->private_ranges, &from->private_ranges);
}

static int
merge_env(struct merger *m, const struct environment *from)
{
	struct environment *to = &m->to->env;
	int rc;

	if (from->mode != ENV_UNSET) {
		to->mode = from->mode;
		to->place = from->place;
	}
	rc = add_words(m, &to->allow, &from->allow);
	for (size_t i = 0; rc == 0 && i < from->set_count; i++) {
		struct env_set *slot = NULL;

		for (size_t k = 0; k < to->set_count; k++)
			if (strcmp(to->set[k].name, from->set[i].name) == 0)
				slot = &to->set[k];
		if (slot == NULL)
			slot = arena_push(m->arena, &to->set, &to->set_count, sizeof *slot, m->err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = from->set[i];
	}
	return rc;
}

int
guarantee_by_name(const char *name)
{
	for (int i = 0; i < G_COUNT; i++)
		if (strcmp(guarantee_names[i], name) == 0)
			return i;
	return -1;
}

static int
merge_policy(struct merger *m, const struct policy *policy)
{
	struct settings *to = m->to;
	int rc;

	if (policy->has_default)
		to->default_rights = policy->default_rights;
	if (policy->tmp != TMP_UNSET)
		to->tmp = policy->tmp;
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (policy->limits[i].value != 0)
			to->limits[i] = policy->limits[i];
	for (size_t i = 0; i < policy->accept.count; i++)
		to->accept[guarantee_by_name(policy->accept.items[i].text)] = true;
	rc = add_words(m, &to->sockets, &policy->sockets);
	if (rc == 0)
		rc = merge_network(m, &policy->network);
	return rc < 0 ? rc : merge_env(m, &policy->env);
}

static bool
adds_ports(const struct stack_entry *entry)
{
	return entry->layer == LAYER_PROFILE || entry->options;
}

/*
 * A list in a file replaces the usual two, and the innermost file's holds; ports of profiles and of
 * single options add.
 */
static int
merge_ports(struct merger *m, const struct stack *stack)
{
	static struct port web[] = {{80, {"default", 0, 0}}, {443, {"default", 0, 0}}};
	const struct ports usual = {web, 2};
	const struct ports *chosen = &usual;
	int rc = 0;

	for (size_t i = 0; i < stack->count; i++)
		if (!adds_ports(&stack->entries[i]) &&
		    stack->entries[i].policy->network.ports.count > 0)
			chosen = &stack->entries[i].policy->network.ports;
	rc = add_ports(m, &m->to->network.ports, chosen);
	for (size_t i = 0; rc == 0 && i < stack->count; i++)
		if (adds_ports(&stack->entries[i]))
			rc = add_ports(m, &m->to->network.ports,
				       &stack->entries[i].policy->network.ports);
	return rc;
}

int
settings_merge(struct arena *arena, const struct stack *stack, struct settings *ret,
	       struct cordon_error *err)
{
	struct merger m = {arena, ret, err};
	int rc = 0;

	/* nothing said: nothing allowed */
	*ret = (struct settings){.network.mode = NET_NONE,
				 .env.mode = ENV_SCRUB,
				 .tmp = TMP_PRIVATE};
	for (size_t i = 0; rc == 0 && i < stack->count; i++)
		rc = merge_policy(&m, stack->entries[i].policy);
	return rc < 0 ? rc : merge_ports(&m, stack);
}

bool
domain_covers(const char *pattern, const char *domain)
{
	size_t pattern_length = strlen(pattern), length = strlen(domain);

	if (!str_starts(pattern, "*."))
		return strcmp(pattern, domain) == 0;
	/* "*.x" covers "a.x" and "*.a.x" and "*.x", not "x" */
	return length >= pattern_length &&
	       strcmp(domain + length - (pattern_length - 1), pattern + 1) == 0;
}

bool
env_name_matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (length > 0 && pattern[length - 1] == '*')
		return strncmp(pattern, name, length - 1) == 0;
	return strcmp(pattern, name) == 0;
}
