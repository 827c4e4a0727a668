/* SPDX-License-Identifier: MIT */
/*
 * The only header outside linux/ and macos/ that asks which system this is. It gives both the same
 * names for small differences. Include it before any other header.
 */
#pragma once

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

/* Holds a directory for openat() without needing the right to list it. */
#define COMPAT_O_HOLD O_PATH
#define COMPAT_O_TMPFILE O_TMPFILE
#ifdef SYS_openat2
#define COMPAT_SYS_OPENAT2 SYS_openat2
#else
#define COMPAT_SYS_OPENAT2 437
#endif
#else
#define COMPAT_O_HOLD O_RDONLY
#define COMPAT_O_TMPFILE 0
#endif

/* Does open(2) take a mode with these flags? */
static inline bool
compat_takes_mode(int flags)
{
	return (flags & O_CREAT) != 0 ||
	       (COMPAT_O_TMPFILE != 0 && (flags & COMPAT_O_TMPFILE) == COMPAT_O_TMPFILE);
}

/*
 * Opens path below dir; a path that leaves dir on its way, or goes through a link of procfs that is
 * more than text, fails. ENOSYS where there is no openat2. The numbers are the kernel's, because
 * its header came later than the kernels and C libraries we build with.
 */
static inline int
compat_open_beneath(int dir, const char *path, int flags, unsigned int mode)
{
#if defined(__linux__)
	struct {
		uint64_t flags, mode, resolve;
	} how = {
		.flags = (uint64_t)(unsigned int)flags,
		.mode = compat_takes_mode(flags) ? mode & 07777 : 0,
		.resolve = 0x08 /* RESOLVE_BENEATH */ | 0x02 /* RESOLVE_NO_MAGICLINKS */,
	};

	return (int)syscall(COMPAT_SYS_OPENAT2, dir, path, &how, sizeof how);
#else
	(void)dir;
	(void)path;
	(void)flags;
	(void)mode;
	errno = ENOSYS;
	return -1;
#endif
}
