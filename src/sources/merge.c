// SPDX-License-Identifier: MIT
/* Combining sources. Pure computation. */
#include "sources/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"

struct merger {
	struct arena *arena;
	struct settings *to;
	struct cordon_error *err;
};

/*
 * Duplicates are removed once at the end, by sorting: searching each of ten thousand words among
 * the others would dominate a start.
 */
static int
add_words(struct merger *m, struct words *to, const struct words *from)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->count; i++)
		rc = policy_words_add(m->arena, to, &from->items[i], m->err);
	return rc;
}

/* Compares elements by their first member, the key. Equal keys stay in list order. */
static int
by_key(const void *a, const void *b)
{
	const char **x = *(const char **const *)a, **y = *(const char **const *)b;
	int order = strcmp(*x, *y);

	return order != 0 ? order : (x > y) - (x < y);
}

/* Keeps one element per key, at the position of the first: the first itself, or the last. */
static int
clear_twins(struct merger *m, void *items, size_t *count, size_t size, bool last_holds)
{
	auto_free const char ***sorted = calloc(*count + 1, sizeof *sorted);
	size_t kept = 0;

	if (sorted == NULL)
		return cordon_no_memory(m->err);
	for (size_t i = 0; i < *count; i++)
		sorted[i] = (const char **)(void *)((char *)items + i * size);
	qsort(sorted, *count, sizeof *sorted, by_key);
	for (size_t i = *count; i-- > 1;) {
		if (strcmp(*sorted[i], *sorted[i - 1]) != 0)
			continue;
		if (last_holds)
			memcpy(sorted[i - 1], sorted[i], size);
		*sorted[i] = NULL;
	}
	for (size_t i = 0; i < *count; i++) {
		char *item = (char *)items + i * size;

		if (*(const char **)(void *)item != NULL)
			memmove((char *)items + kept++ * size, item, size);
	}
	*count = kept;
	return 0;
}

static int
clear_lists(struct merger *m)
{
	struct settings *to = m->to;
	struct words *const lists[] = {&to->network.domains, &to->network.private_ranges,
				       &to->sockets, &to->env.allow};
	int rc = clear_twins(m, to->env.set, &to->env.set_count, sizeof *to->env.set, true);

	for (size_t i = 0; rc == 0 && i < COUNT(lists); i++)
		rc = clear_twins(m, lists[i]->items, &lists[i]->count, sizeof(struct word), false);
	return rc;
}

/* seen has one bit per port number. */
static int
add_ports(struct merger *m, struct ports *to, unsigned char *seen, const struct port *from,
	  size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		unsigned char bit = (unsigned char)(1u << from[i].number % 8);

		if ((seen[from[i].number / 8] & bit) != 0)
			continue;
		seen[from[i].number / 8] |= bit;
		rc = policy_ports_add(m->arena, to, &from[i], m->err);
	}
	return rc;
}

/* Adds ports to a list, each once. */
static int
join_ports(struct merger *m, struct ports *to, const struct ports *from)
{
	unsigned char seen[(UINT16_MAX + 1) / 8] = {0};
	struct ports joined = {0};
	int rc = add_ports(m, &joined, seen, to->items, to->count);

	if (rc == 0)
		rc = add_ports(m, &joined, seen, from->items, from->count);
	*to = joined;
	return rc;
}

/* Another mode replaces; "domains" from two sources is joined. */
static int
merge_network(struct merger *m, const struct network *from)
{
	struct network *to = &m->to->network;
	int rc = 0;

	if (from->mode != NET_UNSET) {
		bool joins = from->mode == NET_DOMAINS && to->mode == NET_DOMAINS;

		if (!joins) {
			to->domains = (struct words){0};
			to->localhost = (struct ports){0};
		}
		to->mode = from->mode;
		to->srcpos = from->srcpos;
		rc = join_ports(m, &to->localhost, &from->localhost);
	}
	if (from->resolver.text != NULL)
		to->resolver = from->resolver;
	if (from->ech != ECH_UNSET) {
		to->ech = from->ech;
		to->ech_srcpos = from->ech_srcpos;
	}
	if (from->udp != UDP_UNSET) {
		to->udp = from->udp;
		to->udp_srcpos = from->udp_srcpos;
	}
	if (rc == 0)
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
		to->srcpos = from->srcpos;
	}
	rc = add_words(m, &to->allow, &from->allow);
	for (size_t i = 0; rc == 0 && i < from->set_count; i++) {
		struct env_set *slot =
			arena_push(m->arena, &to->set, &to->set_count, sizeof *slot, m->err);

		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = from->set[i];
	}
	return rc;
}

int
merge_guarantee_by_name(const char *name)
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
	if (policy->ipc != IPC_UNSET)
		to->ipc = policy->ipc;
	if (policy->on_refusal != ON_REFUSAL_UNSET)
		to->on_refusal = policy->on_refusal;
	if (policy->log != EVENT_LOG_UNSET)
		to->log = policy->log;
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (policy->limits[i].value != 0)
			to->limits[i] = policy->limits[i];
	for (size_t i = 0; i < policy->accept.count; i++)
		to->accept[merge_guarantee_by_name(policy->accept.items[i].text)] = true;
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
 * A list in a file replaces the default ports, and the innermost file wins. Ports of profiles and
 * of options are added.
 */
static int
merge_ports(struct merger *m, const struct stack *stack)
{
	static const struct port web[] = {{80, {"default", 0, 0}}, {443, {"default", 0, 0}}};
	struct ports *to = &m->to->network.ports;
	unsigned char seen[(UINT16_MAX + 1) / 8] = {0};
	const struct ports *chosen = NULL;
	int rc = 0;

	for (size_t i = 0; i < stack->count; i++)
		if (!adds_ports(&stack->entries[i]) &&
		    stack->entries[i].policy->network.ports.count > 0)
			chosen = &stack->entries[i].policy->network.ports;
	rc = chosen == NULL ? add_ports(m, to, seen, web, COUNT(web))
			    : add_ports(m, to, seen, chosen->items, chosen->count);
	for (size_t i = 0; rc == 0 && i < stack->count; i++) {
		const struct ports *more = &stack->entries[i].policy->network.ports;

		if (adds_ports(&stack->entries[i]))
			rc = add_ports(m, to, seen, more->items, more->count);
	}
	return rc;
}

/* Joined from all sources: it opens no port, since only a listed port is reached. */
static int
merge_opaque(struct merger *m, const struct stack *stack)
{
	unsigned char seen[(UINT16_MAX + 1) / 8] = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < stack->count; i++) {
		const struct ports *from = &stack->entries[i].policy->network.opaque;

		rc = add_ports(m, &m->to->network.opaque, seen, from->items, from->count);
	}
	return rc;
}

int
merge_settings(struct arena *arena, const struct stack *stack, struct settings *ret,
	       struct cordon_error *err)
{
	struct merger m = {arena, ret, err};
	int rc = 0;

	/* the defaults allow nothing */
	*ret = (struct settings){.network.mode = NET_NONE,
				 .env.mode = ENV_SCRUB,
				 .tmp = TMP_PRIVATE,
				 .ipc = IPC_NONE,
				 .log = EVENT_LOG_FILE};
	for (size_t i = 0; rc == 0 && i < stack->count; i++)
		rc = merge_policy(&m, stack->entries[i].policy);
	if (rc == 0)
		rc = clear_lists(&m);
	if (rc == 0)
		rc = merge_ports(&m, stack);
	return rc < 0 ? rc : merge_opaque(&m, stack);
}

bool
merge_domain_covers(const char *pattern, const char *domain)
{
	size_t pattern_length = strlen(pattern), length = strlen(domain);

	if (!str_starts(pattern, "*."))
		return strcmp(pattern, domain) == 0;
	/* "*.x" covers "a.x" and "*.a.x" and "*.x", not "x" */
	return length >= pattern_length &&
	       strcmp(domain + length - (pattern_length - 1), pattern + 1) == 0;
}

bool
merge_env_name_matches(const char *pattern, const char *name)
{
	size_t length;

	/* most names differ in the first byte, and every variable is compared with every pattern */
	if (*pattern != *name && *pattern != '*')
		return false;
	length = strlen(pattern);
	if (length > 0 && pattern[length - 1] == '*')
		return strncmp(pattern, name, length - 1) == 0;
	return strcmp(pattern, name) == 0;
}
