/* SPDX-License-Identifier: MIT */
/*
 * What os.h promises, by kqueue and libproc. Asks nowhere which system this is, so that it can be
 * tried elsewhere against a made-up one. Included by os.h alone, and by its tests.
 *
 * A queue tells that a signal was sent; it does not take it. So it is taken here as well, or it would
 * be delivered as soon as the caller's own mask is restored.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/event.h>
#include <sys/proc_info.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Headers of older systems have none: sockets are told once, by macos_socket. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* The queue is told a moment before the signal is there to be taken. */
#define MACOS_TRIES 200
#define MACOS_TRY_NS 100000

/* By default nothing happens, so the kernel forgets them at once: they are told and never pending. */
static inline bool
macos_is_forgotten(int number)
{
	return number == SIGCHLD || number == SIGURG || number == SIGIO || number == SIGWINCH ||
	       number == SIGCONT
#ifdef SIGINFO
	       || number == SIGINFO
#endif
		;
}

static inline bool
macos_add_event(int queue, int filter, int number, int flags, unsigned notes)
{
	struct kevent change;

	EV_SET(&change, (uintptr_t)number, (short)filter, (unsigned short)flags, notes, 0, 0);
	return kevent(queue, &change, 1, NULL, 0, NULL) == 0;
}

static inline int
macos_signal_fd(const sigset_t *set)
{
	int queue = kqueue();
	bool good = queue >= 0;
	sigset_t pending;

	for (int number = 1; good && number < NSIG; number++)
		if (sigismember(set, number) == 1 && number != SIGKILL && number != SIGSTOP)
			good = macos_add_event(queue, EVFILT_SIGNAL, number, EV_ADD, 0);
	/* what came before this is told by no queue */
	good = good && sigpending(&pending) == 0;
	for (int number = 1; good && number < NSIG; number++)
		if (sigismember(set, number) == 1 && sigismember(&pending, number) == 1)
			good = macos_add_event(queue, EVFILT_USER, number, EV_ADD | EV_ONESHOT,
					       NOTE_TRIGGER);
	if (!good && queue >= 0) {
		close(queue);
		queue = -1;
	}
	return queue;
}

/* Only what is pending, so it never waits; false: it is not there. */
static inline bool
macos_take_pending(int number)
{
	sigset_t pending, one;
	int taken;

	sigemptyset(&one);
	sigaddset(&one, number);
	return sigpending(&pending) == 0 && sigismember(&pending, number) == 1 &&
	       sigwait(&one, &taken) == 0;
}

/* False: another event was about the same signal, and it was taken then. */
static inline bool
macos_take_signal(int number)
{
	const struct timespec pause = {0, MACOS_TRY_NS};

	for (int i = 0; i < MACOS_TRIES; i++) {
		if (macos_take_pending(number) || macos_is_forgotten(number))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/*
 * A queue does not say who sent a signal. A terminal sends some, and only to the group in front of it;
 * where both is so it is taken for the terminal's: told twice a command would end at the first ^C.
 */
static inline bool
macos_is_terminals(int number)
{
	bool in_front;
	int terminal;

	if (number != SIGINT && number != SIGQUIT && number != SIGTSTP && number != SIGTTIN &&
	    number != SIGTTOU && number != SIGHUP && number != SIGWINCH)
		return false;
	terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	in_front = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
	if (terminal >= 0)
		close(terminal);
	return in_front;
}

/* The number of a signal that was taken; 0: there is none. */
static inline int
macos_signal_read(int queue)
{
	const struct timespec none = {0, 0};
	struct kevent event;
	int count;

	while ((count = kevent(queue, NULL, 0, &event, 1, &none)) == 1 ||
	       (count < 0 && errno == EINTR))
		if (count == 1 && macos_take_signal((int)event.ident))
			return (int)event.ident;
	return 0;
}

static inline int
macos_process_fd(pid_t pid)
{
	int queue = kqueue();
	struct kevent change;

	EV_SET(&change, (uintptr_t)pid, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, 0);
	if (queue >= 0 && kevent(queue, &change, 1, NULL, 0, NULL) < 0) {
		close(queue);
		return -1;
	}
	return queue;
}

/* One more than any open descriptor can be; 0: it cannot be told. */
static inline int
macos_fd_ceiling(void)
{
	int bytes = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, NULL, 0);

	return bytes <= 0 ? 0 : bytes / (int)sizeof(struct proc_fdinfo) + 1;
}

/* No call makes one that closes at exec, and older systems know no MSG_NOSIGNAL. */
static inline int
macos_socket(int fd)
{
	const int on = 1;

	if (fd < 0)
		return -1;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Gone from the disk at once. The name is our own; who had it before is gone, and left it. */
static inline int
macos_unnamed_file(int folder)
{
	char name[40];
	int fd;

	snprintf(name, sizeof name, "handed-over.%ld", (long)getpid());
	unlinkat(folder, name, 0);
	fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlinkat(folder, name, 0);
	return fd;
}

/* By the folder's own name: there is no way to a socket by a descriptor. */
static inline bool
macos_name_in(int folder, const char *name, char *to, size_t size)
{
	char path[1024]; /* what F_GETPATH writes at most */

	if (fcntl(folder, F_GETPATH, path) < 0)
		return false;
	if (snprintf(to, size, "%s/%s", path, name) < (int)size)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

/* One end that could not be made ready is closed already. */
static inline int
macos_pair(int type, int ends[2])
{
	if (socketpair(AF_UNIX, type, 0, ends) < 0)
		return -1;
	ends[0] = macos_socket(ends[0]);
	ends[1] = macos_socket(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return -1;
}

/* Datagrams, which are 2 kB at most there and eight of them, unless it is said otherwise. */
static inline int
macos_packets(int ends[2])
{
	const int room = 1 << 16;

	if (macos_pair(SOCK_DGRAM, ends) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
		setsockopt(ends[i], SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	}
	return 0;
}
