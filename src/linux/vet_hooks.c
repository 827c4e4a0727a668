// SPDX-License-Identifier: MIT
/*
 * What the settings of repositories inside the project name as git's: hooks in a folder of theirs, and
 * further settings. Nobody looks for repositories at the start. Whenever a name is to be changed, the
 * folders above it are looked at, and of those that are repositories the settings are read. What was
 * found is remembered for a moment, and forgotten as soon as a folder or a name of git's changes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/path.h"
#include "linux/fold.h"
#include "linux/looked.h"
#include "linux/vet.h"
#include "plan/hookdir.h"

#define SLOTS 128u
/* For how long the user's own changes may stay unseen. */
#define MOMENT_NS 1000000000ll

struct hookmemory {
	pthread_mutex_t lock;
	uint64_t turn, kept_turn; /* submodules can be many: only their settings count there */
	struct looked *slots;	  /* SLOTS of them; NULL: nothing was changed yet */
};

#define CLOSED(name, why)                                            \
	{                                                            \
		.kind = PROTECT_NAME, .pattern = name, .reason = why \
	}
static const struct protection of_kind[] = {
	[HOOKDIR_HOOKS] = CLOSED("core.hooksPath", HOOKDIR_WHY_HOOKS),
	[HOOKDIR_NAMES] = CLOSED("core.hooksPath", HOOKDIR_WHY_HOOKS),
	[HOOKDIR_UNKNOWN] = CLOSED("core.hooksPath", HOOKDIR_WHY_HOOKS),
	[HOOKDIR_SETTINGS] = CLOSED("include.path", HOOKDIR_WHY_SETTINGS),
	[HOOKDIR_PROGRAM] = CLOSED("git's settings", HOOKDIR_WHY_PROGRAM),
	[HOOKDIR_FILE] = CLOSED("git's settings", HOOKDIR_WHY_PROGRAM),
	[HOOKDIR_REMOTE] = CLOSED("remotes", "it leads git to another repository"),
};

static const struct protection of_unseen =
	CLOSED("git's settings", "there is no memory to see whether git runs it");

struct hookmemory *
hookmemory_new(void)
{
	struct hookmemory *memory = calloc(1, sizeof *memory);

	if (memory != NULL)
		pthread_mutex_init(&memory->lock, NULL);
	return memory;
}

struct hookmemory *
hookmemory_free(struct hookmemory *memory)
{
	for (size_t i = 0; memory != NULL && memory->slots != NULL && i < SLOTS; i++)
		looked_forget(&memory->slots[i]);
	if (memory != NULL) {
		free(memory->slots);
		pthread_mutex_destroy(&memory->lock);
	}
	free(memory);
	return NULL;
}

void
vet_hooks_changed(struct broker *broker, bool has_settings)
{
	if (broker->hooks == NULL)
		return;
	pthread_mutex_lock(&broker->hooks->lock);
	broker->hooks->turn++;
	broker->hooks->kept_turn += has_settings;
	pthread_mutex_unlock(&broker->hooks->lock);
}

/* ---- remembering ---- */

static int64_t
now(void)
{
	struct timespec at = {0};

	clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
	return at.tv_sec * 1000000000ll + at.tv_nsec;
}

static struct looked *
slot(struct hookmemory *memory, uint64_t hash)
{
	if (memory->slots == NULL)
		memory->slots = calloc(SLOTS, sizeof *memory->slots);
	return memory->slots == NULL ? NULL : &memory->slots[hash % SLOTS];
}

/* The lock is held. */
static const struct looked *
find(const struct broker *broker, const char *path, size_t length, uint64_t hash)
{
	static const struct looked failed = {.is_failed = true};
	struct hookmemory *memory = broker->hooks;
	struct looked *one = slot(memory, hash);
	bool is_kept = length > 1 && path[length - 1] == '/';
	uint64_t turn = is_kept ? memory->kept_turn : memory->turn;
	int64_t time = now();

	if (one == NULL)
		return &failed;
	if (one->folder != NULL && one->turn == turn && time < one->until &&
	    strncmp(one->folder, path, length) == 0 && one->folder[length] == '\0')
		return one;
	looked_forget(one);
	one->folder = strndup(path, length);
	one->turn = turn;
	one->until = time + MOMENT_NS;
	if (one->folder == NULL)
		one->is_failed = true;
	else if (is_kept)
		looked_at_kept(one, broker->plan->host);
	else
		looked_at(one, broker->plan->host);
	return one;
}

/* ---- judging ---- */

static bool
is_hook_name(const char *name, size_t length)
{
	for (size_t i = 0; hookdir_names[i] != NULL; i++)
		if (strlen(hookdir_names[i]) == length &&
		    ascii_same_n(hookdir_names[i], name, length))
			return true;
	return false;
}

struct question {
	const char *path;
	bool is_link;  /* it is to become one */
	size_t anchor; /* the length of the part of path that is closed */
};

/* Part of the path, or what is not there and must not come about behind a link. */
static size_t
closed_at(const struct hookdir *dir, const char *path, size_t root)
{
	size_t length = fold_below(path, dir->path);

	if (length > 0)
		return length;
	return !dir->is_there && strlen(path) > root && fold_below(dir->path, path) > 0
		       ? strlen(path)
		       : 0;
}

/* What is named like a hook: directly in the folder, or anywhere below it. */
static size_t
closed_by_name(const struct hookdir *dir, const char *path)
{
	size_t length = fold_below(path, dir->path);

	if (length == 0 || path[length] == '\0')
		return 0;
	for (const char *name = path + length + 1;; name += strcspn(name, "/") + 1) {
		size_t end = strcspn(name, "/");

		if (is_hook_name(name, end))
			return (size_t)(name - path) + end;
		if (name[end] == '\0' || dir->kind == HOOKDIR_NAMES)
			return 0;
	}
}

static size_t
closed_by(const struct hookdir *dir, const struct question *q, size_t root)
{
	switch (dir->kind) {
	case HOOKDIR_NAMES:
	case HOOKDIR_UNKNOWN:
		return closed_by_name(dir, q->path);
	case HOOKDIR_REMOTE:
		return q->is_link && fold_below(dir->path, q->path) > 0 ? strlen(q->path) : 0;
	default:
		return closed_at(dir, q->path, root);
	}
}

static const struct protection *
find_in(const struct looked *one, struct question *q, size_t root)
{
	for (size_t i = 0; i < one->count; i++) {
		q->anchor = closed_by(&one->dirs[i], q, root);
		if (q->anchor > 0)
			return &of_kind[one->dirs[i].kind];
	}
	q->anchor = strlen(q->path);
	return one->is_failed ? &of_unseen : NULL;
}

/* By the folder that is the first length bytes of the path. */
static const struct protection *
find_by(const struct broker *broker, struct question *q, size_t length, uint64_t hash)
{
	const struct looked *one = find(broker, q->path, length, hash);
	const struct protection *found = find_in(one, q, length);
	char keeper[PATH_MAX + 8];

	if (found != NULL || one->keeper == NULL)
		return found;
	/* what it is in may be forgotten for the next */
	snprintf(keeper, sizeof keeper, "%s", one->keeper);
	one = find(broker, keeper, strlen(keeper), hash_text(keeper));
	return find_in(one, q, length);
}

static const struct protection *
ask(const struct broker *broker, struct question *q)
{
	const struct protection *found = NULL;
	/* what is above the trees that are guarded cannot be changed here */
	size_t top = path_set_top(&broker->trees.changes, q->path);
	uint64_t hash = HASH_START;

	if (broker->hooks == NULL || broker->plan->host == NULL)
		return NULL;
	pthread_mutex_lock(&broker->hooks->lock);
	for (size_t at = 0; top > 0 && found == NULL && q->path[at] != '\0'; at++) {
		/* "/" is a folder, too */
		if (q->path[at] == '/' && at + (at == 0) >= top)
			found = find_by(broker, q, at + (at == 0), hash);
		hash = hash_byte(hash, q->path[at]);
	}
	/* whoever is about to change a name of git's asks about it first */
	if (vet_is_delicate(q->path))
		broker->hooks->turn++;
	pthread_mutex_unlock(&broker->hooks->lock);
	return found;
}

const struct protection *
vet_hooks(const struct broker *broker, const char *path, size_t *ret_anchor)
{
	struct question q = {.path = path};
	const struct protection *found = ask(broker, &q);

	*ret_anchor = q.anchor;
	return found;
}

bool
vet_is_on_way(const struct broker *broker, const char *path)
{
	struct question q = {.path = path, .is_link = true};

	return ask(broker, &q) != NULL;
}

/* ---- becoming a repository ---- */

static bool
is_there(struct arena *arena, const char *folder, const char *name)
{
	const char *path = path_join(arena, folder, name, NULL);
	struct stat at;

	return path == NULL || fstatat(AT_FDCWD, path, &at, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Is there something that nobody has looked at, because it was not git's until now? */
static bool
holds_hooks(const struct broker *broker, struct arena *arena, const struct hookdir *dir)
{
	bool found = false;

	if (dir->kind == HOOKDIR_REMOTE)
		return false;
	if (dir->kind != HOOKDIR_NAMES && dir->kind != HOOKDIR_UNKNOWN)
		return dir->is_there &&
		       (broker_judge_own(broker, dir->path).rights & RIGHTS_CHANGE) != 0;
	for (size_t i = 0; dir->kind == HOOKDIR_NAMES && hookdir_names[i] != NULL; i++)
		found = found || is_there(arena, dir->path, hookdir_names[i]);
	return found;
}

bool
vet_may_begin(const struct broker *broker, const char *folder, const char *git_dir)
{
	struct looked one = {0};
	bool may = broker->plan->host != NULL &&
		   looked_at_repository(&one, broker->plan->host, folder, git_dir) == 0;

	for (size_t i = 0; may && i < one.count; i++)
		may = !holds_hooks(broker, &one.arena, &one.dirs[i]);
	looked_forget(&one);
	return may;
}
