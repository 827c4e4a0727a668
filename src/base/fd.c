// SPDX-License-Identifier: MIT
/*
 * Reads and replaces small files, and closes inherited fds. Closing runs between fork and exec and
 * must not allocate.
 */
#include "base/os_process.h"

#include "base/fd.h"

#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/ascii.h"

static int
read_all(int fd, char *text, size_t size, size_t *ret_length)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(fd, text + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	*ret_length = used;
	return 0;
}

int
fd_read_file(struct arena *arena, const char *path, size_t max, char **ret_text, size_t *ret_length,
	     struct stat *ret_stat, struct cordon_error *err)
{
	/* O_NONBLOCK: opening a FIFO must not block */
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	size_t length;
	char *text;

	if (fd < 0 || fstat(fd, &st) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return cordon_fail(err, CORDON_E_PATH, 0, "cannot read %s: not a regular file",
				   path);
	if ((unsigned long long)st.st_size > max)
		return cordon_fail(err, CORDON_E_PATH, 0, "%s is larger than %zu bytes", path, max);
	/* one byte more than st_size, to notice a file that grows */
	text = arena_alloc(arena, (size_t)st.st_size + 2, err);
	if (text == NULL)
		return -CORDON_E_MEMORY;
	if (read_all(fd, text, (size_t)st.st_size + 1, &length) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot read %s", path);
	if (length > (size_t)st.st_size)
		return cordon_fail(err, CORDON_E_PATH, 0, "%s changed while it was read", path);
	text[length] = '\0';
	*ret_text = text;
	*ret_length = length;
	if (ret_stat != NULL)
		*ret_stat = st;
	return 0;
}

int
fd_read_text(int fd, size_t max, char **ret_text, struct cordon_error *err)
{
	/* one byte more than max, to notice a longer text */
	auto_free char *text = malloc(max + 2);
	size_t length;

	if (text == NULL)
		return cordon_no_memory(err);
	if (read_all(fd, text, max + 1, &length) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot read descriptor %d", fd);
	if (length > max)
		return cordon_fail(err, CORDON_E_PATH, 0, "descriptor %d gives more than %zu bytes",
				   fd, max);
	if (memchr(text, '\0', length) != NULL)
		return cordon_fail(err, CORDON_E_PATH, 0, "descriptor %d gives a NUL byte", fd);
	text[length] = '\0';
	*ret_text = text;
	text = NULL;
	return 0;
}

static int
write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

int
fd_replace_file(const char *path, const char *text, size_t length, mode_t mode,
		struct cordon_error *err)
{
	char temporary[PATH_MAX];
	auto_fd int fd = -1;
	int failed;

	if (snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid()) >=
	    (int)sizeof temporary)
		return cordon_fail(err, CORDON_E_PATH, ENAMETOOLONG, "cannot write %s", path);
	unlink(temporary);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot write %s", temporary);
	failed = write_all(fd, text, length) < 0 || fsync(fd) < 0 || rename(temporary, path) < 0;
	if (failed) {
		int sys = errno;

		unlink(temporary);
		return cordon_fail(err, CORDON_E_PATH, sys, "cannot write %s", path);
	}
	return 0;
}

int
fd_write_line(int fd, const char *text, size_t length)
{
	sigset_t deadly, old;
	ssize_t n;
	int sys;

	sigemptyset(&deadly);
	sigaddset(&deadly, SIGPIPE);
	sigaddset(&deadly, SIGXFSZ);
	if (pthread_sigmask(SIG_BLOCK, &deadly, &old) != 0)
		return -1;
	do
		n = write(fd, text, length);
	while (n < 0 && errno == EINTR);
	sys = n < 0 ? errno : ENOSPC;
	/* leave pending what the caller had blocked itself */
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&old, number))
			sigdelset(&deadly, number);
	if (n < 0)
		os_signal_drop(&deadly);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = sys;
	return n == (ssize_t)length ? 0 : -1;
}

#define PIPE_HALF 32768

bool
fd_has_room(int fd)
{
	struct pollfd out = {.fd = fd, .events = POLLOUT};
	struct stat st;
	int buffered = 0;

	if (poll(&out, 1, 0) == 0)
		return false;
	return fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode) || ioctl(fd, FIONREAD, &buffered) < 0 ||
	       buffered < PIPE_HALF;
}

int
fd_make_dir(const char *path, mode_t mode, struct cordon_error *err)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length == 0 || length >= sizeof part)
		return cordon_fail(err, CORDON_E_PATH, ENAMETOOLONG, "cannot make folder %s", path);
	/* nearly always it exists */
	if (mkdir(path, mode) == 0 || errno == EEXIST)
		return 0;
	memcpy(part, path, length + 1);
	for (size_t i = 1; i <= length; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, mode) < 0 && errno != EEXIST)
			return cordon_fail(err, CORDON_E_PATH, errno, "cannot make folder %s",
					   part);
		part[i] = '/';
	}
	return 0;
}

/* ---- inherited fds ---- */

/* No fd is this high unless fs.nr_open was raised. */
#define FD_CEILING 1048576

/*
 * Returns one more than the highest possible fd. RLIMIT_NOFILE does not tell: it can be lowered
 * below open fds. FDSize comes early in /proc/self/status, so a fixed buffer is enough.
 */
static int
fd_ceiling(void)
{
	static const char key[] = "\nFDSize:\t";
	auto_fd int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char text[1024];
	size_t length = 0;
	const char *at;
	int size = os_fd_ceiling();

	if (size > 0)
		return size;
	if (fd < 0 || read_all(fd, text, sizeof text - 1, &length) < 0)
		return FD_CEILING;
	text[length] = '\0';
	at = strstr(text, key);
	if (at == NULL)
		return FD_CEILING;
	for (at += sizeof key - 1; ascii_is_digit(*at) && size < INT_MAX / 10 - 1; at++)
		size = size * 10 + (*at - '0');
	return *at == '\n' && size > 0 ? size : FD_CEILING;
}

/* BASELINE(5.11): CLOSE_RANGE_CLOEXEC. A container's filter may refuse it on any kernel. */
int
fd_cloexec_from(int first)
{
	int end;

	if (os_close_range(first, true) == 0)
		return 0;
	end = fd_ceiling();
	for (int fd = first; fd < end; fd++)
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 && errno != EBADF)
			return -1;
	return 0;
}

/* BASELINE(5.9): close_range. */
void
fd_close_from(int first)
{
	int end;

	if (os_close_range(first, false) == 0)
		return;
	end = fd_ceiling();
	for (int fd = first; fd < end; fd++)
		close(fd);
}

/* Closes first and all above it but fixed. */
static void
close_beside(int first, int fixed)
{
	for (; first < fixed; first++)
		close(first);
	fd_close_from(first == fixed ? first + 1 : first);
}

/* Moves the lowest fd first, so that no fd is overwritten before it moves. */
void
fd_keep_beside(int *const *own, size_t count, int fixed)
{
	int to = 3;

	for (size_t moved = 0; moved < count; moved++) {
		int *lowest = NULL;

		to += to == fixed;
		for (size_t i = 0; i < count; i++)
			if (*own[i] >= to && (lowest == NULL || *own[i] < *lowest))
				lowest = own[i];
		if (lowest == NULL)
			continue;
		/* the fds stay where they are: moving them only tidies */
		if (*lowest != to && dup2(*lowest, to) < 0)
			return;
		*lowest = to++;
	}
	close_beside(to, fixed);
}

void
fd_keep_only(int *const *own, size_t count)
{
	fd_keep_beside(own, count, -1);
}

bool
fd_is_dir_entry(int dir, const struct dirent *entry)
{
	struct stat at;

	return entry->d_type == DT_DIR ||
	       (entry->d_type == DT_UNKNOWN &&
		fstatat(dir, entry->d_name, &at, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(at.st_mode));
}
