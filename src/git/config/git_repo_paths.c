// SPDX-License-Identifier: MIT
/* A map from paths, sorted by bytes like base/path_set: a lookup costs one binary search per component. */
#include "git/config/git_repo_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

void
git_repo_paths_key(const char *path, size_t exact, char to[PATH_MAX])
{
	size_t length = 0, end = 0;

	for (; length < PATH_MAX - 1 && path[length] != '\0'; length++) {
		if (path[length] == '/')
			end = length;
		if ((unsigned char)path[length] >= 0x80 && length >= exact)
			break;
		to[length] = ascii_lower(path[length]);
	}
	/* the empty key is above all */
	if (path[length] != '\0' || length == 1)
		length = end;
	to[length] = '\0';
}

/* Compares key with the first length bytes of text, then more unless it is '\0', like strcmp. */
static int
compare(const char *key, const char *text, size_t length, char more)
{
	int order = strncmp(key, text, length);

	return order != 0 ? order : (unsigned char)key[length] - (unsigned char)more;
}

/* Index of the first key that is not smaller. */
static size_t
first_at(const struct git_repo_paths *places, const char *text, size_t length, char more)
{
	size_t low = 0, high = places->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(places->items[middle].key, text, length, more) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
make_room(struct git_repo_paths *places)
{
	size_t room = places->room == 0 ? 16 : 2 * places->room;
	struct git_repo_path *items;

	if (places->count < places->room)
		return true;
	items = realloc(places->items, room * sizeof *items);
	if (items == NULL)
		return false;
	places->items = items;
	places->room = room;
	return true;
}

bool
git_repo_paths_add(struct git_repo_paths *places, const char *key, struct git_repo_entry *root)
{
	size_t at = first_at(places, key, strlen(key), '\0');

	if (!make_room(places))
		return false;
	memmove(places->items + at + 1, places->items + at,
		(places->count - at) * sizeof *places->items);
	places->items[at] = (struct git_repo_path){key, root};
	places->count++;
	return true;
}

void
git_repo_paths_remove(struct git_repo_paths *places, const char *key,
		      const struct git_repo_entry *root)
{
	size_t at = first_at(places, key, strlen(key), '\0');

	while (at < places->count && strcmp(places->items[at].key, key) == 0 &&
	       places->items[at].root != root)
		at++;
	if (at == places->count || places->items[at].root != root)
		return;
	places->count--;
	memmove(places->items + at, places->items + at + 1,
		(places->count - at) * sizeof *places->items);
}

struct paths_visit {
	const struct git_repo_paths *places;
	git_repo_path_fn *use;
	void *context;
};

/* Visits that text, or with more '/' every key below it. */
static void
each_at(const struct paths_visit *visit, const char *key, size_t length, char more)
{
	const struct git_repo_paths *places = visit->places;

	for (size_t at = first_at(places, key, length, more);
	     at < places->count && compare(places->items[at].key, key, length, more) == 0; at++)
		visit->use(visit->context, places->items[at].root);
}

void
git_repo_paths_below(const struct git_repo_paths *places, const char *key, git_repo_path_fn *use,
		     void *context)
{
	const struct paths_visit visit = {places, use, context};

	each_at(&visit, key, strlen(key), '\0');
	each_at(&visit, key, strlen(key), '/');
}

void
git_repo_paths_each(const struct git_repo_paths *places, const char *key, git_repo_path_fn *use,
		    void *context)
{
	const struct paths_visit visit = {places, use, context};

	for (const char *at = strchr(key, '/'); at != NULL; at = strchr(at + 1, '/'))
		each_at(&visit, key, (size_t)(at - key), '\0');
	git_repo_paths_below(places, key, use, context);
}
