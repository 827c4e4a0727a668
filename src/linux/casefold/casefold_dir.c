// SPDX-License-Identifier: MIT
/*
 * Finds out whether a directory folds names: by its attribute, by looking up an entry in another spelling,
 * or by its file system type. Also finds short names by which a directory gives a file without listing it
 * (GIT~1 for .git). Allocates nothing, because memory may be exhausted.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "linux/casefold/casefold_parts.h"

#define ENTRIES 64 /* entries to try */

static bool
has_letter(const char *name)
{
	bool found = false;

	for (; *name != '\0'; name++) {
		if ((unsigned char)*name >= 0x80)
			return false;
		found = found || (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
	}
	return found;
}

typedef bool same_fn(const char *a, const char *b);

static bool
is_exact(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool
is_among(const char *name, same_fn *same, const char *listing, long size)
{
	for (long at = 0; at < size;) {
		const struct dirent *entry = (const struct dirent *)(const void *)(listing + at);

		if (same(entry->d_name, name))
			return true;
		at += entry->d_reclen;
	}
	return false;
}

/* Reads the directory from the position of the fd to its end. */
static bool
is_listed(int folder, const char *name, same_fn *same)
{
	_Alignas(struct dirent) char listing[4096];
	bool found = false;
	long size = 1;

	while (!found && size > 0) {
		size = syscall(SYS_getdents64, folder, listing, sizeof listing);
		found = is_among(name, same, listing, size);
	}
	return found;
}

/* A directory that folds names lists one of the two. If it lists both, they are hard links. */
static bool
is_hard_link(int folder, const char *other, nlink_t links)
{
	auto_fd int fd = -1;

	if (links < 2)
		return false;
	fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && is_listed(fd, other, is_exact);
}

/* Returns 1 if the name also exists in the other case, 0 if it does not, -1 if the file is gone. */
static int
is_twice(int folder, const char *name)
{
	char other[NAME_MAX + 1];
	struct stat at, there, again;
	size_t i = 0;
	bool is_same;

	for (; i < NAME_MAX && name[i] != '\0'; i++)
		other[i] = (char)(name[i] ^ (has_letter((char[]){name[i], '\0'}) ? 0x20 : 0));
	other[i] = '\0';
	if (fstatat(folder, name, &at, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	is_same = fstatat(folder, other, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		  there.st_ino == at.st_ino && there.st_dev == at.st_dev;
	if (is_same)
		return !is_hard_link(folder, other, at.st_nlink);
	return fstatat(folder, name, &again, AT_SYMLINK_NOFOLLOW) == 0 && again.st_ino == at.st_ino
		       ? 0
		       : -1;
}

/* Tries at most *left entries of a listing. Returns what is_twice returned for the first useful one. */
static int
look_at_names(int folder, const char *listing, long size, int *left)
{
	int found = -1;

	for (long at = 0; at < size && found < 0 && (*left)-- > 0;) {
		const struct dirent *entry = (const struct dirent *)(const void *)(listing + at);

		if (has_letter(entry->d_name))
			found = is_twice(folder, entry->d_name);
		at += entry->d_reclen;
	}
	return found;
}

/* File systems that fold names, or may be backed by one that does. */
static bool
is_foreign(int folder)
{
	static const unsigned long kinds[] = {
		0x4d44,	    /* FAT */
		0x2011bab0, /* exFAT */
		0x5346544e, /* NTFS */
		0x7366746e, /* ntfs3 */
		0x482b,	    /* HFS+ */
		0x4244,	    /* HFS */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB */
		0x01021997, /* 9P: directories of a host */
		0x65735546, /* FUSE: virtiofs, ntfs-3g */
		0x786f4256, /* VirtualBox shared folders */
		0x2fc12fc1, /* ZFS */
	};
	struct statfs fs;

	if (fstatfs(folder, &fs) < 0)
		return true;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (((unsigned long)fs.f_type & 0xffffffffu) == kinds[i])
			return true;
	return false;
}

static bool
folds_a_name(int folder)
{
	_Alignas(struct dirent) char listing[4096];
	int found = -1, left = ENTRIES;
	long size = 1;

	while (found < 0 && left > 0 && size > 0) {
		size = syscall(SYS_getdents64, folder, listing, sizeof listing);
		found = look_at_names(folder, listing, size, &left);
	}
	return found == 1 || size < 0 || (found < 0 && is_foreign(folder));
}

bool
casefold_dir_folds(const char *folder, bool may)
{
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int flags = 0;

	if (fd < 0)
		return may && errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL))
		return true;
	return folds_a_name(fd);
}

/* ---- short names ---- */

/* Does the name exist although the directory does not list it? */
static bool
is_short(const char *folder, const char *name)
{
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat at;

	if (fd < 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	return fstatat(fd, name, &at, AT_SYMLINK_NOFOLLOW) == 0 && !is_listed(fd, name, ascii_same);
}

bool
casefold_dir_has_short_name(const char *path, size_t top)
{
	char folder[PATH_MAX];
	char *end;

	if (strchr(path + top, '~') == NULL)
		return false;
	if (strlen(path) >= sizeof folder)
		return true;
	strcpy(folder, path);
	while ((end = strrchr(folder, '/')) != NULL && end > folder && end >= folder + top) {
		*end = '\0';
		if (strchr(end + 1, '~') != NULL && casefold_dir_folds(folder, true) &&
		    is_short(folder, end + 1))
			return true;
	}
	return false;
}
