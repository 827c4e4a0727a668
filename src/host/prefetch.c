// SPDX-License-Identifier: MIT
/*
 * A thread looks up the later paths of many rules, as they are written. A path that the plan
 * expands differently costs one useless lookup.
 */
#include "host/prefetch.h"

#include <stdlib.h>

/* Fewer rules are not worth a thread. */
#define PREFETCH_MIN 1000

static void
look(void *arg)
{
	struct prefetch *prefetch = arg;
	char link[PATH_MAX];

	for (size_t i = 0; i < prefetch->count; i++) {
		const struct rule *rule = &prefetch->rules[i];

		if (match_is_pattern(rule->match) || *rule->path != '/')
			prefetch->kinds[i] = FS_LINK;
		else
			prefetch->kinds[i] =
				prefetch->of->look(prefetch->of->ctx, rule->path, link);
	}
}

size_t
prefetch_start(struct prefetch *prefetch, const struct fs_cache *cache, const struct rule *rules,
	       size_t count)
{
	/* lookups take most of the time, so most of them are left to the thread */
	size_t first = count / 5 * 2;

	*prefetch = (struct prefetch){.of = cache->of};
	if (count < PREFETCH_MIN)
		return count;
	prefetch->rules = rules + first;
	prefetch->count = count - first;
	prefetch->kinds = calloc(prefetch->count, sizeof *prefetch->kinds);
	if (prefetch->kinds == NULL)
		return count;
	prefetch->is_running = worker_start(&prefetch->worker, look, prefetch);
	return prefetch->is_running ? first : count;
}

void
prefetch_end(struct prefetch *prefetch, struct fs_cache *cache)
{
	if (prefetch->is_running)
		worker_end(&prefetch->worker);
	for (size_t i = 0; cache != NULL && prefetch->is_running && i < prefetch->count; i++)
		fs_cache_add(cache, prefetch->rules[i].path, prefetch->kinds[i]);
	free(prefetch->kinds);
	*prefetch = (struct prefetch){0};
}
