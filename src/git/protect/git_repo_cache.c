// SPDX-License-Identifier: MIT
/*
 * The cache of repositories. Before a name changes, the directories above it are read, and the
 * settings of those that are repositories. git_repo_list has the other repositories of the project.
 * Reading is done without the lock.
 */
#include "git/protect/git_repo_cache.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/str.h"
#include "git/config/git_repo_list.h"
#include "git/protect/git_repo_query.h"
#include "host/descent.h"
#include "host/host.h"

#define SLOTS 1024u
/* How long changes by the user may stay unnoticed. */
#define MOMENT_NS GIT_REPO_MOMENT_NS

struct git_repo_cache {
	below_fn *below;
	pthread_mutex_t lock;
	uint64_t generation,
		nested_generation; /* generations; for nested repositories only settings count */
	struct git_repo *slots[SLOTS];
	struct git_repo_list roots;
	bool is_reading; /* a thread rereads entries whose time is over */
};

static struct git_repo *
repo_new(const char *path, size_t length, uint64_t generation, int64_t time)
{
	struct git_repo *one = calloc(1, sizeof *one);

	if (one != NULL)
		*one = (struct git_repo){.folder = strndup(path, length),
					 .generation = generation,
					 .until = time + MOMENT_NS};
	if (one != NULL && one->folder == NULL) {
		free(one);
		one = NULL;
	}
	return one;
}

static struct git_repo *
repo_free(struct git_repo *one)
{
	if (one != NULL)
		git_repo_forget(one);
	free(one);
	return NULL;
}

struct git_repo_cache *
git_repo_cache_new(below_fn *below)
{
	struct git_repo_cache *memory = calloc(1, sizeof *memory);

	if (memory == NULL)
		return NULL;
	memory->below = below == NULL ? git_repo_query_below : below;
	pthread_mutex_init(&memory->lock, NULL);
	git_repo_list_start(&memory->roots);
	return memory;
}

struct git_repo_cache *
git_repo_cache_free(struct git_repo_cache *memory)
{
	if (memory == NULL)
		return NULL;
	for (size_t i = 0; i < SLOTS; i++)
		repo_free(memory->slots[i]);
	git_repo_list_end(&memory->roots);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
	return NULL;
}

void
git_repo_cache_changed(struct git_repo_cache *memory, const char *path, bool has_settings)
{
	if (memory == NULL)
		return;
	pthread_mutex_lock(&memory->lock);
	memory->generation++;
	git_repo_list_changed(&memory->roots, path);
	memory->nested_generation += has_settings;
	pthread_mutex_unlock(&memory->lock);
}

/* Length of the directory that a git directory belongs to: up to its topmost .git. */
static size_t
root_length(const char *git_dir)
{
	const char *at = git_dir;

	while ((at = strstr(at, "/.git")) != NULL && at[5] != '/' && at[5] != '\0')
		at++;
	return at == NULL ? strlen(git_dir) : (size_t)(at - git_dir);
}

/* What the project's own repository refers to is known already. */
void
git_repo_cache_settled(struct git_repo_cache *memory, const struct host *host, const char *git_dir)
{
	size_t length = root_length(git_dir);

	if (memory == NULL || host == NULL ||
	    (host->project != NULL && strlen(host->project) == length &&
	     strncmp(host->project, git_dir, length) == 0))
		return;
	pthread_mutex_lock(&memory->lock);
	git_repo_list_add_candidate(&memory->roots, git_dir, length, git_repo_list_now());
	pthread_mutex_unlock(&memory->lock);
}

/* State of one lookup. The lock is held except while something is read. */
struct repo_query_state {
	struct git_repo_cache *memory;
	const struct host *host;
	struct git_repo_query *q;
	int64_t time;
	struct descent descent;
	struct repo_run run; /* of the directories looked up last */
};

/* ---- directories above ---- */

/* Most directories are no repositories: two lookups in the open directory avoid its long path. */
static bool
is_plain(struct repo_query_state *a, const char *path, size_t length)
{
	int folder = path == a->q->path ? descent_to(&a->descent, length) : -1;

	if (path != a->q->path)
		return false;
	return folder < 0 ? errno == ENOENT : git_repo_is_plain(folder);
}

static struct git_repo *
read_folder(struct repo_query_state *a, const char *path, size_t length, uint64_t generation)
{
	struct git_repo *one = repo_new(path, length, generation, a->time);

	pthread_mutex_unlock(&a->memory->lock);
	if (one != NULL && length > 1 && path[length - 1] == '/')
		git_repo_read_nested(one, a->host);
	else if (one != NULL && !is_plain(a, path, length))
		git_repo_read(one, a->host);
	pthread_mutex_lock(&a->memory->lock);
	/* what failed now may succeed a moment later */
	if (one != NULL && one->is_failed)
		one->until = 0;
	return one;
}

/* Valid while the lock is held. NULL: no memory. */
static struct git_repo *
look(struct repo_query_state *a, const char *path, size_t length, uint64_t hash)
{
	struct git_repo **slot = &a->memory->slots[hash % SLOTS], *one = *slot;
	bool is_kept = length > 1 && path[length - 1] == '/';
	uint64_t generation = is_kept ? a->memory->nested_generation : a->memory->generation;

	if (one != NULL && one->generation == generation && a->time < one->until &&
	    strncmp(one->folder, path, length) == 0 && one->folder[length] == '\0')
		return one;
	one = read_folder(a, path, length, generation);
	repo_free(*slot);
	*slot = one;
	return one;
}

/*
 * Nested directories that refer to nothing form a run, stored with the last of them, so that the
 * next lookup below skips them all.
 */
static void
note_run(struct repo_query_state *a, struct git_repo *one, size_t length, uint64_t hash)
{
	struct repo_run *run = &a->run;

	if (one == NULL || one->count > 0 || one->nested_dir != NULL || one->is_failed) {
		run->to = 0;
		return;
	}
	if (run->to == 0)
		*run = (struct repo_run){.generation = run->generation,
					 .from = length,
					 .until = one->until};
	run->to = length;
	run->hash = hash;
	if (one->until < run->until)
		run->until = one->until;
	one->run = *run;
}

/* The lowest run of directories above path. */
static struct repo_run
find_run(const struct repo_query_state *a)
{
	const struct git_repo_cache *memory = a->memory;
	const struct git_repo *found = NULL;
	const char *path = a->q->path;
	uint64_t hash = HASH_START;

	for (size_t at = 0; path[at] != '\0'; at++) {
		const struct git_repo *one = memory->slots[hash % SLOTS];

		if (path[at] == '/' && one != NULL && one->run.to == at && at > 0 &&
		    one->run.hash == hash && one->run.generation == memory->generation &&
		    a->time < one->run.until)
			found = one;
		hash = hash_byte(hash, path[at]);
	}
	if (found == NULL || strncmp(found->folder, path, found->run.to) != 0)
		return (struct repo_run){0};
	return found->run;
}

/* Checks path against the directory that is its first length bytes. */
static const struct protection *
find_by(struct repo_query_state *a, size_t length, uint64_t hash)
{
	struct git_repo *one = look(a, a->q->path, length, hash);
	const struct protection *found = one == NULL ? &git_repo_unreadable
						     : git_repo_query_find(one, a->q, length);
	char nested_dir[PATH_MAX + 8];

	note_run(a, one, length, hash);
	if (found != NULL || one->nested_dir == NULL)
		return found;
	/* the next look() may free one */
	snprintf(nested_dir, sizeof nested_dir, "%s", one->nested_dir);
	one = look(a, nested_dir, strlen(nested_dir), hash_text(nested_dir));
	return one == NULL ? &git_repo_unreadable : git_repo_query_find(one, a->q, length);
}

static const struct protection *
find_above(struct repo_query_state *a)
{
	const struct protection *found = NULL;
	const struct repo_run run = find_run(a);
	const char *path = a->q->path;
	uint64_t hash = HASH_START;

	a->descent = (struct descent){.path = path, .fd = -1};
	a->run.generation = a->memory->generation;
	for (size_t at = 0; found == NULL && path[at] != '\0'; at++) {
		/* "/" is a directory, too */
		size_t length = at + (at == 0);

		if (path[at] == '/' && length == run.to)
			a->run = run;
		else if (path[at] == '/' && length >= a->q->top &&
			 !(length >= run.from && length < run.to))
			found = find_by(a, length, hash);
		hash = hash_byte(hash, path[at]);
	}
	descent_end(&a->descent);
	return found;
}

/* ---- repositories elsewhere ---- */

/* Reads a repository without the lock. False: no memory. */
static bool
read_root(struct repo_query_state *a, const char *path)
{
	struct git_repo one = {0};
	struct git_ref_paths found = {0};
	/* paths in the repository itself are found from there */
	const struct repo_part part = {path, path, true, &one.places};
	uint64_t changes = a->memory->roots.changes;
	int64_t time = git_repo_list_now();

	pthread_mutex_unlock(&a->memory->lock);
	one.is_failed = git_repo_collect(&one.arena, a->host, &part, &found) < 0;
	one.dirs = found.items;
	one.count = found.count;
	pthread_mutex_lock(&a->memory->lock);
	return git_repo_list_read(&a->memory->roots, path, &one, changes, time);
}

/* Entries invalidated by a change are read by every caller, those whose time is over by one. */
static bool
read_roots(struct repo_query_state *a)
{
	auto_arena struct arena arena = {0};
	struct git_repo_cache *memory = a->memory;
	struct git_ref_texts due = {0};
	bool may_age = !memory->is_reading;
	bool fine = git_repo_list_due(&memory->roots, &arena, may_age ? a->time : 0, &due);

	memory->is_reading = true;
	for (size_t i = 0; fine && i < due.count; i++)
		fine = read_root(a, due.items[i]);
	if (may_age)
		memory->is_reading = false;
	return fine && git_repo_list_list(&memory->roots);
}

/* The part of path behind folder and a slash, or NULL. */
static const char *
rest_in(const char *path, const char *folder)
{
	size_t length = folder == NULL ? 0 : strlen(folder);

	return length > 0 && path_below(path, folder) && path[length] == '/' ? path + length + 1
									     : NULL;
}

/* git's own data in the project's repository, to which settings never refer. */
static bool
is_gits_own(const struct repo_query_state *a)
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

/* A link to a hook needs no search of everything: creating the hook behind it does one. */
static enum git_repo_search
search_for(const struct git_repo_query *q)
{
	const char *name = path_last(q->path);

	return git_repo_query_is_hook(name, strlen(name)) ? GIT_REPO_SEARCH_ALL
							  : GIT_REPO_SEARCH_NEAR;
}

/* If the search was incomplete, any hook name is protected. */
static const struct protection *
find_beyond(struct repo_query_state *a, size_t root)
{
	struct git_ref_path all = {GIT_REF_UNKNOWN, a->host->project, true};
	const struct git_repo one = {.dirs = &all, .count = 1};
	const struct git_repo_list *roots = &a->memory->roots;

	return roots->searched == GIT_REPO_SEARCH_ALL && !roots->is_whole
		       ? git_repo_query_find(&one, a->q, root)
		       : NULL;
}

static const struct protection *
find_outside_repo(struct repo_query_state *a)
{
	const char *project = a->host->project;
	struct git_repo_list *roots = &a->memory->roots;
	const struct protection *found;
	size_t root;

	if (project == NULL || is_gits_own(a))
		return NULL;
	if (!git_repo_list_find(roots, &a->memory->lock, project, search_for(a->q)) ||
	    !read_roots(a))
		return &git_repo_unreadable;
	root = path_below(a->q->path, project) ? strlen(project) : a->q->top;
	found = find_beyond(a, root);
	for (size_t i = 0; found == NULL && i < roots->naming_count; i++)
		found = git_repo_query_find(&roots->naming[i]->named, a->q, root);
	return found;
}

/* ---- hiding ---- */

static bool
is_in(const struct git_ref_path *dirs, size_t count, const char *folder)
{
	for (size_t i = 0; i < count; i++)
		if (dirs[i].kind == GIT_REF_SETTINGS && path_below(dirs[i].path, folder))
			return true;
	return false;
}

/* Is the repository, or a file that it includes, at path or below? */
static bool
reads_below(const struct host *host, const char *root, const char *path)
{
	auto_arena struct arena arena = {0};
	const struct repo_part all = {.folder = root, .tree = "/"};
	struct git_ref_paths found = {0};

	return path_below(root, path) || git_repo_collect(&arena, host, &all, &found) < 0 ||
	       is_in(found.items, found.count, path);
}

/* The includes of an unreadable repository are unknown. */
static bool
has_unread(const struct git_repo_list *roots)
{
	for (size_t i = 0; i < roots->naming_count; i++)
		if (roots->naming[i]->named.is_failed)
			return true;
	return false;
}

bool
git_repo_cache_is_read(struct git_repo_cache *memory, const struct host *host, const char *path)
{
	auto_arena struct arena arena = {0};
	struct repo_query_state a = {.memory = memory, .host = host, .time = git_repo_list_now()};
	struct git_ref_texts paths = {0};
	bool found;

	if (memory == NULL || host == NULL || host->project == NULL)
		return false;
	pthread_mutex_lock(&memory->lock);
	found = !git_repo_list_find(&memory->roots, &memory->lock, host->project,
				    GIT_REPO_SEARCH_NEAR) ||
		!read_roots(&a) || has_unread(&memory->roots) ||
		!git_repo_list_below(&memory->roots, &arena, path, &paths);
	pthread_mutex_unlock(&memory->lock);
	found = found || is_in(host->hooks.items, host->hooks.count, path) ||
		reads_below(host, host->project, path);
	for (size_t i = 0; !found && i < paths.count; i++)
		found = reads_below(host, paths.items[i], path);
	return found;
}

/* ---- lookup ---- */

static bool
is_project(const struct repo_query_state *a, size_t length)
{
	const char *project = a->host->project;

	return project != NULL && strlen(project) == length &&
	       strncmp(a->q->path, project, length) == 0;
}

/* The directory may become a repository, unless it is in a git directory. */
static bool
add_candidate(struct repo_query_state *a)
{
	static const char *const names[] = {".git", "HEAD", "objects", "commondir"};
	const char *path = a->q->path, *name = path_last(path);

	for (size_t i = 0; strstr(path, "/.git/") == NULL && i < sizeof names / sizeof names[0];
	     i++)
		if (ascii_same(name, names[i]) && name - path > 1 &&
		    !is_project(a, (size_t)(name - path) - 1))
			return git_repo_list_add_candidate(&a->memory->roots, path,
							   (size_t)(name - path) - 1, a->time);
	return true;
}

const struct protection *
git_repo_cache_lookup(struct git_repo_cache *memory, const struct host *host,
		      struct git_repo_query *q)
{
	struct repo_query_state a = {.memory = memory,
				     .host = host,
				     .q = q,
				     .time = git_repo_list_now()};
	const struct protection *found;

	q->anchor = strlen(q->path);
	if (memory == NULL || host == NULL || q->top == 0)
		return NULL;
	q->below = memory->below;
	pthread_mutex_lock(&memory->lock);
	found = find_above(&a);
	if (found == NULL)
		found = find_outside_repo(&a);
	/* callers look up a name of git before they change it, and report the change */
	if (q->is_marker && !add_candidate(&a) && found == NULL)
		found = &git_repo_unreadable;
	pthread_mutex_unlock(&memory->lock);
	return found;
}
