// SPDX-License-Identifier: MIT
/*
 * Keeping the list of repositories. Finding them takes a look into every folder, so how often that is done
 * again depends on how long it takes.
 */
#include "plan/hookroots.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan/looked.h"
#include "plan/repositories.h"

/* For how long what may become a repository is counted as one. */
#define PATIENCE_NS (60 * HOOKROOTS_MOMENT_NS)
/* A look through the project is done again when it took less than this part of the time since. */
#define PART 100
/* More folders than this are not looked into. */
#define FOLDERS_MAX 1000000u

int64_t
hookroots_now(void)
{
	struct timespec at = {0};

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ll + at.tv_nsec;
}

void
hookroots_start(struct hookroots *roots)
{
	*roots = (struct hookroots){0};
	pthread_mutex_init(&roots->walking, NULL);
}

static void
free_items(struct hookroot *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(items[i].path);
	free(items);
}

void
hookroots_end(struct hookroots *roots)
{
	free_items(roots->items, roots->count);
	pthread_mutex_destroy(&roots->walking);
}

static struct hookroot *
find(const struct hookroots *roots, const char *path, size_t length)
{
	for (size_t i = 0; i < roots->count; i++)
		if (strncmp(roots->items[i].path, path, length) == 0 &&
		    roots->items[i].path[length] == '\0')
			return &roots->items[i];
	return NULL;
}

static bool
add(struct hookroots *roots, const char *path, size_t length, int64_t until)
{
	struct hookroot *items = realloc(roots->items, (roots->count + 1) * sizeof *items);

	if (items == NULL)
		return false;
	roots->items = items;
	items[roots->count] = (struct hookroot){strndup(path, length), until};
	if (items[roots->count].path == NULL)
		return false;
	roots->count++;
	return true;
}

bool
hookroots_expect(struct hookroots *roots, const char *path, size_t length, int64_t time)
{
	struct hookroot *known = find(roots, path, length);

	if (known == NULL)
		return add(roots, path, length, time + PATIENCE_NS);
	known->until = time + PATIENCE_NS;
	return true;
}

/* Is it still one, though it was not found: where a folder on the way cannot be listed any more? */
static bool
is_there(const struct hookroot *root, int64_t time)
{
	return root->until > time || looked_has(root->path, ".git") ||
	       looked_is_repository(root->path);
}

/* Those that were found take the place of all that are no more. */
static bool
replace(struct hookroots *roots, const struct repositories *found, const char *project,
	int64_t time)
{
	struct hookroot *old = roots->items;
	size_t count = roots->count;
	bool fine = true;

	roots->items = NULL;
	roots->count = 0;
	for (size_t i = 0; fine && i < found->count; i++)
		if (strcmp(found->roots[i], project) != 0)
			fine = add(roots, found->roots[i], strlen(found->roots[i]), 0);
	for (size_t i = 0; fine && i < count; i++)
		if (find(roots, old[i].path, strlen(old[i].path)) == NULL &&
		    is_there(&old[i], time))
			fine = add(roots, old[i].path, strlen(old[i].path), old[i].until);
	free_items(old, count);
	return fine;
}

/* The lock is not held, walking is. */
static bool
walk(struct hookroots *roots, pthread_mutex_t *lock, const char *project, int64_t start)
{
	auto_arena struct arena arena = {0};
	struct repositories found;
	bool fine = repositories_find(&arena, project, FOLDERS_MAX, &found) == 0;
	int64_t end = hookroots_now(), wait = (end - start) * PART;

	pthread_mutex_lock(lock);
	roots->is_walked = fine && replace(roots, &found, project, start);
	roots->is_whole = fine && found.is_whole;
	roots->again = end + (wait > HOOKROOTS_MOMENT_NS ? wait : HOOKROOTS_MOMENT_NS);
	fine = roots->is_walked;
	pthread_mutex_unlock(lock);
	return fine;
}

/* Who finds that it was done does not wait for somebody who does it once more. */
bool
hookroots_find(struct hookroots *roots, pthread_mutex_t *lock, const char *project, int64_t *time)
{
	bool fine = true, is_walked = roots->is_walked;

	if (is_walked && *time < roots->again)
		return true;
	pthread_mutex_unlock(lock);
	if (!is_walked)
		pthread_mutex_lock(&roots->walking);
	if (!is_walked || pthread_mutex_trylock(&roots->walking) == 0) {
		*time = hookroots_now();
		if (!roots->is_walked || *time >= roots->again)
			fine = walk(roots, lock, project, *time);
		pthread_mutex_unlock(&roots->walking);
	}
	pthread_mutex_lock(lock);
	return fine;
}

const char **
hookroots_copy(const struct hookroots *roots, struct arena *arena, size_t *ret_count)
{
	const char **paths = arena_alloc(arena, (roots->count + 1) * sizeof *paths, NULL);

	*ret_count = roots->count;
	for (size_t i = 0; paths != NULL && i < roots->count; i++) {
		paths[i] = arena_strdup(arena, roots->items[i].path, NULL);
		if (paths[i] == NULL)
			return NULL;
	}
	return paths;
}
