// SPDX-License-Identifier: MIT
/*
 * Walking in the caller's stead. The way to the last name is one openat2 without magic links; the
 * last name is looked at here, link by link. What we act on later is (held folder, last name) with
 * O_NOFOLLOW, so a change of names in between is seen and walked anew, never followed.
 */
#include "linux/broker/lookup_parent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/long_name.h"
#include "linux/seccomp/syscalls.h"

#define NO_MAGIC_LINKS 0x02
#define LINKS_MAX 40

char *
lookup_fd_name(int fd)
{
	static const char gone[] = " (deleted)";
	char link[40], to[PATH_MAX];
	struct stat at;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, to, sizeof to - 1);
	if (n < 0)
		return NULL;
	to[n] = '\0';
	errno = ENOENT;
	if (*to != '/')
		return NULL;
	if ((size_t)n < sizeof gone || strcmp(to + n - (sizeof gone - 1), gone) != 0 ||
	    (fstat(fd, &at) == 0 && at.st_nlink > 0))
		return strdup(to);
	return NULL;
}

char *
lookup_dir_name(struct long_names *deep, int folder)
{
	char to[PATH_MAX];
	/* a third of what asking procfs costs */
	long n = fchdir(folder) < 0 ? -1 : syscall(SYS_getcwd, to, sizeof to);
	char *name = n > 1 && *to == '/' ? strdup(to) : lookup_fd_name(folder);

	return name == NULL && errno == ENAMETOOLONG ? long_name_name(deep, folder) : name;
}

bool
lookup_is_procfs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC;
}

static int
hold_folder(int base, const char *path)
{
	const uint64_t how[3] = {O_PATH | O_DIRECTORY | O_CLOEXEC, 0, NO_MAGIC_LINKS};

	return (int)syscall(SYS_openat2, base, path, how, sizeof how);
}

/* Cuts path before its last name; slashes behind the name stay with it. */
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

static bool
is_dots(const char *name)
{
	size_t length = strcspn(name, "/");

	return length == 0 || (length == 1 && *name == '.') ||
	       (length == 2 && strncmp(name, "..", 2) == 0);
}

char *
lookup_join(const char *folder, const char *name)
{
	size_t above = strcmp(folder, "/") == 0 ? 0 : strlen(folder), length = strcspn(name, "/");
	char *to = malloc(above + length + 2);

	if (to == NULL)
		return NULL;
	memcpy(to, folder, above);
	to[above] = '/';
	memcpy(to + above + 1, name, length);
	to[above + 1 + length] = '\0';
	return to;
}

static enum lookup_result
fail(struct dir_entry *to, int why)
{
	if (to->folder >= 0)
		close(to->folder);
	to->folder = -1;
	to->why = why;
	/* a magic link on the way: only the caller itself can go there */
	return why == ELOOP ? LOOKUP_ELSEWHERE : LOOKUP_FAILED;
}

/* The folder itself is meant: its own name is the path. */
static enum lookup_result
end_at_folder(struct dir_entry *to)
{
	auto_fd int itself = hold_folder(to->folder, *to->name == '\0' ? "." : to->name);

	if (itself < 0)
		return fail(to, errno);
	if (lookup_is_procfs(itself))
		return fail(to, ELOOP);
	to->is_folder_itself = true;
	to->path = lookup_dir_name(to->deep, itself);
	return to->path != NULL ? LOOKUP_FOUND : fail(to, errno);
}

static enum lookup_result
end_at_name(struct dir_entry *to)
{
	auto_free char *folder = NULL;

	if (strcspn(to->name, "/") > NAME_MAX)
		return fail(to, ENAMETOOLONG);
	folder = lookup_dir_name(to->deep, to->folder);
	if (folder == NULL)
		return fail(to, errno == ENAMETOOLONG || errno == ENOMEM ? errno : ENOENT);
	to->path = lookup_join(folder, to->name);
	return to->path != NULL ? LOOKUP_FOUND : fail(to, ENOMEM);
}

/* The text of the link that the last name is; false when it is none. */
static bool
read_link(const struct dir_entry *at, char to[PATH_MAX])
{
	char name[NAME_MAX + 1];
	size_t length = strcspn(at->name, "/");
	bool slashes = at->name[length] == '/';
	ssize_t n;

	if (length > NAME_MAX)
		return false;
	memcpy(name, at->name, length);
	name[length] = '\0';
	n = readlinkat(at->folder, name, to, PATH_MAX - 2);
	if (n < 0)
		return false;
	strcpy(to + n, slashes ? "/" : "");
	return true;
}

/* Slashes behind a link lead through it, unless it is a name that is made or removed. */
static bool
leads_on(enum lookup_follow follow, const char *name)
{
	return follow == LOOKUP_FOLLOW || (follow == LOOKUP_KEEP && strchr(name, '/') != NULL);
}

enum lookup_result
lookup_parent(int base, const char *path, enum lookup_follow follow, struct dir_entry *place)
{
	char head[PATH_MAX], text[PATH_MAX], link[PATH_MAX];
	struct dir_entry *to = place;

	*to = (struct dir_entry){.folder = -1, .deep = place->deep};
	if (*path == '\0')
		return fail(to, ENOENT);
	snprintf(text, sizeof text, "%s", path);
	for (int links = 0; links <= LINKS_MAX; links++) {
		const char *name = split(text, head);
		int folder = hold_folder(to->folder >= 0 ? to->folder : base, head);
		int why = errno;

		if (to->folder >= 0)
			close(to->folder);
		to->folder = folder;
		if (folder < 0)
			return fail(to, why);
		if (lookup_is_procfs(folder))
			return fail(to, ELOOP);
		strcpy(to->name, name);
		if (is_dots(name))
			return end_at_folder(to);
		if (!leads_on(follow, name) || !read_link(to, link))
			return end_at_name(to);
		strcpy(text, link);
	}
	to->why = ELOOP;
	close(to->folder);
	to->folder = -1;
	return LOOKUP_FAILED;
}

bool
lookup_unchanged(const struct dir_entry *spot)
{
	auto_free char *folder = NULL, *now = NULL;

	/* such a name is nothing that could be made, removed or moved */
	if (spot->is_folder_itself)
		return true;
	folder = lookup_dir_name(spot->deep, spot->folder);
	now = folder == NULL ? NULL : lookup_join(folder, spot->name);
	if (now != NULL && strcmp(now, spot->path) == 0)
		return true;
	errno = ENOENT;
	return false;
}
