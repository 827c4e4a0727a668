/* SPDX-License-Identifier: MIT */
/* Processes and signals. Part of os.h. */
#pragma once

#include "base/os.h"

/* In the fourth argument of execve, which takes three: this start of a program is not traced. */
#define OS_EXEC_FIRST 0x636f7202u

/* execve, before the broker of a traced session serves. */
static inline int
os_exec_first(const char *path, char *const *argv, char *const *envp)
{
#if defined(__linux__)
	return (int)syscall(SYS_execve, path, argv, envp, (unsigned long)OS_EXEC_FIRST);
#else
	return execve(path, argv, envp);
#endif
}

/* Keeps other processes of the same user from reading our memory and taking our fds. */
static inline int
os_set_undumpable(void)
{
#if defined(__linux__)
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
	/* no header that is always there declares it; 31 is PT_DENY_ATTACH */
	int ptrace(int request, pid_t pid, char *address, int data);

	return ptrace(31, 0, NULL, 0);
#endif
}

/*
 * Takes a lock that exists once per process, for all its threads. Returns an fd to unlock by flock
 * (children may have copies), or -1: EWOULDBLOCK if taken, ENOENT if not supported.
 */
static inline int
os_process_lock(void)
{
#if defined(__linux__)
	int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), sys;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	sys = errno;
	close(fd);
	errno = sys;
	return -1;
#else
	errno = ENOENT;
	return -1;
#endif
}

/* Leaves no core file and hides our memory, until exec. Children inherit it. */
static inline int
os_no_core(void)
{
#if defined(__linux__)
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
	/* RLIMIT_CORE would be inherited by the command, and there is no other way */
	return 0;
#endif
}

/* Undoes os_no_core. */
static inline void
os_allow_core(void)
{
#if defined(__linux__)
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
#endif
}

/*
 * If this process is stopped, a timer continues it with SIGCONT every ms milliseconds; block that
 * signal. Not inherited by children. Returns -1 with errno on failure.
 */
static inline int
os_wake_every(int ms)
{
#if defined(__linux__)
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
	const struct timespec period = {ms / 1000, ms % 1000 * 1000000L};
	const struct itimerspec when = {period, period};
	int timer = 0;

	/* the bare system calls: timer_create() of a C library may allocate */
	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) < 0)
		return -1;
	return (int)syscall(SYS_timer_settime, timer, 0, &when, NULL);
#else
	(void)ms;
	return 0;
#endif
}

struct compat_signal {
	int number;
	bool from_process; /* not from the terminal or the kernel */
	bool is_queued;	   /* sent by sigqueue, with a value */
	pid_t pid;
	uid_t uid;
	int value;
};

/*
 * Returns an fd that becomes readable when a blocked signal of set arrives. os_signal_read takes
 * one such signal, or returns false.
 */
static inline int
os_signal_fd(const sigset_t *set)
{
#if defined(__linux__)
	return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
#else
	return macos_signal_fd(set);
#endif
}

static inline bool
os_signal_read(int fd, struct compat_signal *ret_signal)
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
	int number = macos_signal_read(fd);

	if (number == 0)
		return false;
	/* only the end of a session sends SIGTERM to the guard; no value comes with it */
	*ret_signal = (struct compat_signal){
		.number = number,
		.from_process = !macos_is_terminals(number),
		.is_queued = number == SIGTERM,
		.uid = getuid(),
	};
	return true;
#endif
}

/* Discards one pending signal of set, which is blocked. */
static inline void
os_signal_drop(const sigset_t *set)
{
#if defined(__linux__)
	struct timespec none = {0, 0};

	sigtimedwait(set, NULL, &none);
#else
	for (int number = 1; number < NSIG; number++)
		if (sigismember(set, number) == 1 && macos_take_pending(number))
			return;
#endif
}

/* Returns an fd that becomes readable when the process ends, or -1. The caller closes it. */
static inline int
os_process_fd(pid_t pid)
{
#if defined(__linux__)
	return (int)syscall(COMPAT_SYS_PIDFD_OPEN, pid, 0);
#else
	return macos_process_fd(pid);
#endif
}
