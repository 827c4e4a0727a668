/* SPDX-License-Identifier: MIT */
/*
 * Differences between Linux and macOS, under common names. Apart from linux/ and macos/, only
 * base/os*.h test for the system. Include this before any other header.
 */
#pragma once

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#if defined(__linux__)
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <sys/file.h>
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

/* since glibc 2.32 */
extern const char *strerrordesc_np(int number) __attribute__((weak));

/* Opens a directory for openat() without needing the right to list it. */
#define COMPAT_O_PATH O_PATH
#define COMPAT_O_TMPFILE O_TMPFILE
/* member of struct stat with the change time, which utimensat() cannot set */
#define COMPAT_CTIME st_ctim
/* for waitpid: also children that send another signal than SIGCHLD at exit, or none */
#define COMPAT_WAIT_ALL __WALL
/* TCP option: seconds of silence until a keepalive probe */
#define COMPAT_TCP_KEEPIDLE TCP_KEEPIDLE
#ifdef SYS_openat2
#define COMPAT_SYS_OPENAT2 SYS_openat2
#else
#define COMPAT_SYS_OPENAT2 437
#endif
#else
#include <unistd.h>

#include "base/os_macos.h"

typedef int compat_resource;

#define COMPAT_O_PATH O_RDONLY
#define COMPAT_O_TMPFILE 0
#define COMPAT_CTIME st_ctimespec
#define COMPAT_WAIT_ALL 0
#define COMPAT_TCP_KEEPIDLE TCP_KEEPALIVE
#endif

/*
 * Returns the text of an errno, or NULL if unknown. strerror() takes a lock of the translation
 * catalog, which another thread may hold for ever in the parent of a fork.
 */
static inline const char *
os_errno_text(int number)
{
#if defined(__linux__)
	return strerrordesc_np == NULL ? strerror(number) : strerrordesc_np(number);
#else
	return number >= 0 && number < sys_nerr ? sys_errlist[number] : NULL;
#endif
}

/* Sends signal number to this process when its parent dies. Linux only. */
static inline int
os_die_with_parent(int number)
{
#if defined(__linux__)
	return prctl(PR_SET_PDEATHSIG, number, 0, 0, 0);
#else
	(void)number;
	return 0;
#endif
}

#if defined(__linux__)
static inline int
os_let_go_of(struct dl_phdr_info *info, size_t size, void *argument)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size, (void)argument;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = (uintptr_t)(info->dlpi_addr + part->p_vaddr) / page * page;
		uintptr_t end = (uintptr_t)(info->dlpi_addr + part->p_vaddr + part->p_memsz);

		if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
			madvise((void *)start, end - start, MADV_DONTNEED);
	}
	return 0;
}
#endif

/* Drops clean pages of the program and its libraries; they are read again when needed. */
static inline void
os_drop_clean_pages(void)
{
#if defined(__linux__)
	dl_iterate_phdr(os_let_go_of, NULL);
#endif
}

/*
 * Tunes malloc for a process that ends soon or mostly waits: grow in large steps, do not trim, and
 * share one heap between threads, because a heap per thread would be created at every start.
 */
static inline void
os_malloc_short_lived(void)
{
#if defined(__GLIBC__)
	mallopt(M_TOP_PAD, 256 * 1024);
	mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
	mallopt(M_ARENA_MAX, 1);
#endif
}

/* A process without children has no descendants either, as far as it can wait for them. */
static inline bool
os_has_no_child(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | COMPAT_WAIT_ALL) < 0 &&
	       errno == ECHILD;
}

/* Moves a thread to another CPU than the caller's, if there is one. */
static inline void
os_pthread_other_cpu(pthread_t thread)
{
#if defined(__linux__)
	int here = sched_getcpu();
	cpu_set_t cpus;

	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof cpus, &cpus) < 0)
		return;
	CPU_CLR((size_t)here, &cpus);
	if (CPU_COUNT(&cpus) > 0)
		pthread_setaffinity_np(thread, sizeof cpus, &cpus);
#else
	(void)thread;
#endif
}

/* musl's realpath() keeps two slashes at the beginning; as a root or a home that path would be another one than "/". */
static inline char *
os_realpath(const char *path, char *to)
{
	char *real = realpath(path, to);

	if (real != NULL && real[0] == '/' && real[1] == '/')
		memmove(real, real + 1, strlen(real));
	return real;
}

/* A pipe; both ends are close-on-exec. */
static inline int
os_pipe(int ends[2])
{
#if defined(__linux__)
	return pipe2(ends, O_CLOEXEC);
#else
	if (pipe(ends) < 0)
		return -1;
	if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
		return 0;
	close(ends[0]);
	close(ends[1]);
	return -1;
#endif
}

/* A pair of connected stream sockets, close-on-exec. */
static inline int
os_line(int ends[2])
{
#if defined(__linux__)
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
	return macos_pair(SOCK_STREAM, ends);
#endif
}

/* A unix stream socket, close-on-exec. */
static inline int
os_local_socket(void)
{
#if defined(__linux__)
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
	return macos_socket(socket(AF_UNIX, SOCK_STREAM, 0));
#endif
}

/* An internet socket, non-blocking and close-on-exec. */
static inline int
os_socket(int family, int type)
{
#if defined(__linux__)
	return socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
	int fd = macos_socket(socket(family, type, 0));

	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
#endif
}

/* Restricts routing to the loopback device. Fails where no address prefix is local as a whole. */
static inline int
os_only_loopback(int fd)
{
#if defined(__linux__)
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof "lo");
#else
	(void)fd;
	return -1;
#endif
}

/* A pair of sockets that keep message boundaries, close-on-exec. */
static inline int
os_packets(int ends[2])
{
#if defined(__linux__)
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
#else
	return macos_packets(ends);
#endif
}

/*
 * A pair of sockets between a session and its proxy: messages, and their end. macOS redirects no
 * connections and needs only the end of file, which datagram sockets do not report.
 */
static inline int
os_egress(int ends[2])
{
#if defined(__linux__)
	return os_packets(ends);
#else
	return os_line(ends);
#endif
}

/* Accepts without blocking; the fd is close-on-exec. from may be NULL. */
static inline int
os_accept_from(int listener, struct sockaddr *from, socklen_t *length)
{
#if defined(__linux__)
	return accept4(listener, from, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
	int fd = macos_socket(accept(listener, from, length));

	if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
		close(fd);
		return -1;
	}
	return fd;
#endif
}

static inline int
os_accept(int listener)
{
	return os_accept_from(listener, NULL, NULL);
}

/* recvmsg flags: received fds are close-on-exec; data of a stream is discarded without a copy. */
#if defined(__linux__)
#define COMPAT_MSG_CLOEXEC MSG_CMSG_CLOEXEC
#define COMPAT_MSG_DROP MSG_TRUNC
#else
#define COMPAT_MSG_CLOEXEC 0
#define COMPAT_MSG_DROP 0
#endif

/*
 * An unnamed file, close-on-exec, that vanishes with its last fd. On macOS it has a name in folder
 * for a moment, so no other user may be able to write there.
 */
static inline int
os_memory_file(int folder)
{
#if defined(__linux__)
	(void)folder;
	return memfd_create("cordon", MFD_CLOEXEC);
#else
	return macos_unnamed_file(folder);
#endif
}

/* Writes a path of name in an open directory, for bind and connect. False: it does not fit. */
static inline bool
os_name_in(int folder, const char *name, char *to, size_t size)
{
#if defined(__linux__)
	return snprintf(to, size, "/proc/self/fd/%d/%s", folder, name) < (int)size;
#else
	return macos_name_in(folder, name, to, size);
#endif
}

/* Writes a path by which the terminal open as fd, our own, can be opened again and polled. */
static inline bool
os_terminal_name(int fd, char *to, size_t size)
{
#if defined(__linux__)
	static const char name[] = "/dev/tty";

	(void)fd;
	if (size < sizeof name)
		return false;
	memcpy(to, name, sizeof name);
	return true;
#else
	/* on macOS poll(2) does not support /dev/tty */
	return ttyname_r(fd, to, size) == 0;
#endif
}

/* Closes every fd from first on, now or at exec. Fails where the system call is missing. */
static inline int
os_close_range(int first, bool at_exec)
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

/* Returns one more than the highest possible fd, or 0 if the system cannot tell. */
static inline int
os_fd_ceiling(void)
{
#if defined(__linux__)
	return 0;
#else
	return macos_fd_ceiling();
#endif
}

/* Does open(2) use its mode argument with these flags? */
static inline bool
os_takes_mode(int flags)
{
	return (flags & O_CREAT) != 0 ||
	       (COMPAT_O_TMPFILE != 0 && (flags & COMPAT_O_TMPFILE) == COMPAT_O_TMPFILE);
}

/*
 * Opens path below dir. Fails if the path leaves dir or follows a magic link of procfs, and with
 * ENOSYS without openat2. The constants are spelt out because older kernel headers lack them.
 */
static inline int
os_open_beneath(int dir, const char *path, int flags, unsigned int mode)
{
#if defined(__linux__)
	struct {
		uint64_t flags, mode, resolve;
	} how = {
		.flags = (uint64_t)(unsigned int)flags,
		.mode = os_takes_mode(flags) ? mode & 07777 : 0,
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
