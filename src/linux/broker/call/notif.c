// SPDX-License-Identifier: MIT
/*
 * Reads a caller and answers it. The calling thread waits in its system call, but its other threads run:
 * memory is copied once, and data opened by pid is verified by checking afterwards that the notification
 * is still valid.
 */
#include "linux/broker/notif.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/call/caller.h"
#include "linux/broker/nest.h"

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1u
#endif
struct add_fd {
	uint64_t id;
	uint32_t flags, source, target, target_flags;
};
#define ADD_FD_AS 1u
#define IOCTL_ADD_FD _IOW('!', 3, struct add_fd)
/* looks after which a pending signal counts as the caller's own */
#define LOOKS_FIRST 2
#define LOOKS_OTHERS 4
#define BIT(signal) (1ull << ((signal)-1))
/* the number used from 5.4 to 5.16, still accepted */
#define IOCTL_ID_VALID _IOW('!', 2, uint64_t)

bool
notif_is_valid(const struct notif_call *request)
{
	uint64_t id = request->notif.id;

	if (ioctl(request->listener, IOCTL_ID_VALID, &id) == 0)
		return true;
	/* the caller has died; on any other error fail the call, because it may still wait */
	if (errno != ENOENT)
		notif_fail(request, EIO);
	return false;
}

/* Fallback through /proc, if an outer sandbox blocks process_vm_readv. */
static ssize_t
read_memory(const struct notif_call *request, uint64_t address, void *to, size_t size)
{
	char name[64];
	auto_fd int fd = -1;

	snprintf(name, sizeof name, "/proc/%d/mem", (int)request->thread);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : pread(fd, to, size, (off_t)address);
}

int
notif_bytes(const struct notif_call *request, uint64_t address, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
	ssize_t n = process_vm_readv(request->thread, &here, 1, &there, 1, 0);

	if (n < 0 && (errno == EPERM || errno == ENOSYS))
		n = read_memory(request, address, to, size);
	if (n < 0)
		return errno == EPERM || errno == EACCES || errno == ESRCH ? EPERM : EFAULT;
	return (size_t)n == size ? 0 : EFAULT;
}

void
notif_write(const struct notif_call *request, uint64_t address, const void *from, size_t size)
{
	struct iovec here = {(void *)(uintptr_t)from, size},
		     there = {(void *)(uintptr_t)address, size};
	char name[64];
	auto_fd int fd = -1;

	if (process_vm_writev(request->thread, &here, 1, &there, 1, 0) >= 0 ||
	    (errno != EPERM && errno != ENOSYS))
		return;
	snprintf(name, sizeof name, "/proc/%d/mem", (int)request->thread);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && pwrite(fd, from, size, (off_t)address) < 0)
		return;
}

/* Page by page: the page behind the end of the string may be unmapped. */
int
notif_path(const struct notif_call *request, uint64_t address, char to[PATH_MAX])
{
	for (size_t have = 0; have < PATH_MAX;) {
		size_t part = 4096 - (size_t)((address + have) & 4095);
		int why;

		if (part > PATH_MAX - have)
			part = PATH_MAX - have;
		why = notif_bytes(request, address + have, to + have, part);
		if (why != 0)
			return why;
		if (memchr(to + have, '\0', part) != NULL)
			return 0;
		have += part;
	}
	return ENAMETOOLONG;
}

struct notif_call
notif_copy(const struct notif_call *request)
{
	struct notif_call copy = *request;

	copy.fd_cache = NULL;
	copy.affinity = NULL;
	copy.deep = NULL;
	copy.names = NULL;
	copy.nested = NULL;
	return copy;
}

/* ---- answers ---- */

static void
answer(const struct notif_call *request, int64_t value, int error, uint32_t flags)
{
	struct seccomp_notif_resp response = {.id = request->notif.id,
					      .val = value,
					      .error = error,
					      .flags = flags};

	for (int tries = 0; !nest_is_late(request); tries++) {
		if (ioctl(request->listener, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0 ||
		    errno == ENOENT || errno == EINPROGRESS)
			return;
		/* the caller would wait forever: end the session instead */
		if (errno != EINTR && tries >= NOTIF_TRIES)
			_exit(1);
	}
}

void
notif_fail(const struct notif_call *request, int why)
{
	answer(request, 0, -why, 0);
}

void
notif_return(const struct notif_call *request, int64_t value)
{
	answer(request, value, 0, 0);
}

void
notif_continue(const struct notif_call *request)
{
	answer(request, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

static int
add_fd(const struct notif_call *request, struct add_fd *add)
{
	int number;

	errno = EAGAIN;
	if (nest_is_late(request))
		return -1;
	add->id = request->notif.id;
	do
		number = ioctl(request->listener, IOCTL_ADD_FD, add);
	while (number < 0 && errno == EINTR);
	return number;
}

/*
 * ADDFD and reply in two steps, and the broker's copy is closed in between. In one step the caller could
 * continue while the broker has the file open for writing, so that exec fails with ETXTBSY; and it would
 * continue with the CPU mask set for ADDFD.
 */
static void
give(const struct notif_call *request, int fd, int wanted, bool close_on_exec)
{
	struct add_fd add = {.flags = wanted < 0 ? 0 : ADD_FD_AS,
			     .source = (uint32_t)fd,
			     .target = wanted < 0 ? 0 : (uint32_t)wanted,
			     .target_flags = close_on_exec ? O_CLOEXEC : 0};
	int number, why;

	affinity_pin(request->affinity, request->thread);
	number = add_fd(request, &add);
	why = errno;
	affinity_unpin(request->affinity, request->thread);
	close(fd);
	if (number < 0)
		notif_fail(request, why);
	else
		notif_return(request, number);
}

void
notif_give(const struct notif_call *request, int fd, bool close_on_exec)
{
	give(request, fd, -1, close_on_exec);
}

void
notif_give_as(const struct notif_call *request, int fd, int number, bool close_on_exec)
{
	give(request, fd, number, close_on_exec);
}

void
notif_give_pair(const struct notif_call *request, const int pair[2], uint64_t address,
		bool close_on_exec)
{
	int numbers[2] = {-1, -1}, why = notif_bytes(request, address, numbers, sizeof numbers);

	affinity_pin(request->affinity, request->thread);
	for (int i = 0; i < 2; i++) {
		struct add_fd add = {.source = (uint32_t)pair[i],
				     .target_flags = close_on_exec ? O_CLOEXEC : 0};

		numbers[i] = why == 0 ? add_fd(request, &add) : -1;
		if (why == 0 && numbers[i] < 0)
			why = errno;
	}
	affinity_unpin(request->affinity, request->thread);
	close(pair[0]);
	close(pair[1]);
	if (why == 0 && notif_is_valid(request))
		notif_write(request, address, numbers, sizeof numbers);
	if (why == 0)
		notif_return(request, 0);
	else
		notif_fail(request, why);
}

/* ---- blocking calls ---- */

static uint64_t
number_in(const char *text, const char *key, int base)
{
	const char *line = strstr(text, key);

	return line == NULL ? 0 : strtoull(line + strlen(key), NULL, base);
}

/* The signals of a set that end a wait: caught ones, and stops. Ignored signals are never pending. */
static uint64_t
ending(const char *text, uint64_t set)
{
	const uint64_t stops = BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU);

	return set & ~number_in(text, "\nSigBlk:", 16) & (number_in(text, "\nSigCgt:", 16) | stops);
}

/*
 * A signal for the process is delivered to one of its threads: the main thread if it can take it, but
 * SIGCHLD to the thread that forked. The kernel does not tell which; a call without a signal must not be
 * restarted, because the caller would see ERESTARTSYS. A thread that got the signal and does not wait here
 * takes it at once, so a signal that stays pending is the caller's; the main thread is assumed first.
 */
static int
judge_shared(const char *text, const struct notif_call *request, uint64_t shared, int *looks)
{
	bool is_first = number_in(text, "\nTgid:", 10) == (uint64_t)request->thread &&
			(shared & ~BIT(SIGCHLD)) != 0;

	if (number_in(text, "\nThreads:", 10) == 1)
		return NOTIF_RESTART;
	if (++*looks < (is_first ? LOOKS_FIRST : LOOKS_OTHERS))
		return 0;
	return is_first ? NOTIF_RESTART : EINTR;
}

int
notif_interruption(const struct notif_call *request, int *looks)
{
	char text[4096];
	uint64_t shared;

	if (caller_status(request, text, sizeof text) <= 0)
		return 0;
	if (ending(text, number_in(text, "\nSigPnd:", 16)) != 0)
		return NOTIF_RESTART;
	shared = ending(text, number_in(text, "\nShdPnd:", 16));
	if (shared != 0)
		return judge_shared(text, request, shared, looks);
	*looks = 0;
	return 0;
}
