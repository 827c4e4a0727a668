// SPDX-License-Identifier: MIT
/*
 * Decides about an object that is already open, by its canonical path. A removed file is decided by its
 * last path; pipes, sockets and memfds have none, and are unrestricted, as in Landlock.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "linux/broker/broker.h"
#include "linux/broker/call/procfs_view.h"
#include "linux/broker/long_name.h"
#include "linux/broker/nest.h"

static const char gone[] = " (deleted)";

/* A file has no parent pointer: use the path that led to it, if it still does. */
static char *
find_name(const struct notif_call *request, const struct judged *what)
{
	auto_lookup struct lookup entry = LOOKUP_NONE;
	struct stat here, there;
	char *name = NULL;

	if (what->way != NULL &&
	    lookup(request, what->base, what->way, LOOKUP_ENTRY, what->follow, &entry) ==
		    LOOKUP_FOUND &&
	    fstat(what->object, &here) == 0 &&
	    fstatat(entry.folder, *entry.name == '\0' ? "." : entry.name, &there,
		    AT_SYMLINK_NOFOLLOW) == 0 &&
	    here.st_ino == there.st_ino && here.st_dev == there.st_dev) {
		name = entry.path;
		entry.path = NULL;
	}
	errno = ENAMETOOLONG;
	return name;
}

/* Returns NULL with errno: it has no path, or the path cannot be found out. */
static char *
read_name(const struct notif_call *request, const struct judged *what)
{
	char link[16], to[PATH_MAX];
	struct stat at;
	ssize_t n;

	snprintf(link, sizeof link, "%d", what->object);
	n = readlinkat(request->broker->own, link, to, sizeof to - 1);
	to[n < 0 ? 0 : n] = '\0';
	if (n > 0)
		return strdup(to);
	if (n == 0)
		errno = ENOENT;
	if (errno != ENAMETOOLONG)
		return NULL;
	return fstat(what->object, &at) == 0 && S_ISDIR(at.st_mode)
		       ? long_name_name(request->deep, what->object)
		       : find_name(request, what);
}

static bool
ends_gone(const char *path)
{
	size_t length = strlen(path);

	return length >= sizeof gone && strcmp(path + length - (sizeof gone - 1), gone) == 0;
}

static bool
is_memory(int object, const char *path)
{
	struct statfs fs;
	struct stat at;

	return strncmp(path, "/memfd:", 7) == 0 && fstat(object, &at) == 0 && at.st_nlink == 0 &&
	       fstatfs(object, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* A path that ends in " (deleted)" is ambiguous: grant only what both readings allow. */
static struct verdict
judge_gone(const struct notif_call *request, decide_fn *decide, char *path)
{
	unsigned rights = decide(request, path).rights;
	struct verdict verdict;

	path[strlen(path) - (sizeof gone - 1)] = '\0';
	verdict = decide(request, path);
	verdict.rights &= rights;
	return verdict;
}

struct verdict
broker_decide_object(const struct notif_call *request, const struct judged *what, decide_fn *decide,
		     char **ret_path)
{
	const struct verdict nothing = {.rights = 0}, all = {.rights = RIGHTS_ALL};
	char *path = read_name(request, what);

	*ret_path = path;
	if (path == NULL)
		return nothing;
	if (*path != '/' || is_memory(what->object, path)) {
		*path = '\0';
		return all;
	}
	if (what->is_proc &&
	    (!nest_may_look(request, path) || procfs_is_others_memory(path, request->thread)))
		return nothing;
	return ends_gone(path) ? judge_gone(request, decide, path) : decide(request, path);
}
