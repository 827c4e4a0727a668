// SPDX-License-Identifier: MIT
/*
 * Looking ahead: the later ones of many paths are looked at by a thread, while the plan is made of
 * the ones before. Each is looked at as it is written; where that is not how the plan will ask for
 * it, the answer is true as well, and not needed.
 */
#include "host/prefetch.h"

#include <stdlib.h>
#include <string.h>

/* Fewer are not worth a thread. */
#define AHEAD_MIN 1000

static void
look(void *arg)
{
	struct prefetch *ahead = arg;
	char link[PATH_MAX];

	for (size_t i = 0; i < ahead->count; i++) {
		const struct rule *rule = &ahead->rules[i];

		if (rule->match == MATCH_GLOB || rule->match == MATCH_REGEX || *rule->path != '/')
			ahead->kinds[i] = FS_LINK;
		else
			ahead->kinds[i] = ahead->of->look(ahead->of->ctx, rule->path, link);
	}
}

size_t
prefetch_start(struct prefetch *ahead, const struct fs_memory *memory, const struct rule *rules,
	       size_t count)
{
	/* looking is the larger part of it, so most of it is left to the thread */
	size_t first = count / 5 * 2;

	*ahead = (struct prefetch){.of = memory->of};
	if (count < AHEAD_MIN)
		return count;
	ahead->rules = rules + first;
	ahead->count = count - first;
	ahead->kinds = calloc(ahead->count, sizeof *ahead->kinds);
	if (ahead->kinds == NULL)
		return count;
	ahead->is_looking = worker_start(&ahead->worker, look, ahead);
	return ahead->is_looking ? first : count;
}

void
prefetch_end(struct prefetch *ahead, struct fs_memory *memory)
{
	if (ahead->is_looking)
		worker_end(&ahead->worker);
	for (size_t i = 0; memory != NULL && ahead->is_looking && i < ahead->count; i++)
		fs_cache_tell(memory, ahead->rules[i].path, ahead->kinds[i]);
	free(ahead->kinds);
	*ahead = (struct prefetch){0};
}
