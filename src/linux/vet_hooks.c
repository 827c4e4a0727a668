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
#define KEPT_MAX 1024
#define POINTER_MAX (PATH_MAX + 16)
/* For how long the user's own changes may stay unseen. */
#define MOMENT_NS 1000000000ll

/* A folder that was looked at, or with a slash behind it a git directory for those that it keeps. */
struct looked {
	char *folder; /* NULL: none */
	uint64_t turn;
	int64_t until;
	struct arena arena; /* of what follows */
	struct hookdir *dirs;
	size_t count;
	const char *keeper; /* its git directory, if there are others in that; or NULL */
	bool is_failed;
};

struct hookmemory {
	pthread_mutex_t lock;
	uint64_t turn, kept_turn; /* submodules can be many: only their settings count there */
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
vet_hooks_changed(struct broker *broker, bool has_settings)
{
	if (broker->hooks == NULL)
		return;
	pthread_mutex_lock(&broker->hooks->lock);
	broker->hooks->turn++;
	broker->hooks->kept_turn += has_settings;
	pthread_mutex_unlock(&broker->hooks->lock);
}

/* ---- looking ---- */

struct looking {
	struct arena arena; /* settings can be long; of them only what follows is kept */
	struct looked *to;
	const struct host *host;
	int left; /* repositories that may still be looked at */
};

/* More than are looked at: then any name of a hook may be one. */
static int
give_up(struct looking *l, const char *folder)
{
	struct looked *to = l->to;
	struct hookdir *slot = arena_push(&to->arena, &to->dirs, &to->count, sizeof *slot, NULL);

	if (slot == NULL || folder == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct hookdir){HOOKDIR_UNKNOWN, arena_strdup(&to->arena, folder, NULL), true};
	return slot->path == NULL ? -CORDON_E_MEMORY : 0;
}

static int
read_hooks(struct looking *l, const struct hookrepo *repo)
{
	struct looked *to = l->to;
	struct hookdirs found;

	if (hookdirs_read(&l->arena, l->host, repo, &found, NULL) < 0)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < found.count; i++) {
		struct hookdir *slot =
			arena_push(&to->arena, &to->dirs, &to->count, sizeof *slot, NULL);

		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = found.items[i];
		slot->path = arena_strdup(&to->arena, slot->path, NULL);
		if (slot->path == NULL)
			return -CORDON_E_MEMORY;
	}
	return 0;
}

/* What the one line of a file in folder leads to; folder itself: there is none such. NULL: no memory. */
static const char *
follow(struct looking *l, const char *folder, const char *name, const char *word)
{
	struct arena *arena = &l->arena;
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

static int read_modules(struct looking *l, const char *folder);

/* A submodule's; names of those have slashes in them, so what is none is a folder with some. */
static int
read_module(struct looking *l, const char *path)
{
	const char *inner = path;
	int rc = 0;

	if (vet_is_repository(path)) {
		rc = read_repository(l, path, path);
		inner = path_join(&l->arena, path, "modules", NULL);
	}
	return rc < 0 || inner == NULL ? -CORDON_E_MEMORY : read_modules(l, inner);
}

/* A worktree's, whose hooks start from where it is. */
static int
read_worktree(struct looking *l, const char *path)
{
	const char *pointer = follow(l, path, "gitdir", "");
	const char *root = pointer == NULL ? NULL : path_parent(&l->arena, pointer, NULL);

	return root == NULL ? -CORDON_E_MEMORY : read_repository(l, root, path);
}

static int
read_each(struct looking *l, const char *folder, int (*read)(struct looking *l, const char *path))
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int rc = 0;

	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
		const char *path;

		if (*entry->d_name == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		path = path_join(&l->arena, folder, entry->d_name, NULL);
		rc = path == NULL ? -CORDON_E_MEMORY : l->left-- > 0 ? read(l, path) : 0;
	}
	if (dir != NULL)
		closedir(dir);
	return rc;
}

static int
read_modules(struct looking *l, const char *folder)
{
	return read_each(l, folder, read_module);
}

/* Those that are kept in a git directory: their hooks may lie in another's working tree. */
static int
look_at_kept(struct looking *l, const char *folder)
{
	const char *git_dir = arena_strndup(&l->arena, folder, strlen(folder) - 1, NULL);
	const char *modules = git_dir == NULL ? NULL
					      : path_join(&l->arena, git_dir, "modules", NULL),
		   *worktrees = git_dir == NULL ? NULL
						: path_join(&l->arena, git_dir, "worktrees", NULL);

	if (modules == NULL || worktrees == NULL || read_modules(l, modules) < 0 ||
	    read_each(l, worktrees, read_worktree) < 0)
		return -CORDON_E_MEMORY;
	return l->left > 0 ? 0 : give_up(l, path_parent(&l->arena, git_dir, NULL));
}

static bool
is_keeper(const char *git_dir)
{
	char path[PATH_MAX + 16];
	struct stat at;

	snprintf(path, sizeof path, "%s/modules", git_dir);
	if (stat(path, &at) == 0)
		return true;
	snprintf(path, sizeof path, "%s/worktrees", git_dir);
	return stat(path, &at) == 0;
}

static int
look_at(struct looking *l, const char *folder)
{
	char dot_git[PATH_MAX + 8];
	const char *git_dir = dot_git;
	struct stat at;

	snprintf(dot_git, sizeof dot_git, "%s/.git", strcmp(folder, "/") == 0 ? "" : folder);
	if (stat(dot_git, &at) < 0)
		return vet_is_repository(folder) ? read_repository(l, folder, folder) : 0;
	if (!S_ISDIR(at.st_mode))
		git_dir = follow(l, folder, ".git", "gitdir: ");
	if (git_dir == NULL || read_repository(l, folder, git_dir) < 0)
		return -CORDON_E_MEMORY;
	if (is_keeper(git_dir))
		l->to->keeper = arena_printf(&l->to->arena, NULL, "%s/", git_dir);
	return is_keeper(git_dir) && l->to->keeper == NULL ? -CORDON_E_MEMORY : 0;
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
	struct looking looking = {{NULL}, one, broker->plan->host, KEPT_MAX};
	bool is_kept = length > 1 && path[length - 1] == '/';
	uint64_t turn = is_kept ? memory->kept_turn : memory->turn;
	int64_t time = now();

	if (one->folder != NULL && one->turn == turn && time < one->until &&
	    strncmp(one->folder, path, length) == 0 && one->folder[length] == '\0')
		return one;
	forget(one);
	one->folder = strndup(path, length);
	one->turn = turn;
	one->until = time + MOMENT_NS;
	one->is_failed = one->folder == NULL ||
			 (is_kept ? look_at_kept : look_at)(&looking, one->folder) < 0;
	arena_free(&looking.arena);
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
find_in(const struct looked *one, const char *path, size_t root, size_t *ret_anchor)
{
	for (size_t i = 0; i < one->count; i++) {
		*ret_anchor = closed_by(&one->dirs[i], path, root);
		if (*ret_anchor > 0)
			return &of_kind[one->dirs[i].kind];
	}
	/* what could not be found out for lack of memory stays as it is */
	*ret_anchor = one->is_failed ? strlen(path) : 0;
	return one->is_failed ? &of_kind[HOOKDIR_UNKNOWN] : NULL;
}

/* By the folder that is the first length bytes of path. */
static const struct protection *
find_by(const struct broker *broker, const char *path, size_t length, uint64_t hash,
	size_t *ret_anchor)
{
	const struct looked *one = find(broker, path, length, hash);
	const struct protection *found = find_in(one, path, length, ret_anchor);
	char keeper[PATH_MAX + 8];

	if (found != NULL || one->keeper == NULL)
		return found;
	/* what it is in may be forgotten for the next */
	snprintf(keeper, sizeof keeper, "%s", one->keeper);
	one = find(broker, keeper, strlen(keeper), hash_text(keeper));
	return find_in(one, path, length, ret_anchor);
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
			found = find_by(broker, path, at + (at == 0), hash, ret_anchor);
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
	struct looking looking = {{NULL}, &one, broker->plan->host, KEPT_MAX};
	bool may = broker->plan->host != NULL && read_repository(&looking, folder, git_dir) == 0;

	for (size_t i = 0; may && i < one.count; i++)
		may = !holds_hooks(broker, &one.arena, &one.dirs[i]);
	arena_free(&looking.arena);
	arena_free(&one.arena);
	return may;
}
