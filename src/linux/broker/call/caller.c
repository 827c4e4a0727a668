// SPDX-License-Identifier: MIT
/*
 * The caller's fds, working directory and status. An fd is duplicated by pidfd_getfd. Where that is refused,
 * as by the default seccomp profiles of container runtimes, the same file is opened by O_PATH through
 * /proc/TID/fd: enough for everything but sockets (socket/socket_copies.c) and terminals. Both need ptrace
 * access to the caller, and the notification must still be valid afterwards.
 */
#include "linux/broker/call/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/broker.h"
#include "linux/broker/notif.h"
#include "linux/seccomp/syscalls.h"

#define PIDFD_OF_THREAD O_EXCL /* Linux 6.9 */
#define ROOM_TRIES 2048
#define NO_VALUE LONG_MIN

static void
forget(struct caller_fds *fd_cache)
{
	const int fds[] = {fd_cache->folder, fd_cache->status, fd_cache->table};

	if (fd_cache->thread == 0)
		return;
	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	fd_cache->thread = 0;
}

static struct caller_fds *
cache_process(const struct notif_call *request, struct caller_fds *to)
{
	if (to->thread == request->thread)
		return to;
	forget(to);
	*to = (struct caller_fds){request->thread, -1, -1, -1};
	return to;
}

/* Returns NULL with errno. */
static struct caller_fds *
cache_folder(const struct notif_call *request, struct caller_fds *to)
{
	char name[64];

	cache_process(request, to);
	if (to->folder >= 0)
		return to;
	snprintf(name, sizeof name, "/proc/%d", (int)request->thread);
	to->folder = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return to->folder < 0 ? NULL : to;
}

/*
 * BASELINE(6.9): pidfds only for thread group leaders; the leader shares its fd table. Not cached, because
 * the leader may outlive the thread.
 */
static int
take_from_process(const struct notif_call *request, int number)
{
	auto_fd int process = (int)syscall(SYS_pidfd_open, notif_process(request), 0u);

	return process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, number, 0u);
}

/* By pidfd_getfd; -1 with errno, ESRCH if the cached thread has exited. */
static int
duplicate(const struct notif_call *request, struct caller_fds *fd_cache, int number)
{
	cache_process(request, fd_cache);
	if (fd_cache->table < 0)
		fd_cache->table =
			(int)syscall(SYS_pidfd_open, request->thread, (unsigned)PIDFD_OF_THREAD);
	if (fd_cache->table < 0 && errno == EINVAL)
		fd_cache->table = (int)syscall(SYS_pidfd_open, request->thread, 0u);
	if (fd_cache->table < 0 && errno == EINVAL)
		return take_from_process(request, number);
	return fd_cache->table < 0 ? -1
				   : (int)syscall(SYS_pidfd_getfd, fd_cache->table, number, 0u);
}

/* By O_PATH; -1 with errno. */
static int
open_number(const struct notif_call *request, struct caller_fds *fd_cache, int number)
{
	char name[32];
	int fd;

	fd_cache = cache_folder(request, fd_cache);
	if (fd_cache == NULL)
		return -1;
	snprintf(name, sizeof name, "fd/%d", number);
	fd = openat(fd_cache->folder, name, O_PATH | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		errno = EPERM;
	return fd;
}

static bool
can_duplicate(const struct notif_call *request)
{
	return request->broker->plan->facts.values[FACT_PIDFD_GETFD] != 0;
}

static int
take_descriptor(const struct notif_call *request, struct caller_fds *fd_cache, int number)
{
	return can_duplicate(request) ? duplicate(request, fd_cache, number)
				      : open_number(request, fd_cache, number);
}

/* Opens the working directory through the cache; -1 with errno, ENOENT or ESRCH after the thread's exit. */
static int
open_folder(const struct notif_call *request, struct caller_fds *fd_cache)
{
	fd_cache = cache_folder(request, fd_cache);
	return fd_cache == NULL ? -1
				: openat(fd_cache->folder, "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static ssize_t
read_cached_status(const struct notif_call *request, struct caller_fds *fd_cache, char *to,
		   size_t size)
{
	fd_cache = cache_folder(request, fd_cache);
	if (fd_cache == NULL)
		return -1;
	if (fd_cache->status < 0)
		fd_cache->status = openat(fd_cache->folder, "status", O_RDONLY | O_CLOEXEC);
	return fd_cache->status < 0 ? -1 : pread(fd_cache->status, to, size, 0);
}

static struct caller_fds *
find_cached(const struct notif_call *request, struct caller_fds *own)
{
	return request->fd_cache == NULL ? own : &request->fd_cache[request->thread % CALLER_FDS];
}

int
notif_descriptor(const struct notif_call *request, int number, int *ret_errno)
{
	struct caller_fds own = {0}, *fd_cache = find_cached(request, &own);
	int fd = take_descriptor(request, fd_cache, number);

	/* the tid may have been reused */
	if (fd < 0 && errno != EBADF && errno != EPERM) {
		forget(fd_cache);
		fd = take_descriptor(request, fd_cache, number);
	}
	if (fd < 0)
		*ret_errno = errno == EPERM ? EPERM : EBADF;
	forget(&own);
	return fd;
}

/* A value in the caller's fdinfo; NO_VALUE: no such fd, or it has none. */
static long
read_fdinfo(const struct notif_call *request, int number, const char *key, int base)
{
	struct caller_fds own = {0}, *fd_cache = cache_folder(request, find_cached(request, &own));
	char name[32], text[1024];
	const char *line;
	auto_fd int info = -1;
	ssize_t n = -1;

	snprintf(name, sizeof name, "fdinfo/%d", number);
	if (fd_cache != NULL)
		info = openat(fd_cache->folder, name, O_RDONLY | O_CLOEXEC);
	if (info >= 0)
		n = read(info, text, sizeof text - 1);
	text[n < 0 ? 0 : n] = '\0';
	forget(&own);
	line = strstr(text, key);
	return line == NULL ? NO_VALUE : strtol(line + strlen(key), NULL, base);
}

int
notif_flags(const struct notif_call *request, int number, int fd)
{
	long flags = can_duplicate(request) ? fcntl(fd, F_GETFL)
					    : read_fdinfo(request, number, "flags:", 8);

	return flags == NO_VALUE ? -1 : (int)flags;
}

pid_t
notif_pidfd_process(const struct notif_call *request, int number)
{
	long process = read_fdinfo(request, number, "\nPid:", 10);

	return process == NO_VALUE ? 0 : (pid_t)process;
}

int
notif_terminal_number(const struct notif_call *request, int number)
{
	long index = read_fdinfo(request, number, "\ntty-index:", 10);

	return index == NO_VALUE ? -1 : (int)index;
}

int
notif_folder(const struct notif_call *request, int folder, int *ret_errno)
{
	struct caller_fds own = {0}, *fd_cache = find_cached(request, &own);
	int fd;

	if (folder != AT_FDCWD)
		return notif_descriptor(request, folder, ret_errno);
	fd = open_folder(request, fd_cache);
	if (fd < 0) {
		/* the tid may have been reused */
		forget(fd_cache);
		fd = open_folder(request, fd_cache);
	}
	if (fd < 0)
		*ret_errno = errno;
	forget(&own);
	return fd;
}

ssize_t
caller_status(const struct notif_call *request, char *to, size_t size)
{
	struct caller_fds own = {0}, *fd_cache = find_cached(request, &own);
	ssize_t n = read_cached_status(request, fd_cache, to, size - 1);

	if (n <= 0) {
		forget(fd_cache);
		n = read_cached_status(request, fd_cache, to, size - 1);
	}
	forget(&own);
	to[n < 0 ? 0 : n] = '\0';
	return n;
}

/* Reads a number from the caller's /proc status; other if it is missing. */
static unsigned long
read_status(const struct notif_call *request, const char *key, int base, unsigned long other)
{
	char text[512];
	const char *line;

	if (caller_status(request, text, sizeof text) <= 0)
		return other;
	line = strstr(text, key);
	return line == NULL ? other : strtoul(line + strlen(key), NULL, base);
}

mode_t
notif_umask(const struct notif_call *request)
{
	return (mode_t)read_status(request, "\nUmask:", 8, 077) & 0777;
}

pid_t
notif_process(const struct notif_call *request)
{
	return (pid_t)read_status(request, "\nTgid:", 10, 0);
}

bool
notif_has_free(const struct notif_call *request, int number)
{
	char name[64], link[8];

	snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)request->thread, number);
	return readlink(name, link, sizeof link) < 0 && errno == ENOENT;
}

/*
 * Tries high numbers first: a process near its limit got those last. If no free one is found quickly,
 * ADDFD will fail.
 */
bool
notif_has_room(const struct notif_call *request)
{
	struct caller_fds own = {0}, *fd_cache = cache_folder(request, find_cached(request, &own));
	struct rlimit limit = {0, 0};
	bool has_room = fd_cache == NULL ||
			prlimit(request->thread, RLIMIT_NOFILE, NULL, &limit) < 0;

	for (rlim_t n = limit.rlim_cur; !has_room && n > 0; n--) {
		char name[32], link[8];

		snprintf(name, sizeof name, "fd/%llu", (unsigned long long)n - 1);
		has_room = limit.rlim_cur - n == ROOM_TRIES ||
			   readlinkat(fd_cache->folder, name, link, sizeof link) < 0;
	}
	forget(&own);
	return has_room;
}
