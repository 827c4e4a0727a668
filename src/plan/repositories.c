// SPDX-License-Identifier: MIT
/*
 * Looking for repositories, folder by folder, each opened by itself: never through a link, and never
 * into what git keeps of its own. Where other people's packages are unpacked comes last: those folders are
 * most of a tree, and nobody works in them.
 */
#include "plan/repositories.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/path.h"
#include "plan/looked.h"

enum turn { TURN_FIRST, TURN_LAST, TURNS };

struct queue {
	const char **items;
	size_t count, next;
};

struct walk {
	struct arena arena; /* of the folders that wait */
	struct queue queues[TURNS];
	struct arena *to;
	struct repositories *found;
};

static int
keep(struct arena *arena, const char ***items, size_t *count, const char *path)
{
	const char **slot = path == NULL ? NULL
					 : arena_push(arena, items, count, sizeof *slot, NULL);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = path;
	return 0;
}

static bool
is_folder(int folder, const struct dirent *entry)
{
	struct stat at;

	return entry->d_type == DT_DIR ||
	       (entry->d_type == DT_UNKNOWN &&
		fstatat(folder, entry->d_name, &at, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISDIR(at.st_mode));
}

/* The machine's own trees have no end, and no repositories. */
static bool
is_machines(const char *folder, const char *name)
{
	return strcmp(folder, "/") == 0 &&
	       (strcmp(name, "proc") == 0 || strcmp(name, "sys") == 0 || strcmp(name, "dev") == 0);
}

static int
put_off(struct walk *w, enum turn turn, const char *folder, const char *name)
{
	struct queue *queue;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0 ||
	    is_machines(folder, name))
		return 0;
	queue = &w->queues[strcmp(name, "node_modules") == 0 ? TURN_LAST : turn];
	return keep(&w->arena, &queue->items, &queue->count,
		    path_join(&w->arena, folder, name, NULL));
}

static int
look_into(struct walk *w, enum turn turn, const char *folder, DIR *dir)
{
	const struct dirent *entry;
	bool has_git = false, has_head = false;
	int rc = 0;

	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		/* where names are folded, another spelling is the same */
		has_git = has_git || ascii_same(entry->d_name, ".git");
		has_head = has_head || ascii_same(entry->d_name, "HEAD");
		if (is_folder(dirfd(dir), entry))
			rc = put_off(w, turn, folder, entry->d_name);
	}
	if (rc == 0 && (has_git || (has_head && looked_is_repository(folder))))
		rc = keep(w->to, &w->found->roots, &w->found->count,
			  arena_strdup(w->to, folder, NULL));
	return rc;
}

/* Of a bare repository: there are many folders in it, and no repositories. */
static bool
is_gits(struct walk *w, const char *folder)
{
	const char *above;

	if (strcmp(path_last(folder), "objects") != 0)
		return false;
	above = path_parent(&w->arena, folder, NULL);
	return above != NULL && looked_is_repository(above);
}

static int
visit(struct walk *w, enum turn turn, const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -CORDON_E_SYSTEM : 0;
	if (dir == NULL) {
		close(fd);
		return -CORDON_E_MEMORY;
	}
	rc = look_into(w, turn, folder, dir);
	closedir(dir);
	return rc;
}

static int
visit_all(struct walk *w, size_t limit)
{
	for (;;) {
		enum turn turn = w->queues[TURN_FIRST].next < w->queues[TURN_FIRST].count
					 ? TURN_FIRST
					 : TURN_LAST;
		struct queue *queue = &w->queues[turn];
		const char *folder;
		int rc;

		if (queue->next == queue->count)
			return 1;
		folder = queue->items[queue->next++];
		if (is_gits(w, folder))
			continue;
		if (limit-- == 0)
			return 0;
		rc = visit(w, turn, folder);
		if (rc < 0)
			return rc;
	}
}

int
repositories_find(struct arena *arena, const char *top, size_t limit, struct repositories *ret)
{
	struct walk walk = {.to = arena, .found = ret};
	struct queue *first = &walk.queues[TURN_FIRST];
	int rc;

	*ret = (struct repositories){0};
	rc = keep(&walk.arena, &first->items, &first->count, top);
	if (rc == 0)
		rc = visit_all(&walk, limit);
	ret->is_whole = rc == 1;
	arena_free(&walk.arena);
	return rc < 0 ? rc : 0;
}
