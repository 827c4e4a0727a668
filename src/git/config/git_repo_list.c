// SPDX-License-Identifier: MIT
/*
 * Maintains the list of repositories. Finding all of them reads every directory of the project,
 * which may take seconds, so it is done once and only for hooks.
 */
#include "git/config/git_repo_list.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/path.h"
#include "git/config/git_repo_walk.h"

/* How long a candidate counts as a repository. Each name that makes it one prolongs the time. */
#define CANDIDATE_NS (4 * GIT_REPO_MOMENT_NS)

/* More directories are not searched; that many cannot be made just to hide a repository. */
#define FOLDERS_MAX 1000000

#define FEW 64
/* How many entries one call reads early. */
#define EARLY 2

int64_t
git_repo_list_now(void)
{
	struct timespec at = {0};

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ll + at.tv_nsec;
}

void
git_repo_list_start(struct git_repo_list *roots)
{
	*roots = (struct git_repo_list){0};
	pthread_mutex_init(&roots->walking, NULL);
}

/* ---- order of reading ---- */

static void
unlink_root(struct git_repo_list *roots, struct git_repo_entry *root)
{
	*(root->before == NULL ? &roots->first : &root->before->behind) = root->behind;
	*(root->behind == NULL ? &roots->last : &root->behind->before) = root->before;
	root->before = root->behind = NULL;
}

static void
put_first(struct git_repo_list *roots, struct git_repo_entry *root)
{
	root->behind = roots->first;
	*(roots->first == NULL ? &roots->last : &roots->first->before) = root;
	roots->first = root;
}

static void
put_last(struct git_repo_list *roots, struct git_repo_entry *root)
{
	root->before = roots->last;
	*(roots->last == NULL ? &roots->first : &roots->last->behind) = root;
	roots->last = root;
}

static void
note_change(void *context, struct git_repo_entry *root)
{
	struct git_repo_list *roots = context;

	if (root->is_changed)
		return;
	root->is_changed = true;
	unlink_root(roots, root);
	put_first(roots, root);
}

void
git_repo_list_changed(struct git_repo_list *roots, const char *path)
{
	char key[PATH_MAX];

	roots->changes++;
	for (size_t i = 0; path == NULL && i < roots->count; i++)
		note_change(roots, roots->items[i]);
	if (path == NULL)
		return;
	git_repo_paths_key(path, roots->exact, key);
	git_repo_paths_each(&roots->places, key, note_change, roots);
}

static bool
store(struct arena *arena, struct git_ref_texts *to, const char *path)
{
	const char **slot = arena_push(arena, &to->items, &to->count, sizeof *slot, NULL);

	if (slot != NULL)
		*slot = arena_strdup(arena, path, NULL);
	return slot != NULL && *slot != NULL;
}

/* ---- the list ---- */

static void
forget_keys(struct git_repo_list *roots, struct git_repo_entry *root)
{
	for (size_t i = 0; i < root->keys.count; i++)
		git_repo_paths_remove(&roots->places, root->keys.items[i], root);
	root->keys = (struct git_ref_texts){0};
}

static void
forget(struct git_repo_list *roots, struct git_repo_entry *root)
{
	roots->is_naming_old = true;
	forget_keys(roots, root);
	unlink_root(roots, root);
	git_repo_forget(&root->named);
	free(root->path);
	free(root);
}

void
git_repo_list_end(struct git_repo_list *roots)
{
	for (size_t i = 0; i < roots->count; i++)
		forget(roots, roots->items[i]);
	free(roots->items);
	free(roots->naming);
	free(roots->places.items);
	pthread_mutex_destroy(&roots->walking);
}

/* Index of the first entry not smaller than the first length bytes of path. */
static size_t
slot_of(const struct git_repo_list *roots, const char *path, size_t length)
{
	size_t low = 0, high = roots->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strncmp(roots->items[middle]->path, path, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct git_repo_entry *
find(const struct git_repo_list *roots, const char *path, size_t length)
{
	size_t at = slot_of(roots, path, length);

	/* of paths with this prefix the path itself comes first */
	return at < roots->count && strncmp(roots->items[at]->path, path, length) == 0 &&
			       roots->items[at]->path[length] == '\0'
		       ? roots->items[at]
		       : NULL;
}

static struct git_repo_entry *
add(struct git_repo_list *roots, const char *path, size_t length, int64_t until)
{
	size_t at = slot_of(roots, path, length);
	struct git_repo_entry **items = realloc(roots->items, (roots->count + 1) * sizeof *items);
	struct git_repo_entry *root = calloc(1, sizeof *root);

	if (items != NULL)
		roots->items = items;
	if (root != NULL)
		*root = (struct git_repo_entry){.path = strndup(path, length),
						.until = until,
						.is_changed = true};
	if (items == NULL || root == NULL || root->path == NULL) {
		free(root == NULL ? NULL : root->path);
		free(root);
		return NULL;
	}
	memmove(items + at + 1, items + at, (roots->count - at) * sizeof *items);
	items[at] = root;
	roots->count++;
	put_first(roots, root);
	return root;
}

/* Is it still a repository? The search may have missed it in an unreadable directory. */
static bool
is_there(const struct git_repo_entry *root, int64_t time)
{
	return root->until > time || git_repo_has(root->path, ".git") ||
	       git_repo_is_repository(root->path);
}

/*
 * A candidate that became no repository is read a few times and then removed, so that the cost of a new one
 * does not grow with their number.
 */
static bool
remove_candidate(struct git_repo_list *roots, struct git_repo_entry *root, int64_t time)
{
	size_t at;

	if (root->until == 0 || time == 0 || is_there(root, time))
		return false;
	at = slot_of(roots, root->path, strlen(root->path));
	while (at < roots->count && roots->items[at] != root)
		at++;
	forget(roots, root);
	roots->count--;
	memmove(roots->items + at, roots->items + at + 1,
		(roots->count - at) * sizeof *roots->items);
	return true;
}

bool
git_repo_list_due(struct git_repo_list *roots, struct arena *arena, int64_t time,
		  struct git_ref_texts *ret)
{
	struct git_repo_entry *behind;
	int early = EARLY;
	bool fine = true;

	for (struct git_repo_entry *root = roots->first; fine && root != NULL; root = behind) {
		behind = root->behind;
		if (!root->is_changed && root->due > time &&
		    (root->due > time + GIT_REPO_MOMENT_NS / 2 || early-- <= 0))
			break;
		if (!remove_candidate(roots, root, time))
			fine = store(arena, ret, root->path);
	}
	return fine;
}

/*
 * Bounds the list for a command that creates and removes such names. Doubling the limit costs two
 * checks per entry. Repositories that a search found stay: nothing searches again.
 */
static void
remove_vanished(struct git_repo_list *roots, int64_t time)
{
	size_t left = 0;

	for (size_t i = 0; i < roots->count; i++) {
		if (roots->items[i]->until == 0 || is_there(roots->items[i], time))
			roots->items[left++] = roots->items[i];
		else
			forget(roots, roots->items[i]);
	}
	roots->count = left;
	roots->many = left < FEW / 2 ? FEW : 2 * left;
}

bool
git_repo_list_add_candidate(struct git_repo_list *roots, const char *path, size_t length,
			    int64_t time)
{
	struct git_repo_entry *known = find(roots, path, length);

	if (known == NULL && roots->count >= roots->many)
		remove_vanished(roots, time);
	if (known == NULL)
		return add(roots, path, length, time + CANDIDATE_NS) != NULL;
	known->until = time + CANDIDATE_NS;
	return true;
}

/* ---- references ---- */

static bool
is_above(const struct git_ref_texts *keys, const char *key)
{
	for (size_t i = 0; i < keys->count; i++)
		if (path_below(key, keys->items[i]))
			return true;
	return false;
}

/* A path below another recorded path needs no entry of its own. */
static bool
keep_keys(struct git_repo_list *roots, struct git_repo_entry *root)
{
	const struct git_ref_texts *places = &root->named.places;
	char key[PATH_MAX];

	for (size_t i = 0; i < places->count; i++) {
		git_repo_paths_key(places->items[i], roots->exact, key);
		if (is_above(&root->keys, key))
			continue;
		if (!store(&root->named.arena, &root->keys, key))
			return false;
		if (!git_repo_paths_add(&roots->places, root->keys.items[root->keys.count - 1],
					root)) {
			root->keys.count--;
			return false;
		}
	}
	return true;
}

bool
git_repo_list_read(struct git_repo_list *roots, const char *path, struct git_repo *named,
		   uint64_t changes, int64_t time)
{
	struct git_repo_entry *root = find(roots, path, strlen(path));
	bool is_late = changes != roots->changes || named->is_failed;
	bool did_name = root != NULL && (root->named.count > 0 || root->named.is_failed);

	if (root != NULL && named->is_failed)
		note_change(roots, root);
	/* another thread removed the entry, or read it later than this one */
	if (root == NULL || (is_late && !root->is_changed)) {
		git_repo_forget(named);
		return true;
	}
	forget_keys(roots, root);
	git_repo_forget(&root->named);
	root->named = *named;
	*named = (struct git_repo){0};
	roots->is_naming_old = roots->is_naming_old ||
			       did_name != (root->named.count > 0 || root->named.is_failed);
	root->due = time + GIT_REPO_MOMENT_NS;
	if (!keep_keys(roots, root)) {
		note_change(roots, root);
		return false;
	}
	if (is_late)
		return true;
	root->is_changed = false;
	unlink_root(roots, root);
	put_last(roots, root);
	return true;
}

bool
git_repo_list_list(struct git_repo_list *roots)
{
	struct git_repo_entry **naming;

	if (!roots->is_naming_old)
		return true;
	naming = realloc(roots->naming, (roots->count + 1) * sizeof *naming);
	if (naming == NULL)
		return false;
	roots->naming = naming;
	roots->naming_count = 0;
	for (size_t i = 0; i < roots->count; i++)
		if (roots->items[i]->named.count > 0 || roots->items[i]->named.is_failed)
			naming[roots->naming_count++] = roots->items[i];
	roots->is_naming_old = false;
	return true;
}

/* ---- entries below a path ---- */

struct path_collection {
	struct arena *arena;
	struct git_ref_texts *to;
	bool is_failed;
};

static void
collect_path(void *context, struct git_repo_entry *root)
{
	struct path_collection *g = context;

	g->is_failed = g->is_failed || !store(g->arena, g->to, root->path);
}

bool
git_repo_list_below(const struct git_repo_list *roots, struct arena *arena, const char *path,
		    struct git_ref_texts *ret)
{
	struct path_collection g = {arena, ret, false};
	char key[PATH_MAX];

	git_repo_paths_key(path, roots->exact, key);
	git_repo_paths_below(&roots->places, key, collect_path, &g);
	return !g.is_failed;
}

/* ---- search ---- */

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the repositories that were found and removes those that vanished. */
static bool
replace(struct git_repo_list *roots, const struct repositories *found, const char *project,
	int64_t time)
{
	bool fine = true;

	/* insertion in sorted order is fastest */
	if (found->count > 1)
		qsort(found->roots, found->count, sizeof *found->roots, by_bytes);
	for (size_t i = 0; i < roots->count; i++)
		if (roots->items[i]->until == 0)
			roots->items[i]->until = 1;
	for (size_t i = 0; fine && i < found->count; i++) {
		const char *path = found->roots[i];
		struct git_repo_entry *known = find(roots, path, strlen(path));

		if (known != NULL)
			known->until = 0;
		else if (strcmp(path, project) != 0)
			fine = add(roots, path, strlen(path), 0) != NULL;
	}
	remove_vanished(roots, time);
	return fine;
}

/* Called without the lock, with walking. */
static bool
walk(struct git_repo_list *roots, pthread_mutex_t *lock, const char *project,
     enum git_repo_search search)
{
	auto_arena struct arena arena = {0};
	struct repositories found = {0};
	bool fine = (search == GIT_REPO_SEARCH_ALL ? git_repo_walk_find : git_repo_walk_beside)(
			    &arena, project, FOLDERS_MAX, &found) == 0;

	pthread_mutex_lock(lock);
	fine = fine && replace(roots, &found, project, git_repo_list_now());
	roots->searched = fine ? search : GIT_REPO_SEARCH_NONE;
	roots->is_whole = fine && found.is_whole;
	pthread_mutex_unlock(lock);
	return fine;
}

bool
git_repo_list_find(struct git_repo_list *roots, pthread_mutex_t *lock, const char *project,
		   enum git_repo_search search)
{
	bool fine = true;

	roots->exact = strlen(project);
	if (roots->searched >= search || roots->is_whole)
		return true;
	pthread_mutex_unlock(lock);
	pthread_mutex_lock(&roots->walking);
	/* another thread may have searched meanwhile; only the holder of walking sets searched */
	if (roots->searched < search && !roots->is_whole)
		fine = walk(roots, lock, project, search);
	pthread_mutex_unlock(&roots->walking);
	pthread_mutex_lock(lock);
	return fine;
}
