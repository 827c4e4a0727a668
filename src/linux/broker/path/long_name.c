// SPDX-License-Identifier: MIT
/*
 * Finds a long path by climbing with "..", then descending name by name, finding each by listing its
 * directory. Results are cached; one walk down the cached path checks whether it still leads there. Names
 * may change meanwhile like any path; callers check again with names locked.
 */
#include "linux/broker/long_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "linux/broker/lookup.h"
#include "linux/seccomp/syscalls.h"

#define NO_SYMLINKS 0x04u
#define OPEN_DIR (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct id {
	dev_t device;
	ino_t inode;
};

/* The directories from the given one up to one with a known path. */
struct climb {
	struct long_names *deep;
	struct id *ids;
	size_t count, room;
	int at;		 /* fd: the last of them */
	struct str name; /* path of at */
};

static inline void
auto_climb_fn(struct climb *climb)
{
	if (climb->at >= 0)
		close(climb->at);
	free(climb->ids);
	str_free(&climb->name);
}
#define auto_climb __attribute__((cleanup(auto_climb_fn)))

bool
long_name_is(const char *path)
{
	return strlen(path) >= PATH_MAX;
}

static bool
is_id(int fd, const struct id *id)
{
	struct stat at;

	return fstat(fd, &at) == 0 && at.st_dev == id->device && at.st_ino == id->inode;
}

/* ---- cache ---- */

/* Copies a part of name that one system call can resolve, up to a slash within length bytes. */
static size_t
take_part(const char *name, size_t length, char to[PATH_MAX])
{
	size_t part = length < PATH_MAX ? length : PATH_MAX - 1;

	while (part < length && part > 0 && name[part] != '/')
		part--;
	memcpy(to, name, part);
	to[part] = '\0';
	return part;
}

/* Does the path still lead to this directory? */
static bool
leads_to(const char *name, size_t length, const struct id *id)
{
	const uint64_t how[3] = {OPEN_DIR, 0, NO_SYMLINKS};
	auto_fd int at = open("/", OPEN_DIR);
	char part[PATH_MAX];

	while (at >= 0 && length > 1) {
		size_t done = take_part(name + 1, length - 1, part) + 1;
		int next = (int)syscall(SYS_openat2, at, part, how, sizeof how);

		close(at);
		at = done > 1 ? next : -1;
		name += done;
		length -= done;
	}
	return at >= 0 && is_id(at, id);
}

/* Returns a copy, which the caller frees; NULL: not cached. */
static char *
recall(struct long_names *deep, const struct id *id)
{
	char *name = NULL;

	if (deep == NULL)
		return NULL;
	pthread_mutex_lock(&deep->lock);
	for (size_t i = 0; name == NULL && i < DEEP_NAMES; i++)
		if (deep->folders[i].name != NULL && deep->folders[i].device == id->device &&
		    deep->folders[i].inode == id->inode)
			name = strdup(deep->folders[i].name);
	pthread_mutex_unlock(&deep->lock);
	if (name == NULL || leads_to(name, strlen(name), id))
		return name;
	free(name);
	return NULL;
}

/* Replaces the old path of this directory, or the oldest entry. */
static void
remember_one(struct long_names *deep, const struct id *id, const char *name, size_t length)
{
	struct long_name_dir *to = NULL;

	pthread_mutex_lock(&deep->lock);
	for (size_t i = 0; i < DEEP_NAMES; i++)
		if (deep->folders[i].device == id->device && deep->folders[i].inode == id->inode)
			to = &deep->folders[i];
	if (to == NULL)
		to = &deep->folders[deep->next++ % DEEP_NAMES];
	free(to->name);
	*to = (struct long_name_dir){id->device, id->inode, strndup(name, length)};
	pthread_mutex_unlock(&deep->lock);
}

/* Caches the directory and its parent, where a program that deletes a tree goes next. */
static void
remember(const struct climb *climb, const char *name)
{
	const char *slash = strrchr(name, '/');

	if (climb->deep == NULL)
		return;
	remember_one(climb->deep, &climb->ids[0], name, strlen(name));
	if (climb->count > 1 && slash > name)
		remember_one(climb->deep, &climb->ids[1], name, (size_t)(slash - name));
}

/* ---- up ---- */

static bool
note_id(struct climb *climb)
{
	struct stat at;

	if (climb->count == climb->room) {
		size_t room = climb->room == 0 ? 64 : 2 * climb->room;
		struct id *ids = realloc(climb->ids, room * sizeof *ids);

		if (ids == NULL)
			return false;
		climb->ids = ids;
		climb->room = room;
	}
	if (fstat(climb->at, &at) < 0)
		return false;
	climb->ids[climb->count++] = (struct id){at.st_dev, at.st_ino};
	return true;
}

char *
long_name_path(const struct long_names *deep, int folder)
{
	char text[PATH_MAX];

	if (deep != NULL && deep->has_own_folder && fchdir(folder) == 0 &&
	    syscall(SYS_getcwd, text, sizeof text) > 1 && *text == '/')
		return strdup(text);
	return lookup_fd_name(folder);
}

/* Known by the kernel or cached. */
static bool
is_known(struct climb *climb)
{
	auto_free char *name = long_name_path(climb->deep, climb->at);

	if (name == NULL)
		name = recall(climb->deep, &climb->ids[climb->count - 1]);
	if (name != NULL)
		str_add(&climb->name, name);
	return name != NULL;
}

static bool
go_up(struct climb *climb)
{
	while (note_id(climb) && climb->count < DEEP_MAX / 2) {
		int above;

		if (is_known(climb))
			return true;
		above = openat(climb->at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(climb->at);
		climb->at = above;
		if (above < 0)
			return false;
	}
	return errno = ENAMETOOLONG, false;
}

/* ---- down ---- */

/* Opens the directory with this id, an entry of folder. */
static int
enter(int folder, const char *name, const struct id *id)
{
	auto_fd int fd = openat(folder, name, OPEN_DIR);

	return fd >= 0 && is_id(fd, id) ? fd_take(&fd) : -1;
}

/* Entries with another inode number are tried last: they may be mount points. */
static int
find_entry(DIR *dir, const struct id *id, bool is_same, char to[NAME_MAX + 1])
{
	const struct dirent *entry;
	int fd = -1;

	rewinddir(dir);
	while (fd < 0 && (entry = readdir(dir)) != NULL) {
		if ((entry->d_ino == id->inode) != is_same || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		fd = enter(dirfd(dir), entry->d_name, id);
		if (fd >= 0)
			strcpy(to, entry->d_name);
	}
	return fd;
}

static bool
step_down(struct climb *climb, const struct id *id)
{
	int list = openat(climb->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	DIR *dir = list < 0 ? NULL : fdopendir(list);
	char name[NAME_MAX + 1];

	if (dir == NULL && list >= 0)
		close(list);
	if (dir == NULL)
		return false;
	fd = find_entry(dir, id, true, name);
	if (fd < 0)
		fd = find_entry(dir, id, false, name);
	closedir(dir);
	close(climb->at);
	climb->at = fd;
	str_printf(&climb->name, "/%s", fd < 0 ? "" : name);
	return fd >= 0;
}

char *
long_name_name(struct long_names *deep, int folder)
{
	auto_climb struct climb climb = {.deep = deep, .at = openat(folder, ".", OPEN_DIR)};

	if (climb.at < 0 || !go_up(&climb))
		return NULL;
	for (size_t i = climb.count - 1; i > 0; i--)
		if (!step_down(&climb, &climb.ids[i - 1]) || climb.name.length >= DEEP_MAX)
			return errno = ENAMETOOLONG, NULL;
	if (climb.name.failed)
		return errno = ENOMEM, NULL;
	remember(&climb, climb.name.text);
	return strdup(climb.name.text);
}
