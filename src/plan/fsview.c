// SPDX-License-Identifier: MIT
/*
 * The two views that ship: this machine, and the fixed part of any macOS. Looking never opens,
 * never follows and never changes anything.
 */
#include "plan/fsview.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static enum fs_kind
kind_of_failure(int sys)
{
	/* no such name can exist: not there, not below a file, and not in any file system */
	if (sys == ENOENT || sys == ENOTDIR || sys == ENAMETOOLONG)
		return FS_MISSING;
	/* lstat knows no EPERM: then looking itself is forbidden, by a filter around us */
	return errno_is_fault(sys) || sys == EPERM || sys == ENOSYS ? FS_FAILED : FS_HIDDEN;
}

static enum fs_kind
kind_of_mode(mode_t mode)
{
	static const struct {
		mode_t type;
		enum fs_kind kind;
	} kinds[] = {
		{S_IFREG, FS_FILE},
		{S_IFDIR, FS_DIR},
		{S_IFLNK, FS_LINK},
		{S_IFSOCK, FS_SOCKET},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if ((mode & S_IFMT) == kinds[i].type)
			return kinds[i].kind;
	return FS_OTHER;
}

static enum fs_kind
real_look(const void *ctx, const char *path, char *link)
{
	struct stat st;
	enum fs_kind kind;
	ssize_t length;

	(void)ctx;
	if (lstat(path, &st) < 0)
		return kind_of_failure(errno);
	kind = kind_of_mode(st.st_mode);
	if (kind != FS_LINK)
		return kind;
	length = readlink(path, link, PATH_MAX - 1);
	if (length < 0) /* EINVAL: it became something else just now; do not trust either answer */
		return errno == EINVAL ? FS_HIDDEN : kind_of_failure(errno);
	link[length] = '\0';
	return FS_LINK;
}

const struct fs_view fs_real = {NULL, real_look};

static enum fs_kind
macos_look(const void *ctx, const char *path, char *link)
{
	static const struct {
		const char *path, *link;
	} fixed[] = {
		{"/", NULL},
		{"/etc", "private/etc"},
		{"/tmp", "private/tmp"},
		{"/var", "private/var"},
		{"/private", NULL},
		{"/private/etc", NULL},
		{"/private/tmp", NULL},
		{"/private/var", NULL},
	};

	(void)ctx;
	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
		if (strcmp(path, fixed[i].path) != 0)
			continue;
		if (fixed[i].link == NULL)
			return FS_DIR;
		strcpy(link, fixed[i].link);
		return FS_LINK;
	}
	return FS_MISSING;
}

const struct fs_view fs_macos_blank = {NULL, macos_look};
