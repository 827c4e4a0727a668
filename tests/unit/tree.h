/* SPDX-License-Identifier: MIT */
/*
 * Random trees on the real file system, for tests that hold us against the system's own answers.
 * Each tree is also a table for fakefs.h.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "fakefs.h"
#include "tap.h"

#define ENTRIES 24
#define TEXT_SIZE 512

/* The same numbers on every run and machine. */
static inline size_t
pick(size_t below)
{
	static unsigned long long seed = 20240607;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (size_t)((seed >> 33) % below);
}

/* A path of 1 to most names, drawn from few so that paths meet; the first four can be made. */
static inline void
random_relative(char *to, size_t most, size_t kinds)
{
	static const char *const names[] = {"a", "b", "c", "d", "..", "."};
	size_t count = 1 + pick(most);

	*to = '\0';
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strcat(to, pick(12) == 0 ? "//" : "/");
		strcat(to, names[pick(kinds)]);
	}
}

struct tree {
	char root[TEXT_SIZE / 4];
	struct fake_entry table[ENTRIES + 1];
	char links[ENTRIES][TEXT_SIZE];
	size_t count;
	struct arena arena;
};

static inline bool
make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	return fd >= 0 && close(fd) == 0;
}

static inline bool
make_link(const struct tree *tree, const char *path, char *link)
{
	char target[TEXT_SIZE / 4];
	const char *dot, *top;

	random_relative(target, 4, 6);
	/* one after the other: compilers evaluate arguments in different orders */
	dot = pick(4) == 0 ? "/./" : "";
	top = pick(3) == 0 ? tree->root : "";
	snprintf(link, TEXT_SIZE, "%s%s%s", top, dot, target);
	/* what leads out of the tree the table does not know */
	if (*link == '/' && strncmp(link, tree->root, strlen(tree->root)) != 0)
		memmove(link, link + 1, strlen(link));
	return symlink(link, path) == 0;
}

static inline bool
make_entry(struct tree *tree)
{
	struct fake_entry *entry = &tree->table[tree->count];
	char *link = tree->links[tree->count];
	char inner[TEXT_SIZE / 4], real[PATH_MAX];
	const char *path, *parent;

	random_relative(inner, 3, 4);
	path = path_join(&tree->arena, tree->root, inner, NULL);
	parent = path_parent(&tree->arena, path, NULL);
	/* through a link or a doubled slash one place would get two names in the table */
	if (realpath(parent, real) == NULL || strcmp(real, parent) != 0)
		return false;
	entry->path = path;
	entry->link = link;
	entry->kind = (enum fs_kind[]){FS_FILE, FS_DIR, FS_DIR, FS_LINK, FS_LINK}[pick(5)];
	if (entry->kind == FS_FILE)
		return make_file(path);
	if (entry->kind == FS_DIR)
		return mkdir(path, 0700) == 0;
	return make_link(tree, path, link);
}

/* Folders, files and links (dangling, looping, climbing, absolute) in a new folder of its own. */
static inline bool
tree_make(struct tree *tree)
{
	const char *tmp = getenv("TMPDIR");
	char made[TEXT_SIZE / 8], real[PATH_MAX];

	memset(tree, 0, sizeof *tree);
	if (snprintf(made, sizeof made, "%s/resolve.XXXXXX", tmp != NULL ? tmp : "/tmp") >=
		    (int)sizeof made ||
	    mkdtemp(made) == NULL || realpath(made, real) == NULL)
		return false;
	snprintf(tree->root, sizeof tree->root, "%.100s", real);
	for (size_t i = 0; i < 6 * ENTRIES && tree->count < ENTRIES; i++) {
		if (make_entry(tree))
			tree->count++;
		else
			tree->table[tree->count].path = NULL;
	}
	return tree->count > 0;
}

static inline void
tree_remove(struct tree *tree)
{
	char command[TEXT_SIZE];

	snprintf(command, sizeof command, "rm -rf '%s'", tree->root);
	check_int(system(command), 0);
	arena_free(&tree->arena);
}
