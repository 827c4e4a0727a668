// SPDX-License-Identifier: MIT
/*
 * What the settings of repositories inside the project name as git's: hooks in a folder of theirs, and
 * further settings. Nobody looks for repositories at the start. Whenever a name is to be changed, the
 * folders above it are looked at, and of those that are repositories the settings are read. What was
 * found is remembered for a moment, and forgotten as soon as a folder or a name of git's changes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/path.h"
#include "linux/vet.h"
#include "plan/gitconfig.h"
#include "plan/hookdir.h"

#define SLOTS 512u
#define MODULES_MAX 256
#define POINTER_MAX (PATH_MAX + 16)
/* For how long the user's own changes may stay unseen. */
#define MOMENT_NS 1000000000ll

/* A folder that was looked at. */
struct looked {
	char *folder; /* NULL: none */
	uint64_t turn;
	int64_t until;
	struct arena arena; /* of what follows */
	struct hookdirs *dirs;
	size_t count; /* of repositories: its own, and those kept in it */
	bool is_failed;
};

struct hookmemory {
	pthread_mutex_t lock;
	uint64_t turn;
	struct looked slots[SLOTS];
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
};

struct hookmemory *
hookmemory_new(void)
{
	struct hookmemory *memory = calloc(1, sizeof *memory);

	if (memory != NULL)
		pthread_mutex_init(&memory->lock, NULL);
	return memory;
}

static void
forget(struct looked *one)
{
	free(one->folder);
	arena_free(&one->arena);
	*one = (struct looked){0};
}

struct hookmemory *
hookmemory_free(struct hookmemory *memory)
{
	for (size_t i = 0; memory != NULL && i < SLOTS; i++)
		forget(&memory->slots[i]);
	if (memory != NULL)
		pthread_mutex_destroy(&memory->lock);
	free(memory);
	return NULL;
}

void
vet_hooks_changed(struct broker *broker)
{
	if (broker->hooks == NULL)
		return;
	pthread_mutex_lock(&broker->hooks->lock);
	broker->hooks->turn++;
	pthread_mutex_unlock(&broker->hooks->lock);
}

/* ---- looking ---- */

struct looking {
	struct looked *to;
	const struct host *host;
	int left; /* modules that may still be looked at */
};

static int
read_hooks(struct looking *l, const struct hookrepo *repo)
{
	struct looked *to = l->to;
	struct hookdirs *slot = arena_push(&to->arena, &to->dirs, &to->count, sizeof *slot, NULL);

	return slot == NULL ? -CORDON_E_MEMORY
			    : hookdirs_read(&to->arena, l->host, repo, slot, NULL);
}

/* What the one line of a file in folder leads to; folder itself: there is none such. NULL: no memory. */
static const char *
follow(struct looking *l, const char *folder, const char *name, const char *word)
{
	struct arena *arena = &l->to->arena;
	const char *path = path_join(arena, folder, name, NULL), *line;
	struct cordon_error why = {0};
	struct gitconfig_text text;
	char *content;

	if (path == NULL)
		return NULL;
	if (file_read(arena, path, POINTER_MAX, &content, &text.length, NULL, &why) < 0)
		return why.code == CORDON_E_MEMORY ? NULL : folder;
	text.text = content;
	line = gitconfig_pointer(arena, word, &text, NULL);
	if (line == NULL)
		return folder;
	return *line == '/' ? line : path_join(arena, folder, line, NULL);
}

static int
read_repository(struct looking *l, const char *root, const char *git_dir)
{
	struct hookrepo repo = {root, git_dir, git_dir};

	if (git_dir != NULL)
		repo.common_dir = follow(l, git_dir, "commondir", "");
	return repo.common_dir == NULL ? -CORDON_E_MEMORY : read_hooks(l, &repo);
}

/*
 * Repositories of submodules, which are kept here: their hooks may lie in another's working tree. Names
 * of submodules have slashes in them, so what is no repository is a folder with some.
 */
static int
read_modules(struct looking *l, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int rc = 0;

	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
		const char *path = path_join(&l->to->arena, folder, entry->d_name, NULL), *inner;
		bool is_one = path != NULL && vet_is_repository(path);

		if (*entry->d_name == '.' || (path != NULL && entry->d_type != DT_DIR))
			continue;
		inner = is_one ? path_join(&l->to->arena, path, "modules", NULL) : path;
		rc = inner == NULL || l->left-- <= 0 ? -CORDON_E_MEMORY
		     : is_one			     ? read_repository(l, path, path)
						     : 0;
		if (rc == 0)
			rc = read_modules(l, inner);
	}
	if (dir != NULL)
		closedir(dir);
	return rc;
}

static int
look_at(struct looking *l, const char *folder)
{
	struct arena *arena = &l->to->arena;
	char dot_git[PATH_MAX + 8];
	const char *git_dir = dot_git;
	struct stat at;
	int rc;

	snprintf(dot_git, sizeof dot_git, "%s/.git", strcmp(folder, "/") == 0 ? "" : folder);
	if (stat(dot_git, &at) < 0)
		return vet_is_repository(folder) ? read_repository(l, folder, folder) : 0;
	if (!S_ISDIR(at.st_mode))
		git_dir = follow(l, folder, ".git", "gitdir: ");
	rc = git_dir == NULL ? -CORDON_E_MEMORY : read_repository(l, folder, git_dir);
	if (rc == 0 && S_ISDIR(at.st_mode)) {
		const char *modules = path_join(arena, dot_git, "modules", NULL);

		rc = modules == NULL ? -CORDON_E_MEMORY : read_modules(l, modules);
	}
	return rc;
}

static int64_t
now(void)
{
	struct timespec at = {0};

	clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
	return at.tv_sec * 1000000000ll + at.tv_nsec;
}

/* The lock is held. */
static const struct looked *
find(const struct broker *broker, const char *path, size_t length, uint64_t hash)
{
	struct hookmemory *memory = broker->hooks;
	struct looked *one = &memory->slots[hash % SLOTS];
	struct looking looking = {one, broker->plan->host, MODULES_MAX};
	int64_t time = now();

	if (one->folder != NULL && one->turn == memory->turn && time < one->until &&
	    strncmp(one->folder, path, length) == 0 && one->folder[length] == '\0')
		return one;
	forget(one);
	one->folder = strndup(path, length);
	one->turn = memory->turn;
	one->until = time + MOMENT_NS;
	one->is_failed = one->folder == NULL || look_at(&looking, one->folder) < 0;
	return one;
}

/* ---- judging ---- */

/* Where names are folded, another spelling is the same; elsewhere nobody needs it. */
static bool
is_below(const char *path, const char *root)
{
	size_t length = strlen(root);

	return strncasecmp(path, root, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

static bool
is_hook_name(const char *name, size_t length)
{
	for (size_t i = 0; hookdir_names[i] != NULL; i++)
		if (strlen(hookdir_names[i]) == length &&
		    strncasecmp(hookdir_names[i], name, length) == 0)
			return true;
	return false;
}

/* The length of the part of path that is closed by this; 0: none is. */
static size_t
closed_by(const struct hookdir *dir, const char *path, size_t root)
{
	size_t length = strlen(dir->path);
	const char *name;

	if (dir->kind != HOOKDIR_NAMES && dir->kind != HOOKDIR_UNKNOWN) {
		if (is_below(path, dir->path))
			return length;
		/* what is not there must not come about behind a link */
		return !dir->is_there && strlen(path) > root && is_below(dir->path, path)
			       ? strlen(path)
			       : 0;
	}
	if (!is_below(path, dir->path) || path[length] == '\0')
		return 0;
	for (name = path + length + 1;; name += strcspn(name, "/") + 1) {
		size_t end = strcspn(name, "/");

		if (is_hook_name(name, end))
			return (size_t)(name - path) + end;
		if (name[end] == '\0' || dir->kind == HOOKDIR_NAMES)
			return 0;
	}
}

static const struct protection *
find_in(const struct looked *one, const char *path, size_t *ret_anchor)
{
	size_t root = strlen(one->folder == NULL ? "" : one->folder);

	for (size_t r = 0; r < one->count; r++)
		for (size_t i = 0; i < one->dirs[r].count; i++) {
			const struct hookdir *dir = &one->dirs[r].items[i];

			*ret_anchor = closed_by(dir, path, root);
			if (*ret_anchor > 0)
				return &of_kind[dir->kind];
		}
	/* what could not be found out for lack of memory stays as it is */
	*ret_anchor = one->is_failed ? strlen(path) : 0;
	return one->is_failed ? &of_kind[HOOKDIR_UNKNOWN] : NULL;
}

/* From where on folders are looked at: what is above cannot be changed here. */
static size_t
top_of(const struct broker *broker, const char *path)
{
	size_t top = strlen(path);

	for (size_t i = 0; i < broker->tree_count; i++)
		if (broker->trees[i].changes && path_below(path, broker->trees[i].path) &&
		    strlen(broker->trees[i].path) < top)
			top = strlen(broker->trees[i].path);
	return top;
}

const struct protection *
vet_hooks(const struct broker *broker, const char *path, size_t *ret_anchor)
{
	const struct protection *found = NULL;
	size_t top = top_of(broker, path);
	uint64_t hash = HASH_START;

	if (broker->hooks == NULL || broker->plan->host == NULL)
		return NULL;
	pthread_mutex_lock(&broker->hooks->lock);
	for (size_t at = 0; found == NULL && path[at] != '\0'; at++) {
		/* with the slash before it: "/" is a folder, too */
		if (path[at] == '/' && at + (at == 0) >= top)
			found = find_in(find(broker, path, at + (at == 0), hash), path, ret_anchor);
		hash = hash_byte(hash, path[at]);
	}
	/* whoever is about to change a name of git's asks about it first */
	if (vet_is_delicate(path))
		broker->hooks->turn++;
	pthread_mutex_unlock(&broker->hooks->lock);
	return found;
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
	struct looking looking = {&one, broker->plan->host, MODULES_MAX};
	bool may = broker->plan->host != NULL && read_repository(&looking, folder, git_dir) == 0;

	for (size_t i = 0; may && i < one.dirs[0].count; i++)
		may = !holds_hooks(broker, &one.arena, &one.dirs[0].items[i]);
	arena_free(&one.arena);
	return may;
}
