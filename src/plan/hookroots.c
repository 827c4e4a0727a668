// SPDX-License-Identifier: MIT
/*
 * Keeping the list of repositories. Finding all of them takes a look into every folder of the project, which
 * may be many seconds: so that is done once, and for nobody who does not make a hook.
 */
#include "plan/hookroots.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan/looked.h"
#include "plan/repositories.h"

/* For how long what may become a repository is counted as one. */
#define PATIENCE_NS (60 * HOOKROOTS_MOMENT_NS)

/* More folders than these are not looked at: so many that nobody hides one among folders of his own. */
#define FOLDERS_MAX 1000000

#define FEW 64

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

/* Is it still one, though it was not found: where a folder on the way cannot be listed any more? */
static bool
is_there(const struct hookroot *root, int64_t time)
{
	return root->until > time || looked_has(root->path, ".git") ||
	       looked_is_repository(root->path);
}

/*
 * Each one is read again after every change of a name of git's, so that who makes and removes such names must not
 * have ever more of them. At twice as many as were left the last time: that is two looks for each that was made.
 * What was found stays: nobody looks for it again.
 */
static void
forget_gone(struct hookroots *roots, int64_t time)
{
	size_t left = 0;

	for (size_t i = 0; i < roots->count; i++) {
		if (roots->items[i].until == 0 || is_there(&roots->items[i], time))
			roots->items[left++] = roots->items[i];
		else
			free(roots->items[i].path);
	}
	roots->count = left;
	roots->many = left < FEW / 2 ? FEW : 2 * left;
}

bool
hookroots_expect(struct hookroots *roots, const char *path, size_t length, int64_t time)
{
	struct hookroot *known = find(roots, path, length);

	if (known == NULL && roots->count >= roots->many)
		forget_gone(roots, time);
	if (known == NULL)
		return add(roots, path, length, time + PATIENCE_NS);
	known->until = time + PATIENCE_NS;
	return true;
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
walk(struct hookroots *roots, pthread_mutex_t *lock, const char *project,
     enum hookroots_reach reach)
{
	auto_arena struct arena arena = {0};
	struct repositories found = {0};
	bool fine = (reach == HOOKROOTS_ALL ? repositories_find : repositories_beside)(
			    &arena, project, FOLDERS_MAX, &found) == 0;

	pthread_mutex_lock(lock);
	fine = fine && replace(roots, &found, project, hookroots_now());
	roots->reach = fine ? reach : HOOKROOTS_NOWHERE;
	roots->is_whole = fine && found.is_whole;
	pthread_mutex_unlock(lock);
	return fine;
}

bool
hookroots_find(struct hookroots *roots, pthread_mutex_t *lock, const char *project,
	       enum hookroots_reach reach)
{
	bool fine = true;

	if (roots->reach >= reach || roots->is_whole)
		return true;
	pthread_mutex_unlock(lock);
	pthread_mutex_lock(&roots->walking);
	/* somebody else may have done it meanwhile; who walks is the only one to change it */
	if (roots->reach < reach && !roots->is_whole)
		fine = walk(roots, lock, project, reach);
	pthread_mutex_unlock(&roots->walking);
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
