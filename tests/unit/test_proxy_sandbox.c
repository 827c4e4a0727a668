// SPDX-License-Identifier: MIT
/*
 * The proxy's own sandbox: in it files, programs, processes and other sockets are out of reach, and TCP
 * leads only to its ports. Everything is done free first, and works there.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/proxy_task.h"
#include "linux/landlock/ruleset.h"
#include "tap.h"

static uint16_t open_port, other_port;

static int
listen_somewhere(uint16_t *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	check(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 8) == 0 &&
	      getsockname(fd, (struct sockaddr *)&at, &length) == 0);
	*ret_port = ntohs(at.sin_port);
	return fd;
}

static bool
reaches(uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool reached = fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;

	if (fd >= 0)
		close(fd);
	return reached;
}

static bool
opens(void)
{
	int fd = open("/etc/passwd", O_RDONLY);

	return fd >= 0 && close(fd) == 0;
}

static bool
forks(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static bool
runs(void)
{
	char *argv[] = {"true", NULL};

	execve("/bin/true", argv, argv + 1);
	return false;
}

static bool
makes_local_sockets(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd >= 0 && close(fd) == 0;
}

static bool
listens(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd >= 0 && listen(fd, 1) == 0 && close(fd) == 0;
}

static bool
signals(void)
{
	return kill(getppid(), 0) == 0;
}

static bool
makes_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

static bool
reaches_other(void)
{
	return reaches(other_port);
}

static bool
reaches_open(void)
{
	return reaches(open_port);
}

static bool
makes_datagram_sockets(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	return (fd >= 0 && close(fd) == 0) || errno == EAFNOSUPPORT;
}

/* 1 it works, 0 it does not, -1 the sandbox could not be entered. A program that ran says 1 by itself. */
static int
try(bool (*what)(void), bool boxed)
{
	struct role role = {.ports = &open_port, .port_count = 1};
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (boxed && proxy_sandbox_enter(&role, NULL) < 0)
			_exit(2);
		_exit(what() ? 0 : 1);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status) == 2 ? -1 : WEXITSTATUS(status) == 0;
}

static void
every_other_call_is_refused(void)
{
	static bool (*const denied[])(void) = {opens,	forks,	 runs,	    makes_local_sockets,
					       listens, signals, makes_code};

	for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++) {
		check_int(try(denied[i], false), 1);
		check_int(try(denied[i], true), 0);
	}
}

static void
it_reaches_its_ports_and_no_others(void)
{
	check_int(try(reaches_open, false), 1);
	check_int(try(reaches_open, true), 1);
	check_int(try(reaches_other, false), 1);
	check_int(try(reaches_other, true), landlock_version(NULL) < 4);
	check_int(try(makes_datagram_sockets, true), 1);
}

int
main(void)
{
	int listeners[2] = {listen_somewhere(&open_port), listen_somewhere(&other_port)};

	run(every_other_call_is_refused);
	run(it_reaches_its_ports_and_no_others);
	close(listeners[0]);
	close(listeners[1]);
	return tap_end();
}
