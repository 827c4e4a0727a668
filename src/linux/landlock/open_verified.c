// SPDX-License-Identifier: MIT
/* Opens files by canonical path. If a component of the path is a symbolic link by now, the open fails. */
#include "base/os.h"

#include "linux/landlock/ruleset.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* openat2: RESOLVE_NO_XDEV; RESOLVE_NO_SYMLINKS, which includes magic links of procfs */
#define RESOLVE_SAME_MOUNT 0x01
#define RESOLVE_NO_LINKS 0x04

int
open_verified_checked(const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char link[40], led[PATH_MAX];
	struct stat at = {0};
	ssize_t length;
	int why;

	if (fd < 0)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, led, sizeof led);
	why = length < 0 && error_errno_is_fault(errno) ? errno : ELOOP;
	if (fstat(fd, &at) == 0 && !S_ISLNK(at.st_mode) && length == (ssize_t)strlen(path) &&
	    memcmp(led, path, (size_t)length) == 0)
		return fd;
	close(fd);
	errno = why;
	return -1;
}

int
open_verified(const char *path)
{
	const uint64_t how[3] = {O_PATH | O_CLOEXEC, 0, RESOLVE_NO_LINKS};
	int fd = (int)syscall(COMPAT_SYS_OPENAT2, AT_FDCWD, path, how, sizeof how);

	/* Landlock is newer than openat2, but a container's seccomp filter may block it */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return open_verified_checked(path);
	return fd;
}

int
open_verified_dir(int folder, const char *name)
{
	const uint64_t how[3] = {O_PATH | O_DIRECTORY | O_CLOEXEC, 0,
				 RESOLVE_NO_LINKS | RESOLVE_SAME_MOUNT};

	return (int)syscall(COMPAT_SYS_OPENAT2, folder, name, how, sizeof how);
}
