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
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_pidfd_open
#define COMPAT_SYS_PIDFD_OPEN SYS_pidfd_open
#else
#define COMPAT_SYS_PIDFD_OPEN 434
#endif

#ifdef SYS_close_range
#define COMPAT_SYS_CLOSE_RANGE SYS_close_range
#else
#define COMPAT_SYS_CLOSE_RANGE 436
#endif

#if defined(__GLIBC__)
typedef __rlimit_resource_t compat_resource;
#else
typedef int compat_resource;
#endif

/* Holds a directory for openat() without needing the right to list it. */
#define COMPAT_O_HOLD O_PATH
#define COMPAT_O_TMPFILE O_TMPFILE
/* for waitpid: children that tell their end by another signal, or by none, as well */
#define COMPAT_WAIT_ALL __WALL
#ifdef SYS_openat2
#define COMPAT_SYS_OPENAT2 SYS_openat2
#else
#define COMPAT_SYS_OPENAT2 437
#endif
#else
#include <sys/event.h>
#include <unistd.h>

typedef int compat_resource;

#define COMPAT_O_HOLD O_RDONLY
#define COMPAT_O_TMPFILE 0
#define COMPAT_WAIT_ALL 0
#endif

/* The parent's death sends this signal, where the system can promise that. */
static inline int
compat_die_with_parent(int number)
{
#if defined(__linux__)
	return prctl(PR_SET_PDEATHSIG, number, 0, 0, 0);
#else
	(void)number;
	return 0;
#endif
}

/* Both ends close at exec. */
static inline int
compat_pipe(int ends[2])
{
#if defined(__linux__)
	return pipe2(ends, O_CLOEXEC);
#else
	if (pipe(ends) < 0)
		return -1;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return 0;
#endif
}

/* Two ends of a line that carries values both ways; both close at exec. */
static inline int
compat_line(int ends[2])
{
#if defined(__linux__)
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return -1;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return 0;
#endif
}

/* A socket for a name in the file system; closes at exec. */
static inline int
compat_local_socket(void)
{
#if defined(__linux__)
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
#endif
}

/* A socket for addresses, not waiting; closes at exec. */
static inline int
compat_socket(int family, int type)
{
#if defined(__linux__)
	return socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
	int fd = socket(family, type, 0);

	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, O_NONBLOCK);
	}
	return fd;
#endif
}

/* Two ends of a line that carries messages whole; both close at exec. */
static inline int
compat_packets(int ends[2])
{
#if defined(__linux__)
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
#else
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0)
		return -1;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return 0;
#endif
}

/* Without waiting; closes at exec. */
static inline int
compat_accept(int listener)
{
#if defined(__linux__)
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
	return accept(listener, NULL, NULL);
#endif
}

/* Descriptors that come with a message close at exec. */
#if defined(__linux__)
#define COMPAT_MSG_CLOEXEC MSG_CMSG_CLOEXEC
#else
#define COMPAT_MSG_CLOEXEC 0
#endif

/* A file without a name, gone with its last descriptor; closes at exec. */
static inline int
compat_memory_file(void)
{
#if defined(__linux__)
	return memfd_create("cordon", MFD_CLOEXEC);
#else
	errno = ENOSYS;
	return -1;
#endif
}

/* Others of the same user may neither read our memory nor take our descriptors. */
static inline int
compat_hide(void)
{
#if defined(__linux__)
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
	return 0;
#endif
}

struct compat_signal {
	int number;
	bool from_process; /* and not from the terminal or the kernel */
	bool is_queued;	   /* with a value, by sigqueue */
	pid_t pid;
	uid_t uid;
	int value;
};

/*
 * A descriptor that becomes readable when one of the blocked signals of set arrives; no handler, no
 * global. compat_signal_read takes one of them; false when there is none.
 */
static inline int
compat_signal_fd(const sigset_t *set)
{
#if defined(__linux__)
	return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
#else
	int queue = kqueue();

	for (int number = 1; queue >= 0 && number < NSIG; number++) {
		struct kevent change;

		if (!sigismember(set, number))
			continue;
		EV_SET(&change, number, EVFILT_SIGNAL, EV_ADD, 0, 0, 0);
		kevent(queue, &change, 1, 0, 0, 0);
	}
	return queue;
#endif
}

static inline bool
compat_signal_read(int fd, struct compat_signal *ret_signal)
{
#if defined(__linux__)
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof info) != (ssize_t)sizeof info)
		return false;
	*ret_signal = (struct compat_signal){
		.number = (int)info.ssi_signo,
		.from_process = info.ssi_code <= 0,
		.is_queued = info.ssi_code == SI_QUEUE,
		.pid = (pid_t)info.ssi_pid,
		.uid = info.ssi_uid,
		.value = info.ssi_int,
	};
	return true;
#else
	struct timespec none = {0, 0};
	struct kevent event;

	if (kevent(fd, 0, 0, &event, 1, &none) != 1)
		return false;
	/* who sent it is not told: taken as the terminal's unless there is none */
	*ret_signal = (struct compat_signal){.number = (int)event.ident};
	return true;
#endif
}

/* Takes a blocked signal back that is pending. */
static inline void
compat_signal_drop(const sigset_t *set)
{
#if defined(__linux__)
	struct timespec none = {0, 0};

	sigtimedwait(set, NULL, &none);
#else
	sigset_t pending;
	int number;

	if (sigpending(&pending) < 0)
		return;
	for (int one = 1; one < NSIG; one++) {
		if (sigismember(set, one) && sigismember(&pending, one)) {
			sigwait(set, &number);
			return;
		}
	}
#endif
}

/*
 * A descriptor that becomes readable when that process ends, or -1 where there is none to be had.
 * It never closes by itself.
 */
static inline int
compat_process_fd(pid_t pid)
{
#if defined(__linux__)
	return (int)syscall(COMPAT_SYS_PIDFD_OPEN, pid, 0);
#else
	int queue = kqueue();
	struct kevent change;

	EV_SET(&change, (uintptr_t)pid, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, 0);
	if (queue >= 0 && kevent(queue, &change, 1, 0, 0, 0) < 0) {
		close(queue);
		return -1;
	}
	return queue;
#endif
}

/* Every descriptor from first on, closed now or at exec; fails where there is no such call. */
static inline int
compat_close_range(int first, bool at_exec)
{
#if defined(__linux__)
	return (int)syscall(COMPAT_SYS_CLOSE_RANGE, (unsigned)first, ~0u,
			    at_exec ? 4 /* CLOSE_RANGE_CLOEXEC */ : 0);
#else
	(void)first;
	(void)at_exec;
	errno = ENOSYS;
	return -1;
#endif
}

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
