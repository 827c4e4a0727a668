// SPDX-License-Identifier: MIT
/*
 * Every way to signal another process.
 *
 *   signals wait FILE        prints its number, then adds a byte to FILE for every signal
 *   signals WAY PID FILE     signals it in that way and waits for FILE to grow; 0 when it did
 *   signals ways             the names of the ways
 *
 * The signal is one that is ignored by default; an owner of a descriptor gets SIGIO.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THE_SIGNAL SIGURG
#define WAIT_MILLISECONDS 3000
#define SIOCSPGRP_ 0x8902 /* asm/sockios.h */
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#define SYS_pidfd_open 434
#endif

static int
by_kill(pid_t pid)
{
	return kill(pid, THE_SIGNAL);
}

static int
by_group(pid_t pid)
{
	return kill(-pid, THE_SIGNAL);
}

static int
by_all(pid_t pid)
{
	(void)pid;
	return kill(-1, THE_SIGNAL);
}

static int
by_tkill(pid_t pid)
{
	return (int)syscall(SYS_tkill, pid, THE_SIGNAL);
}

static int
by_tgkill(pid_t pid)
{
	return (int)syscall(SYS_tgkill, pid, pid, THE_SIGNAL);
}

static int
by_queue(pid_t pid)
{
	return sigqueue(pid, THE_SIGNAL, (union sigval){.sival_int = 1});
}

static int
by_thread_queue(pid_t pid)
{
	siginfo_t info = {.si_signo = THE_SIGNAL, .si_code = SI_QUEUE};

	return (int)syscall(SYS_rt_tgsigqueueinfo, pid, pid, THE_SIGNAL, &info);
}

static int
by_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return (int)syscall(SYS_pidfd_send_signal, fd, THE_SIGNAL, NULL, 0);
}

/* Something to read makes the kernel signal the owner of the other end. */
static int
write_to(int *ends)
{
	return fcntl(ends[0], F_SETFL, O_ASYNC) < 0 || write(ends[1], "x", 1) != 1 ? -1 : 0;
}

static int
by_owner(pid_t pid)
{
	int ends[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || fcntl(ends[0], F_SETOWN, pid) < 0
		       ? -1
		       : write_to(ends);
}

static int
by_owner_ex(pid_t pid)
{
	struct f_owner_ex owner = {F_OWNER_PID, pid};
	int ends[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 ||
			       fcntl(ends[0], F_SETOWN_EX, &owner) < 0
		       ? -1
		       : write_to(ends);
}

static int
by_owner_group(pid_t pid)
{
	return by_owner(-pid);
}

static int
by_owner_ioctl(pid_t pid)
{
	int ends[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || ioctl(ends[0], SIOCSPGRP_, &pid) < 0
		       ? -1
		       : write_to(ends);
}

static const struct {
	const char *name;
	int (*send)(pid_t pid);
} ways[] = {
	{"kill", by_kill},
	{"group", by_group},
	{"all", by_all},
	{"tkill", by_tkill},
	{"tgkill", by_tgkill},
	{"queue", by_queue},
	{"threadqueue", by_thread_queue},
	{"pidfd", by_pidfd},
	{"owner", by_owner},
	{"ownerex", by_owner_ex},
	{"ownergroup", by_owner_group},
	{"ownerioctl", by_owner_ioctl},
};
#define WAYS (sizeof ways / sizeof ways[0])

static int
wait_for_signals(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666), number;
	sigset_t all;

	sigemptyset(&all);
	sigaddset(&all, THE_SIGNAL);
	sigaddset(&all, SIGIO);
	if (fd < 0 || setpgid(0, 0) < 0 || sigprocmask(SIG_BLOCK, &all, NULL) < 0)
		return 1;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (sigwait(&all, &number) == 0)
		if (write(fd, "x", 1) != 1)
			return 1;
	return 1;
}

static off_t
size_of(const char *path)
{
	struct stat at;

	return stat(path, &at) < 0 ? -1 : at.st_size;
}

static int
try_way(const char *name, pid_t pid, const char *path)
{
	off_t before = size_of(path);

	for (size_t i = 0; i < WAYS; i++) {
		if (strcmp(ways[i].name, name) != 0)
			continue;
		if (ways[i].send(pid) < 0) {
			perror(name);
			return 1;
		}
		for (int spent = 0; spent < WAIT_MILLISECONDS; spent += 10) {
			if (size_of(path) > before)
				return 0;
			usleep(10000);
		}
		fprintf(stderr, "%s: nothing came\n", name);
		return 1;
	}
	return 2;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "wait") == 0)
		return wait_for_signals(argv[2]);
	if (argc == 4)
		return try_way(argv[1], (pid_t)atoi(argv[2]), argv[3]);
	for (size_t i = 0; i < WAYS; i++)
		printf("%s\n", ways[i].name);
	return 0;
}
