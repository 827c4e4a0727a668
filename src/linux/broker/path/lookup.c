// SPDX-License-Identifier: MIT
/*
 * The quick ways to an object. The kernel walks, but through no magic link: what it finds outside
 * procfs is what the caller would find. Everything else is walked step by step: magic links,
 * procfs, a link behind which a name is to be made.
 */
#include "linux/broker/path/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/seccomp/syscalls.h"

#define NO_MAGIC_LINKS 0x02u
#define NO_SYMLINKS 0x04u

static int
hold(int base, const char *path, uint64_t flags, uint64_t rules)
{
	const uint64_t how[3] = {flags | O_PATH | O_CLOEXEC, 0, rules};

	return (int)syscall(SYS_openat2, base, path, how, sizeof how);
}

static bool
fail(struct lookup_object *to, int why)
{
	auto_lookup_fn(to);
	to->object = to->folder = -1;
	to->why = why;
	return false;
}

/* Cuts path before its last name, whose slashes stay with it; false: it ends in dots. */
static bool
split(const char *path, char head[PATH_MAX], char name[PATH_MAX])
{
	size_t end = strlen(path), length;

	while (end > 0 && path[end - 1] == '/')
		end--;
	while (end > 0 && path[end - 1] != '/')
		end--;
	memcpy(head, path, end);
	strcpy(head + end, end > 0 ? "" : ".");
	strcpy(name, path + end);
	length = strcspn(name, "/");
	return length > 0 && strncmp(name, ".", length) != 0 && strncmp(name, "..", length) != 0;
}

static bool
is_link(int fd)
{
	struct stat at;

	return fstat(fd, &at) == 0 && S_ISLNK(at.st_mode);
}

int
lookup_object(int base, const char *path, unsigned how, struct lookup_object *ret_found)
{
	uint64_t flags = how & LOOKUP_NO_FOLLOW ? O_NOFOLLOW : 0;
	struct lookup_object *to = ret_found;

	to->folder = -1;
	to->is_proc = to->by_steps = false;
	to->why = 0;
	to->object = hold(base, path, flags, NO_MAGIC_LINKS);
	if (to->object >= 0)
		return lookup_is_procfs(to->object) ? -1 : 1;
	to->why = errno;
	if (errno == ELOOP)
		return -1;
	/* without links on the way it cannot have been about procfs's "self" */
	to->object = hold(base, path, flags, NO_SYMLINKS);
	if (to->object < 0 && errno == to->why)
		return 0;
	return -1;
}

static bool
hold_folder(int base, const char *path, struct lookup_object *to)
{
	char head[PATH_MAX];

	if (!split(path, head, to->name))
		return false;
	to->folder = hold(base, head, O_DIRECTORY, NO_MAGIC_LINKS);
	return to->folder >= 0;
}

static int
find_place(int base, const char *path, struct lookup_object *to)
{
	if (!hold_folder(base, path, to) || lookup_is_procfs(to->folder))
		return -1;
	to->why = EISDIR;
	if (strchr(to->name, '/') != NULL)
		return 0;
	to->object = hold(to->folder, to->name, O_NOFOLLOW, NO_MAGIC_LINKS);
	if (to->object >= 0)
		return is_link(to->object) || lookup_is_procfs(to->object) ? -1 : 1;
	return errno == ENOENT && strlen(to->name) <= NAME_MAX ? 1 : -1;
}

bool
lookup_new(int base, const char *path, struct lookup_object *ret_found)
{
	struct lookup_object *to = ret_found;

	to->object = to->folder = -1;
	to->is_proc = to->by_steps = false;
	return hold_folder(base, path, to) && strchr(to->name, '/') == NULL ? true : fail(to, 0);
}

bool
lookup(const struct notif_call *request, int base, const char *path, unsigned how,
       struct lookup_object *ret_found)
{
	struct lookup_object *to = ret_found;
	int said;

	to->object = to->folder = -1;
	to->is_proc = to->by_steps = false;
	if (*path == '\0')
		return fail(to, ENOENT);
	said = how & LOOKUP_NEW ? find_place(base, path, to) : lookup_object(base, path, how, to);
	if (said > 0)
		return true;
	if (said == 0)
		return fail(to, to->why);
	fail(to, 0);
	return lookup_by_steps(request, base, path, how, to);
}
