/* SPDX-License-Identifier: MIT */
/*
 * Random trees, and random paths into them: links of every kind, odd and long names, directories that an ordinary
 * user cannot search or list. Names carry the number of the process, so that a path which leads out of a tree meets
 * nothing of others.
 */
#pragma once

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The test itself cannot go on. */
#define broken()                                                     \
	do {                                                         \
		printf("# %s:%d: broken: %m\n", __FILE__, __LINE__); \
		fflush(stdout);                                      \
		abort();                                             \
	} while (0)

#define NAMES 7
#define DIRS 40
#define BASES 8
#define FIRST_BASE 100 /* the caller's fds: FIRST_BASE to FIRST_BASE + BASES - 1 */
#define CHAIN 43       /* links one behind the other: the kernel follows 40 */
#define DEPTH 3
#define DEEP 18 /* directories with long names, below each other: longer than PATH_MAX */

struct tree {
	uint64_t first, seed;
	uid_t other; /* owner of some files */
	char top[PATH_MAX], root[PATH_MAX];
	char names[NAMES][NAME_MAX + 1];
	char dirs[DIRS][PATH_MAX];
	size_t dir_count;
};

static inline size_t
draw(struct tree *tree, size_t below)
{
	tree->seed = tree->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (size_t)((tree->seed >> 33) % below);
}

static inline void
name_names(struct tree *tree)
{
	static const char *const forms[NAMES] = {"a%d",	  "b%d",	   "c%d", "\xff\n \\%d",
						 "...%d", "x%d (deleted)", "%d"};

	for (size_t i = 0; i < NAMES; i++)
		snprintf(tree->names[i], sizeof tree->names[i], forms[i], (int)getpid());
	memset(tree->names[NAMES - 1] + strlen(tree->names[NAMES - 1]), 'n',
	       NAME_MAX - strlen(tree->names[NAMES - 1]));
}

/* ---- paths ---- */

static inline void
add(char *to, const char *text)
{
	size_t length = strlen(to), more = strlen(text);

	if (length + more < 2 * PATH_MAX)
		memcpy(to + length, text, more + 1);
}

static inline const char *
draw_name(struct tree *tree, size_t up)
{
	size_t n = draw(tree, 24);

	if (n < 2)
		return ".";
	if (n < 2 + up)
		return "..";
	return tree->names[draw(tree, n > 20 ? NAMES : 3)];
}

static inline void
add_names(struct tree *tree, char *to, size_t most, size_t up)
{
	static const char *const separators[] = {"/", "/", "/", "/", "//", "/./"};
	size_t count = draw(tree, most + 1);

	for (size_t i = 0; i < count; i++) {
		if (*to != '\0' && to[strlen(to) - 1] != '/')
			add(to, separators[draw(tree, 6)]);
		add(to, draw_name(tree, up));
	}
}

/* Where procfs leads; pid is the caller's, or 0: its own number is not known yet. */
static inline void
add_proc(struct tree *tree, char *to, pid_t pid)
{
	char text[64];

	switch (draw(tree, 9)) {
	case 0:
		add(to, "/proc/self/cwd");
		break;
	case 1:
		add(to, "/proc/thread-self/cwd");
		break;
	case 2:
		add(to, "/proc/self/root");
		add(to, tree->root);
		break;
	case 3:
		add(to, pid > 0 && draw(tree, 2) == 0 ? "/proc/self/fd" : "/proc/self/task/../fd");
		break;
	case 4:
		snprintf(text, sizeof text, "/proc/%d/cwd", pid > 0 ? (int)pid : 1);
		add(to, text);
		break;
	case 5:
		add(to, draw(tree, 2) == 0 ? "/proc/self/exe" : "/proc/self/ns/net");
		break;
	case 6:
		add(to, draw(tree, 2) == 0 ? "/proc/1/root" : "/proc/self/status");
		break;
	default:
		snprintf(text, sizeof text, "%s/%d",
			 draw(tree, 2) == 0 ? "/proc/self/fd" : "/dev/fd",
			 FIRST_BASE + (int)draw(tree, BASES + 3));
		add(to, text);
	}
}

static inline void
draw_link(struct tree *tree, char to[2 * PATH_MAX])
{
	size_t n = draw(tree, 12);

	*to = '\0';
	if (n < 3)
		add(to, tree->root);
	else if (n == 3)
		add_proc(tree, to, 0);
	else if (n == 4)
		add(to, "..");
	add_names(tree, to, 3, 4);
	if (draw(tree, 8) == 0)
		add(to, draw(tree, 2) == 0 ? "/" : "/.");
	if (*to == '\0')
		add(to, draw(tree, 4) == 0 ? "/" : ".");
	to[PATH_MAX - 1] = '\0';
}

/* Longer, and the same: up to PATH_MAX and one byte more. */
static inline void
pad(struct tree *tree, char to[2 * PATH_MAX])
{
	size_t length = strlen(to), all = PATH_MAX - 2 + draw(tree, 3), more = all - length;
	const char *text = draw(tree, 2) == 0 ? "./" : "//";
	bool is_absolute = *to == '/';

	if (length >= all || length == 0)
		return;
	memmove(to + is_absolute + more, to + is_absolute, length + 1 - is_absolute);
	for (size_t i = 0; i < more; i++)
		to[is_absolute + i] = is_absolute || *text == '.' ? text[i % 2] : '/';
	if (!is_absolute && more % 2 == 1)
		to[more - 1] = '/';
	if (!is_absolute)
		*to = '.';
}

/* Returns the fd that it starts from, if it is relative. */
static inline int
draw_path(struct tree *tree, pid_t pid, char to[2 * PATH_MAX])
{
	static const char *const ends[] = {"", "", "", "", "", "", "/", "//", "/.", "/.."};
	size_t n = draw(tree, 20);
	char link[64];

	*to = '\0';
	if (n < 6)
		add(to, tree->root);
	else if (n < 9)
		add_proc(tree, to, pid);
	else if (n == 9)
		add(to, "/");
	add_names(tree, to, n < 9 ? 3 : 5, 2);
	if (n == 19) {
		snprintf(link, sizeof link, "%s%s%zu", "chain",
			 draw(tree, 2) == 0 ? "/" : "/../chain/",
			 CHAIN - 1 - draw(tree, draw(tree, 2) == 0 ? 4 : CHAIN));
		*to = '\0';
		add(to, tree->root);
		add(to, "/");
		add(to, link);
	}
	add(to, ends[draw(tree, sizeof ends / sizeof ends[0])]);
	if (draw(tree, 100) == 0)
		add(to, "/n"), add(to, tree->names[NAMES - 1]);
	if (draw(tree, 40) == 0)
		pad(tree, to);
	return draw(tree, 2) == 0 ? AT_FDCWD : FIRST_BASE + (int)draw(tree, BASES + 1);
}

/* ---- trees ---- */

static inline bool
grow_entry(struct tree *tree, const char *path)
{
	char text[2 * PATH_MAX];

	switch (draw(tree, 12)) {
	case 0:
		return mkfifo(path, 0600) == 0;
	case 1:
	case 2:
		return mknod(path, S_IFREG | (draw(tree, 4) == 0 ? 0400 : 0640), 0) == 0;
	case 3:
	case 4:
	case 5:
	case 6:
		draw_link(tree, text);
		return symlink(text, path) == 0;
	default:
		return mkdir(path, 0755) == 0;
	}
}

static inline void
own(struct tree *tree, const char *path, size_t chance)
{
	if (geteuid() == 0 && draw(tree, chance) != 0 &&
	    lchown(path, tree->other, tree->other) != 0)
		broken();
}

/* By relative calls, from the directory that is to be filled. */
static inline void
grow(struct tree *tree, const char *at, int depth)
{
	static const mode_t modes[] = {0755, 0755, 0755, 0755, 0755, 0755,
				       0700, 0500, 0300, 0600, 0,    01777};
	char path[PATH_MAX];
	struct stat is;

	if (tree->dir_count < DIRS && strlen(at) < PATH_MAX - 300)
		strcpy(tree->dirs[tree->dir_count++], at);
	for (size_t i = 0; i < NAMES; i++) {
		if (draw(tree, 4) == 0 ||
		    snprintf(path, sizeof path, "%s/%s", at, tree->names[i]) >= (int)sizeof path ||
		    !grow_entry(tree, path) || lstat(path, &is) != 0)
			continue;
		if (S_ISDIR(is.st_mode) && depth > 0)
			grow(tree, path, depth - 1);
		own(tree, path, 6);
		if (S_ISDIR(is.st_mode) && chmod(path, modes[draw(tree, 12)]) != 0)
			broken();
	}
}

static inline void
grow_chain(const struct tree *tree)
{
	char path[PATH_MAX], text[NAME_MAX + 8];

	snprintf(path, sizeof path, "%.200s/chain", tree->root);
	if (mkdir(path, 0755) != 0)
		broken();
	for (int i = 0; i < CHAIN; i++) {
		snprintf(path, sizeof path, "%.200s/chain/%d", tree->root, i);
		snprintf(text, sizeof text, "%d", i - 1);
		if (i == 0)
			snprintf(text, sizeof text, "../%s", tree->names[0]);
		if (symlink(text, path) != 0)
			broken();
	}
}

static inline int
enter(int at, const char *name)
{
	int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	close(at);
	return next;
}

/* The lowest of directories whose path is longer than PATH_MAX. */
static inline int
open_deep(const struct tree *tree)
{
	int at = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	at = enter(at, "deep");
	for (int i = 0; i < DEEP; i++)
		at = enter(at, tree->names[NAMES - 1]);
	return at;
}

static inline void
grow_deep(const struct tree *tree)
{
	const char *name = "deep";
	int at = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i <= DEEP && at >= 0; i++) {
		if (mkdirat(at, name, 0755) != 0)
			broken();
		at = enter(at, name);
		name = tree->names[NAMES - 1];
	}
	/* only root can give it away */
	if (at < 0 || (geteuid() == 0 && fchown(at, tree->other, tree->other) != 0) ||
	    mkdirat(at, tree->names[0], 0755) != 0 ||
	    symlinkat(tree->names[0], at, tree->names[1]) != 0)
		broken();
	close(at);
}

/* So many directories below each other that ".." hardly leads out of them. */
static inline void
tree_grow(struct tree *tree, uint64_t seed, uid_t other)
{
	*tree = (struct tree){.first = seed, .seed = seed, .other = other};
	name_names(tree);
	/* not in TMPDIR, which an ordinary user may be unable to search */
	strcpy(tree->top, "/tmp/lookup.XXXXXX");
	if (mkdtemp(tree->top) == NULL || realpath(tree->top, tree->root) == NULL ||
	    chmod(tree->root, 0755) != 0)
		broken();
	for (int i = 0; i < 12; i++) {
		strcat(tree->root, "/r");
		if (mkdir(tree->root, 0755) != 0)
			broken();
		own(tree, tree->root, 1000);
	}
	grow(tree, tree->root, DEPTH);
	grow_chain(tree);
	grow_deep(tree);
}

static inline bool
tree_remove(const struct tree *tree)
{
	char command[2 * PATH_MAX + 64];

	snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -rf '%s'", tree->top,
		 tree->top);
	return system(command) == 0;
}
