// SPDX-License-Identifier: MIT
/* DNS answers given to programs. A linear list: it is short and searched once for each connection. */
#include "proxy/resolve/answer_cache.h"

#include <stdlib.h>
#include <string.h>

static struct answer_entry *
find(struct answers *answers, const struct ip_address *address, const char *name)
{
	for (size_t i = 0; i < answers->count; i++)
		if (ip_equal(&answers->items[i].address, address) &&
		    strcmp(answers->items[i].name, name) == 0)
			return &answers->items[i];
	return NULL;
}

/* Returns an expired entry, or else the one that expires first. */
static struct answer_entry *
find_oldest(struct answers *answers, uint64_t now)
{
	struct answer_entry *oldest = &answers->items[0];

	for (size_t i = 0; i < answers->count && oldest->until > now; i++)
		if (answers->items[i].until < oldest->until)
			oldest = &answers->items[i];
	return oldest;
}

static struct answer_entry *
find_room(struct answers *answers, uint64_t now)
{
	struct answer_entry *items;

	if (answers->count > 0 &&
	    (answers->count == ANSWERS_MAX || find_oldest(answers, now)->until <= now)) {
		struct answer_entry *old = find_oldest(answers, now);

		free(old->name);
		old->name = NULL;
		return old;
	}
	if (answers->count % 64 == 0) {
		items = realloc(answers->items, (answers->count + 64) * sizeof *items);
		if (items == NULL)
			return NULL;
		answers->items = items;
	}
	items = &answers->items[answers->count++];
	*items = (struct answer_entry){0};
	return items;
}

bool
answers_add(struct answers *answers, const struct ip_address *address, const char *name,
	    uint64_t now, uint64_t until)
{
	struct answer_entry *entry = find(answers, address, name);
	char *copy;

	if (entry != NULL) {
		if (entry->until < until)
			entry->until = until;
		return true;
	}
	copy = strdup(name);
	entry = copy == NULL ? NULL : find_room(answers, now);
	if (entry == NULL) {
		free(copy);
		return false;
	}
	entry->address = *address;
	entry->until = until;
	entry->name = copy;
	return true;
}

const char *
answers_next(const struct answers *answers, const struct ip_address *address, uint64_t now,
	     size_t *at)
{
	for (; *at < answers->count; ++*at) {
		const struct answer_entry *entry = &answers->items[*at];

		if (entry->until > now && ip_equal(&entry->address, address)) {
			++*at;
			return entry->name;
		}
	}
	return NULL;
}

void
answers_free(struct answers *answers)
{
	for (size_t i = 0; i < answers->count; i++)
		free(answers->items[i].name);
	free(answers->items);
	*answers = (struct answers){0};
}
