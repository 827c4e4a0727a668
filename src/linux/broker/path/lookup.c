// SPDX-License-Identifier: MIT
/*
 * Looks up paths by openat2 without magic links: outside procfs the result is that of the caller.
 * lookup_steps.c does the rest: magic links, procfs, and failures that the broker's own procfs may cause.
 *
 * Calls are made on (directory, last name) with O_NOFOLLOW, or on the object: a change of names in between
 * is noticed, and no link is followed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "linux/broker/path/lookup_walk.h"

int
lookup_open(int base, const char *path, uint64_t flags, uint64_t resolve)
{
	const uint64_t how[3] = {flags | O_PATH | O_CLOEXEC, 0, resolve};

	return (int)syscall(SYS_openat2, base, path, how, sizeof how);
}

static void
begin(struct lookup *to, struct long_names *deep)
{
	to->object = to->folder = -1;
	*to->name = '\0';
	to->path = NULL;
	to->is_folder_itself = to->is_proc = to->by_steps = false;
	to->why = 0;
	to->deep = deep;
}

enum lookup_result
lookup_fail(struct lookup *to, int why)
{
	auto_lookup_fn(to);
	begin(to, to->deep);
	to->why = why;
	return why == ELOOP ? LOOKUP_ELSEWHERE : LOOKUP_FAILED;
}

/* The failure is valid for the caller if it also occurs without links: no "self" of procfs was involved. */
static enum lookup_result
fail_to_open(struct lookup *to, int base, const char *path, uint64_t flags)
{
	int why = errno;
	auto_fd int fd = why == ELOOP ? -1 : lookup_open(base, path, flags, NO_SYMLINKS);
	bool is_sure = fd < 0 && errno == why;

	return lookup_fail(to, why) == LOOKUP_FAILED && is_sure ? LOOKUP_FAILED : LOOKUP_ELSEWHERE;
}

bool
lookup_is_dots(const char *name)
{
	size_t length = strcspn(name, "/");

	return length == 0 || (length == 1 && *name == '.') ||
	       (length == 2 && strncmp(name, "..", 2) == 0);
}

bool
lookup_follows(enum lookup_follow follow, const char *name)
{
	return follow == LOOKUP_FOLLOW || (follow == LOOKUP_KEEP && strchr(name, '/') != NULL);
}

bool
lookup_is_protected(int folder, const struct stat *link)
{
	struct stat at;
	char digit = '0';
	auto_fd int fd = -1;

	if (link->st_uid == geteuid() || fstat(folder, &at) < 0 ||
	    (at.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) || at.st_uid == link->st_uid)
		return false;
	fd = open("/proc/sys/fs/protected_symlinks", O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, &digit, 1) != 1 || digit != '0';
}

/* ---- the directory ---- */

/* Splits path before its last name; slashes after that name stay with it. */
static const char *
split(const char *path, char head[PATH_MAX])
{
	size_t end = strlen(path);

	while (end > 0 && path[end - 1] == '/')
		end--;
	while (end > 0 && path[end - 1] != '/')
		end--;
	memcpy(head, path, end);
	strcpy(head + end, end > 0 ? "" : *path == '/' ? "/" : ".");
	return path + end;
}

/* Starts at base, or at the directory of the link that is being followed. */
static enum lookup_result
open_folder(struct lookup *to, int base, const char *path)
{
	char head[PATH_MAX];
	const char *name = split(path, head);
	int from = to->folder >= 0 ? to->folder : base;
	int folder = lookup_open(from, head, O_DIRECTORY, NO_MAGIC_LINKS);

	if (folder < 0)
		return fail_to_open(to, from, head, O_DIRECTORY);
	if (to->folder >= 0)
		close(to->folder);
	to->folder = folder;
	strcpy(to->name, name);
	return lookup_is_procfs(folder) ? lookup_fail(to, ELOOP) : LOOKUP_FOUND;
}

bool
lookup_new(int base, const char *path, struct lookup *ret_found)
{
	struct lookup *to = ret_found;
	char head[PATH_MAX];

	begin(to, NULL);
	strcpy(to->name, split(path, head));
	if (lookup_is_dots(to->name) || strchr(to->name, '/') != NULL)
		return false;
	to->folder = lookup_open(base, head, O_DIRECTORY, NO_MAGIC_LINKS);
	return to->folder >= 0;
}

/* ---- the last name ---- */

/* The name is "", "." or "..": the path is that of the directory itself. */
static enum lookup_result
end_at_folder(struct lookup *to, enum lookup_want want)
{
	if (to->object >= 0)
		close(to->object);
	to->object = lookup_open(to->folder, *to->name == '\0' ? "." : to->name, O_DIRECTORY,
				 NO_MAGIC_LINKS);
	if (to->object < 0)
		return lookup_fail(to, errno);
	to->is_folder_itself = true;
	if (lookup_is_procfs(to->object))
		return lookup_fail(to, ELOOP);
	to->path = want == LOOKUP_ENTRY ? lookup_dir_name(to->deep, to->object) : NULL;
	return want == LOOKUP_ENTRY && to->path == NULL ? lookup_fail(to, errno) : LOOKUP_FOUND;
}

enum lookup_result
lookup_end(struct lookup *to, enum lookup_want want)
{
	auto_free char *folder = NULL;

	if (lookup_is_dots(to->name))
		return end_at_folder(to, want);
	if (strcspn(to->name, "/") > NAME_MAX)
		return lookup_fail(to, faccessat(to->folder, ".", X_OK, AT_EACCESS) < 0
					       ? errno
					       : ENAMETOOLONG);
	if (want != LOOKUP_ENTRY)
		return LOOKUP_FOUND;
	folder = lookup_dir_name(to->deep, to->folder);
	if (folder == NULL)
		return lookup_fail(to, errno == ENAMETOOLONG || errno == ENOMEM ? errno : ENOENT);
	to->path = lookup_join(folder, to->name);
	return to->path != NULL ? LOOKUP_FOUND : lookup_fail(to, ENOMEM);
}

/* Reads the link at the last name; slashes after it become one. Returns 1; 0: no link; -1 with errno. */
static int
read_link(const struct lookup *at, char to[PATH_MAX])
{
	char name[NAME_MAX + 1];
	size_t length = strcspn(at->name, "/");
	struct stat link;
	ssize_t n;

	if (length > NAME_MAX)
		return 0;
	memcpy(name, at->name, length);
	name[length] = '\0';
	n = readlinkat(at->folder, name, to, PATH_MAX - 2);
	if (n < 0)
		return 0;
	strcpy(to + n, at->name[length] == '/' ? "/" : "");
	if (fstatat(at->folder, name, &link, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (!lookup_is_protected(at->folder, &link))
		return 1;
	errno = EACCES;
	return -1;
}

static bool
is_link(int fd)
{
	struct stat at;

	return fstat(fd, &at) == 0 && S_ISLNK(at.st_mode);
}

/* Opens a name that can be created. Not one with slashes: lookup_steps.c finds the first error. */
static enum lookup_result
open_new(struct lookup *to)
{
	if (strchr(to->name, '/') != NULL)
		return lookup_fail(to, ELOOP);
	to->object = lookup_open(to->folder, to->name, O_NOFOLLOW, NO_MAGIC_LINKS);
	if (to->object < 0 ? errno != ENOENT || strlen(to->name) > NAME_MAX
			   : lookup_is_procfs(to->object))
		return lookup_fail(to, ELOOP);
	return LOOKUP_FOUND;
}

static enum lookup_result
walk(int base, const char *path, enum lookup_want want, enum lookup_follow follow,
     struct lookup *to)
{
	char text[PATH_MAX];
	int links, rc = 1;

	for (links = 0; links <= LINKS_MAX && rc > 0; links++) {
		enum lookup_result end = open_folder(to, base, path);

		if (end == LOOKUP_FOUND && want == LOOKUP_NEW && !lookup_is_dots(to->name))
			end = open_new(to);
		if (end != LOOKUP_FOUND)
			return end;
		rc = lookup_is_dots(to->name) || !lookup_follows(follow, to->name) ||
				     (want == LOOKUP_NEW &&
				      (to->object < 0 || !is_link(to->object)))
			     ? 0
			     : read_link(to, text);
		if (rc == 0)
			return lookup_end(to, want);
		if (to->object >= 0)
			close(to->object);
		to->object = -1;
		path = text;
	}
	lookup_fail(to, rc < 0 ? errno : ELOOP);
	return LOOKUP_FAILED;
}

static enum lookup_result
open_object(int base, const char *path, enum lookup_follow follow, struct lookup *to)
{
	uint64_t flags = follow == LOOKUP_FOLLOW ? 0 : O_NOFOLLOW;

	to->object = lookup_open(base, path, flags, NO_MAGIC_LINKS);
	if (to->object < 0)
		return fail_to_open(to, base, path, flags);
	return lookup_is_procfs(to->object) ? lookup_fail(to, ELOOP) : LOOKUP_FOUND;
}

enum lookup_result
lookup_by_kernel(const struct notif_call *request, int base, const char *path,
		 enum lookup_want want, enum lookup_follow follow, struct lookup *ret_found)
{
	begin(ret_found, request->deep);
	if (*path == '\0')
		return lookup_fail(ret_found, ENOENT);
	return want == LOOKUP_OBJECT ? open_object(base, path, follow, ret_found)
				     : walk(base, path, want, follow, ret_found);
}

enum lookup_result
lookup(const struct notif_call *request, int base, const char *path, enum lookup_want want,
       enum lookup_follow follow, struct lookup *ret_found)
{
	enum lookup_result end = lookup_by_kernel(request, base, path, want, follow, ret_found);

	return end == LOOKUP_ELSEWHERE
		       ? lookup_by_steps(request, base, path, want, follow, ret_found)
		       : end;
}
