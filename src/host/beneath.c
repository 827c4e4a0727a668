// SPDX-License-Identifier: MIT
/*
 * cordon_confine(): opens a path inside a root. openat2 is tried first and trusted only when it
 * succeeds. Otherwise the walk decides: one openat(O_NOFOLLOW) per name, links read as text, ".."
 * taken from our own stack of fds. Nothing outside the root is ever opened.
 */
#include "base/os.h"

#include "host/beneath.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/path.h"
#include "host/resolve.h"

/* A component and the fd of its directory; -1 for the last component and for missing ones. */
struct beneath_level {
	int fd;
	const char *name;
};

struct beneath_walk {
	struct arena arena;
	const char *given; /* root and path as the caller gave them */
	const char *asked;
	const char *canonical; /* canonical path of the root */
	int root;
	int flags;
	mode_t mode;
	struct beneath_level *levels; /* the components below the root */
	size_t depth, levels_made;
	bool missing; /* the last component does not exist */
	int links;
	struct cordon_error *err;
};

static void
walk_free(struct beneath_walk *walk)
{
	for (size_t i = 0; i < walk->depth; i++)
		auto_fd_fn(&walk->levels[i].fd);
	auto_fd_fn(&walk->root);
	arena_free(&walk->arena);
}
#define auto_walk __attribute__((cleanup(walk_free)))

static int
fail(const struct beneath_walk *walk, int sys)
{
	return cordon_fail(walk->err, CORDON_E_PATH, sys, "cannot open %.80s inside %.80s",
			   walk->asked, walk->canonical);
}

static int
escape(const struct beneath_walk *walk)
{
	return cordon_fail(walk->err, CORDON_E_ESCAPE, 0, "%.80s leads out of %.80s", walk->asked,
			   walk->canonical);
}

static int
top(const struct beneath_walk *walk)
{
	return walk->depth == 0 ? walk->root : walk->levels[walk->depth - 1].fd;
}

static int
push(struct beneath_walk *walk, const char *name, int fd)
{
	struct beneath_level *level;

	/* popped levels are reused */
	if (walk->depth == walk->levels_made &&
	    arena_push(&walk->arena, &walk->levels, &walk->levels_made, sizeof *level, walk->err) ==
		    NULL) {
		auto_fd_fn(&fd);
		return -CORDON_E_MEMORY;
	}
	level = &walk->levels[walk->depth++];
	*level = (struct beneath_level){fd, name};
	return 0;
}

static int
go_up(struct beneath_walk *walk)
{
	if (walk->depth == 0)
		return escape(walk);
	auto_fd_fn(&walk->levels[--walk->depth].fd);
	/* "new/.." cancels out: nothing below a missing name can be a link */
	walk->missing = walk->depth > 0 && walk->levels[walk->depth - 1].fd < 0;
	return 0;
}

static void
go_root(struct beneath_walk *walk)
{
	while (walk->depth > 0)
		auto_fd_fn(&walk->levels[--walk->depth].fd);
}

/* Returns the part of an absolute path below the root, or NULL. Both names of the root count. */
static const char *
below_root(const struct beneath_walk *walk, const char *path)
{
	const char *const roots[] = {walk->canonical, walk->given};

	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(roots[i]);

		while (length > 0 && roots[i][length - 1] == '/')
			length--;
		if (*roots[i] == '/' && strncmp(path, roots[i], length) == 0 &&
		    (path[length] == '/' || path[length] == '\0'))
			return path + length;
	}
	return NULL;
}

/* Puts the target of link name in front of *rest. Returns 0 also if name is no link. */
static int
follow(struct beneath_walk *walk, const char *name, const char **rest, bool *ret_link)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(top(walk), name, target, sizeof target - 1);
	const char *inside = target;

	*ret_link = length >= 0;
	if (length < 0)
		return errno == EINVAL ? 0 : fail(walk, errno);
	target[length] = '\0';
	if (++walk->links > RESOLVE_LINKS_MAX)
		return fail(walk, ELOOP);
	if (*target == '/') {
		inside = below_root(walk, target);
		if (inside == NULL)
			return escape(walk);
		go_root(walk);
	}
	*rest = arena_printf(&walk->arena, walk->err, "%s%s", inside, *rest);
	return *rest == NULL ? -CORDON_E_MEMORY : 0;
}

/* Enters a component that is not the last: a directory, or a link to one. */
static int
enter(struct beneath_walk *walk, const char *name, const char **rest)
{
	bool link = false;
	int rc, fd = -1, sys;

	if (!walk->missing)
		fd = openat(top(walk), name, COMPAT_O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return push(walk, name, fd);
	sys = errno;
	if (walk->missing || sys == ENOENT) {
		walk->missing = true;
		return push(walk, name, -1);
	}
	/* O_NOFOLLOW refuses a link with one of these, depending on system and flags */
	if (sys != ENOTDIR && sys != ELOOP)
		return fail(walk, sys);
	rc = follow(walk, name, rest, &link);
	return rc < 0 || link ? rc : fail(walk, sys);
}

static bool
is_link(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Opens the last component. *ret_fd stays -1 if it is missing, or a link continued in *rest. */
static int
finish(struct beneath_walk *walk, const char *name, const char **rest, int *ret_fd)
{
	bool link = false;
	auto_fd int fd = -1;
	int rc, sys;

	if (walk->missing)
		return push(walk, name, -1);
	fd = openat(top(walk), name, walk->flags | O_NOFOLLOW, walk->mode);
	sys = fd < 0 ? errno : ELOOP;
	/* with O_PATH the link itself is opened, which only the caller's own O_NOFOLLOW asks for */
	if (fd >= 0 && ((walk->flags & O_NOFOLLOW) != 0 || !is_link(fd))) {
		*ret_fd = fd;
		fd = -1;
		return push(walk, name, -1);
	}
	if (fd < 0 && sys == ENOENT) {
		walk->missing = true;
		return push(walk, name, -1);
	}
	if (fd < 0 && ((walk->flags & O_NOFOLLOW) != 0 || (sys != ELOOP && sys != ENOTDIR)))
		return fail(walk, sys);
	rc = follow(walk, name, rest, &link);
	return rc < 0 || link ? rc : fail(walk, sys);
}

/* Takes the first name off *rest; NULL if there is none or it is ".". */
static int
next_name(struct beneath_walk *walk, const char **rest, const char **ret_name)
{
	const char *start = *rest + strspn(*rest, "/");
	size_t length = strcspn(start, "/");

	*rest = start + length;
	*ret_name = NULL;
	if (length == 0 || (length == 1 && *start == '.'))
		return 0;
	*ret_name = arena_strndup(&walk->arena, start, length, walk->err);
	return *ret_name == NULL ? -CORDON_E_MEMORY : 0;
}

static int
step(struct beneath_walk *walk, const char **rest, int *ret_fd)
{
	const char *name;
	int rc = next_name(walk, rest, &name);

	if (rc < 0 || name == NULL)
		return rc;
	if (strcmp(name, "..") == 0)
		return go_up(walk);
	if (**rest == '\0')
		return finish(walk, name, rest, ret_fd);
	return enter(walk, name, rest);
}

/* Walks the path inside, below the root. A path that ends in a directory opens it as ".". */
static int
walk_open(struct beneath_walk *walk, const char *inside, int *ret_fd)
{
	auto_fd int fd = -1;
	int rc = 0;

	while (*inside != '\0' && rc == 0 && fd < 0)
		rc = step(walk, &inside, &fd);
	if (rc < 0)
		return rc;
	if (fd < 0 && !walk->missing)
		fd = openat(top(walk), ".", walk->flags | O_NOFOLLOW, walk->mode);
	if (fd < 0 && !walk->missing)
		return fail(walk, errno);
	/* with O_CREAT an earlier component is missing */
	if (fd < 0 && (walk->flags & O_CREAT) != 0)
		return fail(walk, ENOENT);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static char *
walk_path(const struct beneath_walk *walk)
{
	size_t length = strlen(walk->canonical) + 1;
	char *path, *to;

	for (size_t i = 0; i < walk->depth; i++)
		length += strlen(walk->levels[i].name) + 1;
	path = malloc(length);
	if (path == NULL)
		return NULL;
	to = stpcpy(path, walk->depth > 0 && walk->canonical[1] == '\0' ? "" : walk->canonical);
	for (size_t i = 0; i < walk->depth; i++)
		to = stpcpy(stpcpy(to, "/"), walk->levels[i].name);
	return path;
}

/* For display: the resolved path of inside, or its text if the tree changes meanwhile. */
static char *
quick_path(struct beneath_walk *walk, const char *inside)
{
	const char *text = path_join(&walk->arena, walk->canonical, inside, walk->err);
	struct resolved found;

	if (text == NULL)
		return NULL;
	if (resolve_path(&walk->arena, &fs_real, text, &found, NULL) == 0 &&
	    path_below(found.path, walk->canonical))
		text = found.path;
	return strdup(text);
}

static int
quick_open(const struct beneath_walk *walk, const char *inside)
{
	int fd = -1;

	/* EAGAIN: a rename raced with ".."; the walk is not affected by that */
	for (int tries = 0; tries < 16 && fd < 0 && (tries == 0 || errno == EAGAIN); tries++)
		fd = os_open_beneath(walk->root, *inside == '\0' ? "." : inside, walk->flags,
				     walk->mode);
	return fd;
}

static int
check_text(const struct beneath_walk *walk)
{
	if (*walk->asked == '\0')
		return cordon_fail(walk->err, CORDON_E_USAGE, 0, "an empty path names nothing");
	for (const char *c = walk->asked; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return cordon_fail(walk->err, CORDON_E_USAGE, 0,
					   "%.80s has a control character in it", walk->asked);
	return 0;
}

static int
open_root(struct beneath_walk *walk)
{
	auto_free char *real = os_realpath(walk->given, NULL);

	if (real != NULL)
		walk->root = open(real, COMPAT_O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (walk->root < 0)
		return cordon_fail(walk->err, CORDON_E_PATH, errno, "cannot use %.120s as a root",
				   walk->given);
	walk->canonical = arena_strdup(&walk->arena, real, walk->err);
	return walk->canonical == NULL ? -CORDON_E_MEMORY : 0;
}

/* Compares inodes, so that no name, link or mount disguises the root. */
static int
check_root(const struct beneath_walk *walk, int fd, unsigned int confine_flags)
{
	struct stat root, st;

	if (fd < 0 || (confine_flags & CORDON_CONFINE_ROOT) != 0)
		return 0;
	if (fstat(walk->root, &root) < 0 || fstat(fd, &st) < 0)
		return fail(walk, errno);
	if (root.st_dev != st.st_dev || root.st_ino != st.st_ino)
		return 0;
	return cordon_fail(walk->err, CORDON_E_PATH, 0, "%.80s is the root %.80s itself",
			   walk->asked, walk->canonical);
}

static int
confine(struct beneath_walk *walk, unsigned int confine_flags, bool quick, int *ret_fd,
	char **ret_path)
{
	auto_fd int fd = -1;
	auto_free char *path = NULL;
	const char *inside = walk->asked;
	int rc = check_text(walk);

	if (rc < 0 || (rc = open_root(walk)) < 0)
		return rc;
	if (*inside == '/' && (inside = below_root(walk, inside)) == NULL)
		return escape(walk);
	inside += strspn(inside, "/");
	if (quick)
		fd = quick_open(walk, inside);
	if (fd >= 0) {
		path = quick_path(walk, inside);
	} else {
		rc = walk_open(walk, inside, &fd);
		path = rc < 0 ? NULL : walk_path(walk);
	}
	if (rc < 0 || (rc = check_root(walk, fd, confine_flags)) < 0)
		return rc;
	if (path == NULL)
		return cordon_no_memory(walk->err);
	*ret_fd = fd;
	fd = -1;
	if (ret_path != NULL)
		*ret_path = take(&path);
	return 0;
}

static struct beneath_walk
walk_new(const char *root, const char *path, int flags, unsigned int mode, struct cordon_error *err)
{
	return (struct beneath_walk){
		.given = root,
		.asked = path,
		.root = -1,
		.flags = flags | O_CLOEXEC,
		.mode = (mode_t)(mode & 07777),
		.err = err,
	};
}

int
beneath_walk(const char *root, const char *path, int flags, unsigned int mode,
	     unsigned int confine_flags, int *ret_fd, char **ret_path, struct cordon_error *err)
{
	auto_walk struct beneath_walk walk = walk_new(root, path, flags, mode, err);

	return confine(&walk, confine_flags, false, ret_fd, ret_path);
}

int
cordon_confine(const char *root, const char *path, int flags, unsigned int mode,
	       unsigned int confine_flags, int *ret_fd, char **ret_path, struct cordon_error *err)
{
	auto_walk struct beneath_walk walk = walk_new(root, path, flags, mode, err);

	return confine(&walk, confine_flags, true, ret_fd, ret_path);
}
