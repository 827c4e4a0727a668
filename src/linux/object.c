// SPDX-License-Identifier: MIT
/*
 * What may be done with something that is held already, however it was reached. It is judged by the
 * kernel's own name for it. What was removed is judged by the name it had; pipes, sockets and
 * memory have none, and are as free as they are to Landlock.
 */
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "linux/broker.h"
#include "linux/procfs.h"

static const char gone[] = " (deleted)";

/* False: it has no name at all, or the name cannot be told. */
static bool
read_name(int object, char to[PATH_MAX])
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", object);
	n = readlink(link, to, PATH_MAX - 1);
	to[n < 0 ? 0 : n] = '\0';
	return n > 0;
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

/* Neither by a name that ends so nor by one that is gone may it have more. */
static unsigned
judge_gone(const struct broker *broker, char path[PATH_MAX])
{
	unsigned rights = broker_judge(broker, path).rights;

	path[strlen(path) - (sizeof gone - 1)] = '\0';
	return broker_judge(broker, path).rights & rights;
}

unsigned
broker_judge_object(const struct broker *broker, const struct call *request, int object,
		    char ret_path[PATH_MAX])
{
	if (!read_name(object, ret_path))
		return 0;
	if (*ret_path != '/' || is_memory(object, ret_path)) {
		*ret_path = '\0';
		return RIGHTS_ALL;
	}
	if (walk_is_proc(object) &&
	    (!procfs_is_open(ret_path) || procfs_is_others_memory(ret_path, request->thread)))
		return 0;
	if (ends_gone(ret_path))
		return judge_gone(broker, ret_path);
	return broker_judge(broker, ret_path).rights;
}
