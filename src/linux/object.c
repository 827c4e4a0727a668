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
#include "linux/nest.h"
#include "linux/procfs.h"

static const char gone[] = " (deleted)";

/* False: it has no name at all, or the name cannot be told. */
static bool
read_name(const struct broker *broker, int object, char to[PATH_MAX])
{
	char link[16];
	ssize_t n;

	snprintf(link, sizeof link, "%d", object);
	n = readlinkat(broker->own, link, to, PATH_MAX - 1);
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
static struct verdict
judge_gone(const struct broker *broker, judge_fn *judge, char path[PATH_MAX])
{
	unsigned rights = judge(broker, path).rights;
	struct verdict verdict;

	path[strlen(path) - (sizeof gone - 1)] = '\0';
	verdict = judge(broker, path);
	verdict.rights &= rights;
	return verdict;
}

struct verdict
broker_judge_object(const struct broker *broker, const struct call *request,
		    const struct judged *what, judge_fn *judge, char ret_path[PATH_MAX])
{
	const struct verdict nothing = {.rights = 0}, all = {.rights = RIGHTS_ALL};

	if (!read_name(broker, what->object, ret_path))
		return nothing;
	if (*ret_path != '/' || is_memory(what->object, ret_path)) {
		*ret_path = '\0';
		return all;
	}
	if (what->is_proc && (!nest_may_look(request, ret_path) ||
			      procfs_is_others_memory(ret_path, request->thread)))
		return nothing;
	return ends_gone(ret_path) ? judge_gone(broker, judge, ret_path) : judge(broker, ret_path);
}
