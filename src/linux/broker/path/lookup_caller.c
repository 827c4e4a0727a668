// SPDX-License-Identifier: MIT
/* Canonical paths, and paths and fds in the arguments of a call. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "linux/broker/long_name.h"
#include "linux/broker/lookup.h"
#include "linux/broker/notif.h"

/* ---- canonical paths ---- */

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
	char *name = long_name_path(deep, folder);

	return name == NULL && errno == ENAMETOOLONG ? long_name_name(deep, folder) : name;
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

bool
lookup_is_procfs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC;
}

bool
lookup_unchanged(const struct lookup *entry)
{
	auto_free char *folder = NULL, *now = NULL;

	/* such a name cannot be created, removed or moved */
	if (entry->is_folder_itself)
		return true;
	folder = lookup_dir_name(entry->deep, entry->folder);
	now = folder == NULL ? NULL : lookup_join(folder, entry->name);
	if (now != NULL && strcmp(now, entry->path) == 0)
		return true;
	errno = ENOENT;
	return false;
}

bool
lookup_object_parent(int object, struct lookup *ret_entry)
{
	struct lookup *to = ret_entry;
	auto_free char *folder = NULL;
	struct stat here, there;
	char *slash;

	to->path = lookup_fd_name(object);
	folder = to->path == NULL ? NULL : strdup(to->path);
	if (folder == NULL)
		return false;
	slash = strrchr(folder, '/');
	to->is_folder_itself = slash[1] == '\0';
	strcpy(to->name, to->is_folder_itself ? "." : slash + 1);
	slash[slash == folder] = '\0';
	to->folder = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return to->folder >= 0 && fstat(object, &here) == 0 &&
	       fstatat(to->folder, to->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

/* ---- arguments ---- */

enum lookup_result
lookup_caller_path(const struct notif_call *request, int folder, uint64_t address,
		   enum lookup_follow follow, struct lookup *ret_entry)
{
	char path[PATH_MAX];
	auto_fd int base = -1;

	*ret_entry = (struct lookup)LOOKUP_NONE;
	ret_entry->why = notif_path(request, address, path);
	if (ret_entry->why == 0 && *path == '\0')
		ret_entry->why = ENOENT;
	if (ret_entry->why == 0 && *path != '/')
		base = notif_folder(request, folder, &ret_entry->why);
	return ret_entry->why != 0 ? LOOKUP_FAILED
				   : lookup(request, base, path, LOOKUP_ENTRY, follow, ret_entry);
}

int
lookup_fd_in_path(const char *path)
{
	static const char *const folders[] = {"/proc/self/fd/", "/proc/thread-self/fd/",
					      "/dev/fd/"};

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		size_t length = strlen(folders[i]);
		char *end;
		long number;

		if (strncmp(path, folders[i], length) != 0 || path[length] < '0' ||
		    path[length] > '9')
			continue;
		number = strtol(path + length, &end, 10);
		return *end == '\0' && number <= INT_MAX ? (int)number : -1;
	}
	return -1;
}

int
lookup_caller_fd(const struct notif_call *request, uint64_t address)
{
	char path[PATH_MAX];

	return notif_path(request, address, path) == 0 ? lookup_fd_in_path(path) : -1;
}
