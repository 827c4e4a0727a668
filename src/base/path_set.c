// SPDX-License-Identifier: MIT
/*
 * A sorted set of paths. In the order of bytes the paths below a directory are contiguous, but need not
 * follow it directly.
 */
#include "base/path_set.h"

#include <string.h>

int
path_set_add(struct path_set *set, struct arena *arena, const char *path, struct cordon_error *err)
{
	const char **slot = arena_push(arena, &set->items, &set->count, sizeof *slot, err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = path;
	return 0;
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void
path_set_sort(struct path_set *set)
{
	if (set->count > 1)
		qsort(set->items, set->count, sizeof *set->items, by_bytes);
}

/* Compares item with length bytes of path, then more unless it is '\0', like strcmp. */
static int
compare(const char *item, const char *path, size_t length, char more)
{
	int order = strncmp(item, path, length);

	return order != 0 ? order : (unsigned char)item[length] - (unsigned char)more;
}

/* Index of the first item that is not smaller. */
static size_t
first_at(const struct path_set *set, const char *path, size_t length, char more)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(set->items[middle], path, length, more) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
has(const struct path_set *set, const char *path, size_t length)
{
	size_t at = first_at(set, path, length, '\0');

	return at < set->count && compare(set->items[at], path, length, '\0') == 0;
}

bool
path_set_has(const struct path_set *set, const char *path)
{
	return has(set, path, strlen(path));
}

size_t
path_set_top(const struct path_set *set, const char *path)
{
	if (set->count == 0)
		return 0;
	if (has(set, "/", 1))
		return 1;
	for (const char *slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/'))
		if (has(set, path, (size_t)(slash - path)))
			return (size_t)(slash - path);
	return has(set, path, strlen(path)) ? strlen(path) : 0;
}

bool
path_set_covers(const struct path_set *set, const char *path)
{
	return path_set_top(set, path) > 0;
}

bool
path_set_is_in(const struct path_set *set, const char *path)
{
	size_t length = strlen(path), below;

	if (set->count == 0 || strcmp(path, "/") == 0 || has(set, path, length))
		return set->count > 0;
	below = first_at(set, path, length, '/');
	return below < set->count && compare(set->items[below], path, length, '/') == 0;
}
