/* SPDX-License-Identifier: MIT */
/*
 * The macOS half of os.h, by kqueue and libproc. Tests no system macro, so that Linux can compile
 * and test it against fake headers. Included only by os.h and its tests.
 *
 * kqueue reports that a signal was sent and leaves it pending. It is therefore also taken here, or
 * it would be delivered when the caller restores its signal mask.
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

/* Older systems have no such flag: macos_socket sets SO_NOSIGPIPE instead. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* kqueue may report a signal a moment before it is pending. */
#define MACOS_TRIES 200
#define MACOS_TRY_NS 100000

/* The default action of these is to ignore: kqueue reports them, but they are never pending. */
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
	/* kqueue does not report signals that were pending before */
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

/* Takes a pending signal and never blocks. False: it is not pending. */
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

/* False: the signal was taken with an earlier event. */
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
 * kqueue does not report the sender. A signal that a terminal can send is attributed to it while we
 * are in the foreground: delivering it twice would end a command at the first ^C.
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

/* Returns the number of a signal that was taken, or 0. */
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

/* Returns one more than the highest possible fd, or 0 if unknown. */
static inline int
macos_fd_ceiling(void)
{
	int bytes = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, NULL, 0);

	return bytes <= 0 ? 0 : bytes / (int)sizeof(struct proc_fdinfo) + 1;
}

/* Sets close-on-exec, which socket() cannot, and SO_NOSIGPIPE: see MSG_NOSIGNAL above. */
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

/* Creates and unlinks a file. A file of that name is left from a process that had our pid. */
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

/* By the canonical path of folder: sockets have no *at() calls. */
static inline bool
macos_name_in(int folder, const char *name, char *to, size_t size)
{
	char path[1024]; /* the most that F_GETPATH writes */

	if (fcntl(folder, F_GETPATH, path) < 0)
		return false;
	if (snprintf(to, size, "%s/%s", path, name) < (int)size)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

/* If one end fails it is closed already, and the other is closed here. */
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

/* By default datagrams on macOS are limited to 2 kB, eight of them queued. */
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
