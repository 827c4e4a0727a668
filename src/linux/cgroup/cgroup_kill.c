// SPDX-License-Identifier: MIT
/*
 * Kills all processes in a cgroup and removes it with its descendants. It may be the last code of a session
 * to run: no allocation, few fds, and no recursion, because the command decides how deep its cgroups are
 * nested. Signals only processes that the kernel lists in the cgroup.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "linux/cgroup/cgroup.h"
#include "linux/seccomp/syscalls.h"

/* ---- walk ---- */

/* The current directory of a walk; depth 0 is where it began. */
struct cgroup_walk {
	int fd;
	int depth;
};

struct cgroup_entry {
	uint64_t inode;
	char name[NAME_MAX + 1];
};

static struct cgroup_walk
walk_start(int folder)
{
	return (struct cgroup_walk){openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0};
}

static bool
walk_to(struct cgroup_walk *walk, const char *name, int deeper)
{
	int fd = openat(walk->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(walk->fd);
	walk->fd = fd;
	walk->depth += deeper;
	return true;
}

/* Only "." and "..": a cgroup may be named ".x". */
static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

enum cgroup_inspect { LOOK_FIRST, LOOK_THIS, LOOK_AFTER };

/* Finds the first child cgroup of fd, the one with this inode, or the one after it. */
static bool
find_entry(int fd, enum cgroup_inspect look, uint64_t inode, struct cgroup_entry *ret)
{
	_Alignas(struct dirent) char buffer[2048];
	bool seen = look == LOOK_FIRST;
	long n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return false;
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent *d = (const struct dirent *)(buffer + at);
			bool match = d->d_ino == inode;

			at += d->d_reclen;
			if (d->d_type != DT_DIR || is_dots(d->d_name))
				continue;
			if (look == LOOK_THIS ? match : seen) {
				ret->inode = d->d_ino;
				memcpy(ret->name, d->d_name, strlen(d->d_name) + 1);
				return true;
			}
			seen = seen || match;
		}
	}
	return false;
}

/* Goes to the next cgroup, parents first; false at the end. */
static bool
walk_next(struct cgroup_walk *walk)
{
	struct cgroup_entry entry;
	struct stat st;

	if (find_entry(walk->fd, LOOK_FIRST, 0, &entry) && walk_to(walk, entry.name, 1))
		return true;
	while (walk->depth > 0) {
		if (fstat(walk->fd, &st) < 0 || !walk_to(walk, "..", -1))
			return false;
		if (find_entry(walk->fd, LOOK_AFTER, st.st_ino, &entry) &&
		    walk_to(walk, entry.name, 1))
			return true;
	}
	return false;
}

int
cgroup_count(int folder)
{
	struct cgroup_walk walk = walk_start(folder);
	int count = 0;

	if (walk.fd < 0)
		return 0;
	do {
		struct cgroup_lines lines = cgroup_lines_open(walk.fd, "cgroup.procs");

		while (cgroup_lines_next(&lines) != NULL)
			count++;
	} while (walk_next(&walk));
	close(walk.fd);
	return count;
}

/* ---- kill ---- */

static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* events: open cgroup.events. A removed cgroup is empty. */
static bool
says_empty(int events)
{
	char text[256];
	ssize_t n;

	do
		n = pread(events, text, sizeof text - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ENODEV;
	text[n] = '\0';
	return strstr(text, "populated 0") != NULL;
}

static int
open_events(int folder)
{
	return openat(folder, "cgroup.events", O_RDONLY | O_CLOEXEC);
}

bool
cgroup_is_empty(int folder)
{
	auto_fd int events = open_events(folder);

	return events < 0 ? errno == ENOENT || errno == ENODEV : says_empty(events);
}

#define BATCH 32
struct batch {
	size_t count;
	pid_t pids[BATCH];
	int fds[BATCH];
};

/*
 * Opens pidfds, then reads the list again: a pid still listed belongs to the process behind the pidfd. If
 * the pid was reused in between, the other process is not in the list.
 */
static void
signal_batch(int folder, struct batch *batch)
{
	struct cgroup_lines lines = cgroup_lines_open(folder, "cgroup.procs");
	const char *line;

	while ((line = cgroup_lines_next(&lines)) != NULL)
		for (size_t i = 0; i < batch->count; i++)
			if (batch->pids[i] == (pid_t)atoi(line))
				syscall(SYS_pidfd_send_signal, batch->fds[i], SIGKILL, NULL, 0);
	for (size_t i = 0; i < batch->count; i++)
		close(batch->fds[i]);
	batch->count = 0;
}

static void
signal_in(int folder)
{
	struct cgroup_lines lines = cgroup_lines_open(folder, "cgroup.procs");
	struct batch batch = {.count = 0};
	const char *line;

	while ((line = cgroup_lines_next(&lines)) != NULL) {
		pid_t pid = (pid_t)atoi(line);
		/* 0: a process of an outer pid namespace */
		int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

		if (fd < 0)
			continue;
		batch.pids[batch.count] = pid;
		batch.fds[batch.count++] = fd;
		if (batch.count == BATCH)
			signal_batch(folder, &batch);
	}
	signal_batch(folder, &batch);
}

/* BASELINE(5.14): no cgroup.kill before. The cgroup is frozen, so no process is forked meanwhile. */
static void
signal_all(int folder)
{
	struct cgroup_walk walk = walk_start(folder);

	if (walk.fd < 0)
		return;
	do
		signal_in(walk.fd);
	while (walk_next(&walk));
	close(walk.fd);
}

bool
cgroup_kill(int folder, int deadline_ms)
{
	auto_fd int events = open_events(folder);
	struct pollfd change = {.fd = events, .events = POLLPRI};
	long left, deadline = now_ms() + deadline_ms;
	bool again = false;

	if (events < 0)
		return errno == ENOENT || errno == ENODEV;
	for (; !says_empty(events); again = true) {
		cgroup_write(folder, "cgroup.freeze", "1");
		/*
		 * repeat by hand: cgroup.kill signals thread group leaders, which fails for one that has
		 * exited
		 */
		if (cgroup_write(folder, "cgroup.kill", "1") < 0 || again)
			signal_all(folder);
		left = deadline - now_ms();
		if (left <= 0)
			return says_empty(events);
		/* wakes on a change of cgroup.events; the timeout is for processes that joined meanwhile */
		poll(&change, 1, left < 20 ? (int)left : 20);
	}
	/* a process that joins later must not stay frozen */
	cgroup_write(folder, "cgroup.freeze", "0");
	return true;
}

/* ---- remove ---- */

/* Removes the walk's current cgroup by its parent. rmdir may return EBUSY shortly after the last exit. */
static bool
remove_here(struct cgroup_walk *walk, long deadline)
{
	struct cgroup_entry entry;
	struct stat st;

	if (fstat(walk->fd, &st) < 0 || !walk_to(walk, "..", -1))
		return false;
	while (find_entry(walk->fd, LOOK_THIS, st.st_ino, &entry) &&
	       unlinkat(walk->fd, entry.name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
		if (errno != EBUSY || now_ms() >= deadline)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

int
cgroup_clear(int folder)
{
	struct cgroup_walk walk = walk_start(folder);
	long deadline = now_ms() + 5000;
	struct cgroup_entry entry;
	bool fine = walk.fd >= 0;
	int sys;

	while (fine) {
		if (find_entry(walk.fd, LOOK_FIRST, 0, &entry))
			fine = walk_to(&walk, entry.name, 1) ||
			       (errno == ENOENT && now_ms() < deadline);
		else if (walk.depth > 0)
			fine = remove_here(&walk, deadline);
		else
			break;
	}
	sys = errno;
	auto_fd_fn(&walk.fd);
	errno = sys;
	return fine ? 0 : -1;
}
