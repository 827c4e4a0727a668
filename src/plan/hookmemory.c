// SPDX-License-Identifier: MIT
/*
 * Remembering what was looked at. Whenever a name is to be changed, the folders above it are looked at, and
 * of those that are repositories the settings are read. What these name elsewhere in the project is found by
 * a look through the project, at the first change. Everything is read without the lock.
 */
#include "plan/hookmemory.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/hash.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/hookask.h"
#include "plan/host.h"
#include "plan/repositories.h"

#define SLOTS 128u
/* For how long the user's own changes may stay unseen. */
#define MOMENT_NS 1000000000ll
/* For how long what may become a repository is counted as one. */
#define PATIENCE_NS (60 * MOMENT_NS)
/* A look through the project is done again when it took less than this part of the time since. */
#define PART 100

/* Folders that are looked into for any change; and for a name that can be a hook. */
#define SOME_FOLDERS 10000u
#define ALL_FOLDERS 1000000u

enum reach { REACH_NOTHING, REACH_SOME, REACH_ALL };

struct root {
	char *path;
	int64_t until; /* it counts whether it is a repository or not; 0: it was found to be one */
};

struct hookmemory {
	pthread_mutex_t lock, walking; /* walking: one looks through the project, and no other */
	uint64_t turn, kept_turn;      /* submodules can be many: only their settings count there */
	struct looked *slots[SLOTS];
	struct root *roots; /* the repositories in the project, without the one that it is itself */
	size_t root_count;
	enum reach reach;      /* of the look that found them, */
	int64_t again;	       /* and when it is done again */
	struct looked *abroad; /* what they name outside of themselves; NULL: that is not known */
};

static int64_t
now(void)
{
	struct timespec at = {0};

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ll + at.tv_nsec;
}

static struct looked *
looked_new(const char *path, size_t length, uint64_t turn, int64_t time)
{
	struct looked *one = calloc(1, sizeof *one);

	if (one != NULL)
		*one = (struct looked){.folder = strndup(path, length),
				       .turn = turn,
				       .until = time + MOMENT_NS};
	if (one != NULL && one->folder == NULL) {
		free(one);
		one = NULL;
	}
	return one;
}

static struct looked *
looked_free(struct looked *one)
{
	if (one != NULL)
		looked_forget(one);
	free(one);
	return NULL;
}

struct hookmemory *
hookmemory_new(void)
{
	struct hookmemory *memory = calloc(1, sizeof *memory);

	if (memory == NULL)
		return NULL;
	pthread_mutex_init(&memory->lock, NULL);
	pthread_mutex_init(&memory->walking, NULL);
	return memory;
}

static void
free_roots(struct root *roots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(roots[i].path);
	free(roots);
}

struct hookmemory *
hookmemory_free(struct hookmemory *memory)
{
	if (memory == NULL)
		return NULL;
	for (size_t i = 0; i < SLOTS; i++)
		looked_free(memory->slots[i]);
	looked_free(memory->abroad);
	free_roots(memory->roots, memory->root_count);
	pthread_mutex_destroy(&memory->walking);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
	return NULL;
}

void
hookmemory_changed(struct hookmemory *memory, bool has_settings)
{
	if (memory == NULL)
		return;
	pthread_mutex_lock(&memory->lock);
	memory->turn++;
	memory->kept_turn += has_settings;
	pthread_mutex_unlock(&memory->lock);
}

/* One question. Its lock is held but where something is read. */
struct asking {
	struct hookmemory *memory;
	const struct host *host;
	struct hookquestion *q;
	int64_t time;
};

/* ---- the folders above ---- */

static struct looked *
read_folder(struct asking *a, const char *path, size_t length, uint64_t turn)
{
	struct looked *one = looked_new(path, length, turn, a->time);

	pthread_mutex_unlock(&a->memory->lock);
	if (one != NULL && length > 1 && path[length - 1] == '/')
		looked_at_kept(one, a->host);
	else if (one != NULL)
		looked_at(one, a->host);
	pthread_mutex_lock(&a->memory->lock);
	return one;
}

/* Stays as long as the lock is held. NULL: there is no memory. */
static const struct looked *
look(struct asking *a, const char *path, size_t length, uint64_t hash)
{
	struct looked **slot = &a->memory->slots[hash % SLOTS], *one = *slot;
	bool is_kept = length > 1 && path[length - 1] == '/';
	uint64_t turn = is_kept ? a->memory->kept_turn : a->memory->turn;

	if (one != NULL && one->turn == turn && a->time < one->until &&
	    strncmp(one->folder, path, length) == 0 && one->folder[length] == '\0')
		return one;
	one = read_folder(a, path, length, turn);
	looked_free(*slot);
	*slot = one;
	return one;
}

/* By the folder that is the first length bytes of the path. */
static const struct protection *
find_by(struct asking *a, size_t length, uint64_t hash)
{
	const struct looked *one = look(a, a->q->path, length, hash);
	const struct protection *found = one == NULL ? &hookask_unseen
						     : hookask_find(one, a->q, length);
	char keeper[PATH_MAX + 8];

	if (found != NULL || one->keeper == NULL)
		return found;
	/* what it is in may be forgotten for the next */
	snprintf(keeper, sizeof keeper, "%s", one->keeper);
	one = look(a, keeper, strlen(keeper), hash_text(keeper));
	return one == NULL ? &hookask_unseen : hookask_find(one, a->q, length);
}

static const struct protection *
find_above(struct asking *a)
{
	const struct protection *found = NULL;
	const char *path = a->q->path;
	uint64_t hash = HASH_START;

	for (size_t at = 0; found == NULL && path[at] != '\0'; at++) {
		/* "/" is a folder, too */
		if (path[at] == '/' && at + (at == 0) >= a->q->top)
			found = find_by(a, at + (at == 0), hash);
		hash = hash_byte(hash, path[at]);
	}
	return found;
}

/* ---- the repositories elsewhere ---- */

static struct root *
find_root(const struct hookmemory *memory, const char *path, size_t length)
{
	for (size_t i = 0; i < memory->root_count; i++)
		if (strncmp(memory->roots[i].path, path, length) == 0 &&
		    memory->roots[i].path[length] == '\0')
			return &memory->roots[i];
	return NULL;
}

static bool
add_root(struct hookmemory *memory, const char *path, size_t length, int64_t until)
{
	struct root *roots, *known = find_root(memory, path, length);

	if (known != NULL) {
		known->until = until;
		return true;
	}
	roots = realloc(memory->roots, (memory->root_count + 1) * sizeof *roots);
	if (roots == NULL)
		return false;
	memory->roots = roots;
	roots[memory->root_count] = (struct root){strndup(path, length), until};
	if (roots[memory->root_count].path == NULL)
		return false;
	memory->root_count++;
	return true;
}

/* Those that were found take the place of all but the newest. */
static bool
take_roots(struct asking *a, const struct repositories *found)
{
	struct hookmemory *memory = a->memory;
	struct root *old = memory->roots;
	size_t count = memory->root_count;
	bool fine = true;

	memory->roots = NULL;
	memory->root_count = 0;
	for (size_t i = 0; fine && i < found->count; i++)
		if (strcmp(found->roots[i], a->host->project) != 0)
			fine = add_root(memory, found->roots[i], strlen(found->roots[i]), 0);
	for (size_t i = 0; fine && i < count; i++)
		if (old[i].until > a->time)
			fine = add_root(memory, old[i].path, strlen(old[i].path), old[i].until);
	free_roots(old, count);
	return fine;
}

/* The lock is not held, walking is. */
static bool
walk(struct asking *a, enum reach reach)
{
	auto_arena struct arena arena = {0};
	struct hookmemory *memory = a->memory;
	struct repositories found;
	bool fine = repositories_find(&arena, a->host->project,
				      reach == REACH_ALL ? ALL_FOLDERS : SOME_FOLDERS, &found) == 0;
	int64_t end = now(), took = end - a->time;

	pthread_mutex_lock(&memory->lock);
	fine = fine && take_roots(a, &found);
	if (fine) {
		memory->reach = found.is_whole ? REACH_ALL : reach;
		memory->again = end + (took * PART > MOMENT_NS ? took * PART : MOMENT_NS);
		memory->abroad = looked_free(memory->abroad);
	}
	pthread_mutex_unlock(&memory->lock);
	return fine;
}

/* Who needs no more than is known does not wait for somebody who looks once more. */
static bool
walk_once(struct asking *a, enum reach reach)
{
	struct hookmemory *memory = a->memory;
	bool fine = true, is_known = memory->reach >= reach;

	if (is_known && a->time < memory->again)
		return true;
	pthread_mutex_unlock(&memory->lock);
	if (!is_known)
		pthread_mutex_lock(&memory->walking);
	if (!is_known || pthread_mutex_trylock(&memory->walking) == 0) {
		a->time = now();
		if (memory->reach < reach || a->time >= memory->again)
			fine = walk(a, memory->reach > reach ? memory->reach : reach);
		pthread_mutex_unlock(&memory->walking);
	}
	pthread_mutex_lock(&memory->lock);
	return fine;
}

/* Their paths are copied: the list may change while they are read. */
static int
read_all_abroad(struct asking *a, struct looked *to)
{
	auto_arena struct arena arena = {0};
	struct hookmemory *memory = a->memory;
	struct hookdirs found = {0};
	size_t count = memory->root_count;
	const char **paths = arena_alloc(&arena, (count + 1) * sizeof *paths, NULL);
	int rc = paths == NULL ? -CORDON_E_MEMORY : 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		paths[i] = arena_strdup(&arena, memory->roots[i].path, NULL);
		rc = paths[i] == NULL ? -CORDON_E_MEMORY : 0;
	}
	pthread_mutex_unlock(&memory->lock);
	/* what lies in the repository itself is found from there */
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = looked_collect(&to->arena, a->host,
				    &(struct looked_part){paths[i], paths[i], true}, &found);
	to->dirs = found.items;
	to->count = found.count;
	pthread_mutex_lock(&memory->lock);
	return rc;
}

/* Stays as long as the lock is held. NULL: there is no memory. */
static const struct looked *
look_abroad(struct asking *a)
{
	struct hookmemory *memory = a->memory;
	struct looked *one = memory->abroad;

	if (one != NULL && one->turn == memory->turn && a->time < one->until)
		return one;
	one = looked_new("", 0, memory->turn, a->time);
	if (one != NULL)
		one->is_failed = read_all_abroad(a, one) < 0;
	looked_free(memory->abroad);
	memory->abroad = one;
	return one;
}

/* Behind a folder and a slash; NULL: path is not in it. */
static const char *
rest_in(const char *path, const char *folder)
{
	size_t length = folder == NULL ? 0 : strlen(folder);

	return length > 0 && path_below(path, folder) && path[length] == '/' ? path + length + 1
									     : NULL;
}

/* What git itself has in the project's own repository, and nobody names in settings. */
static bool
is_gits_own(const struct asking *a)
{
	static const char *const names[] = {"objects", "refs", "logs", "index", "index.lock"};
	const char *rest = rest_in(a->q->path, a->host->project);

	if (rest != NULL && str_starts(rest, ".git/"))
		rest += strlen(".git/");
	else if ((rest = rest_in(a->q->path, a->host->git.git_dir)) == NULL)
		rest = rest_in(a->q->path, a->host->git.common_dir);
	for (size_t i = 0; rest != NULL && i < sizeof names / sizeof names[0]; i++)
		if (path_below(rest, names[i]))
			return true;
	return false;
}

/* The more of the project is looked through, the more can come of the name. */
static const struct protection *
find_abroad(struct asking *a)
{
	const char *project = a->host->project, *name = path_last(a->q->path);
	bool is_hook = hookask_is_hook(name, strlen(name));
	const struct looked *one;

	if (project == NULL || is_gits_own(a))
		return NULL;
	if (!walk_once(a, a->q->is_link || is_hook ? REACH_ALL : REACH_SOME))
		return &hookask_unseen;
	one = look_abroad(a);
	return one == NULL ? &hookask_unseen
			   : hookask_find(one, a->q,
					  path_below(a->q->path, project) ? strlen(project)
									  : a->q->top);
}

/* ---- asking ---- */

static bool
is_project(const struct asking *a, size_t length)
{
	const char *project = a->host->project;

	return project != NULL && strlen(project) == length &&
	       strncmp(a->q->path, project, length) == 0;
}

/* Its folder may become a repository; what is in a git directory does not. */
static bool
expect_repository(struct asking *a)
{
	static const char *const names[] = {".git", "HEAD", "objects", "commondir"};
	const char *path = a->q->path, *name = path_last(path);

	for (size_t i = 0; strstr(path, "/.git/") == NULL && i < sizeof names / sizeof names[0];
	     i++)
		if (strcasecmp(name, names[i]) == 0 && name - path > 1 &&
		    !is_project(a, (size_t)(name - path) - 1))
			return add_root(a->memory, path, (size_t)(name - path) - 1,
					a->time + PATIENCE_NS);
	return true;
}

const struct protection *
hookmemory_ask(struct hookmemory *memory, const struct host *host, struct hookquestion *q)
{
	struct asking a = {memory, host, q, now()};
	const struct protection *found;

	q->anchor = strlen(q->path);
	if (memory == NULL || host == NULL || q->top == 0)
		return NULL;
	pthread_mutex_lock(&memory->lock);
	found = find_above(&a);
	if (found == NULL)
		found = find_abroad(&a);
	/* whoever is about to change a name of git's asks about it first */
	if (q->is_delicate) {
		memory->turn++;
		if (!expect_repository(&a) && found == NULL)
			found = &hookask_unseen;
	}
	pthread_mutex_unlock(&memory->lock);
	return found;
}
