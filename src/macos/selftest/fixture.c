// SPDX-License-Identifier: MIT
/* Makes and removes the fixture of a selftest: files, sockets, a terminal, a bystander and System V objects. */
#include "base/os.h"

#include "macos/selftest/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

static int
listen_on(int type, uint16_t *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	int fd = socket(AF_INET, type, 0);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
	    getsockname(fd, (struct sockaddr *)&at, &length) == 0 &&
	    (type != SOCK_STREAM || listen(fd, 4) == 0)) {
		*ret_port = ntohs(at.sin_port);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

void
fixture_socket_path(const char *script, char to[FIXTURE_SOCKET_SIZE])
{
	snprintf(to, FIXTURE_SOCKET_SIZE, "%s.s", script);
}

static int
listen_beside(const char *script)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char path[FIXTURE_SOCKET_SIZE];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	fixture_socket_path(script, path);
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 4) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool
make_script(const char *path)
{
	static const char text[] = "#!/bin/sh\nexit 0\n";
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	bool made = fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1;

	if (fd >= 0)
		close(fd);
	return made;
}

static void
remove_script(const char *path)
{
	char name[FIXTURE_SOCKET_SIZE];

	fixture_socket_path(path, name);
	unlink(name);
	unlink(path);
}

static bool
open_terminal(struct fixture *fixture)
{
	const char *name;

	fixture->terminal_owner = posix_openpt(O_RDWR | O_NOCTTY);
	if (fixture->terminal_owner < 0 || grantpt(fixture->terminal_owner) < 0 ||
	    unlockpt(fixture->terminal_owner) < 0)
		return false;
	name = ptsname(fixture->terminal_owner);
	fixture->terminal = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return fixture->terminal >= 0;
}

static bool
start_bystander(struct fixture *fixture)
{
	fixture->bystander = fork();
	if (fixture->bystander == 0) {
		alarm(FIXTURE_SECONDS);
		for (;;)
			pause();
	}
	return fixture->bystander > 0;
}

static void
make_objects(struct fixture *fixture)
{
	const int how = IPC_CREAT | IPC_EXCL | 0600;

	fixture->key = ftok(fixture->folder, 'c');
	if (fixture->key == (key_t)-1)
		return;
	fixture->memory = shmget(fixture->key, 1, how);
	fixture->semaphore = semget(fixture->key, 1, how);
	fixture->queue = msgget(fixture->key, how);
}

static void
remove_objects(const struct fixture *fixture)
{
	if (fixture->memory >= 0)
		shmctl(fixture->memory, IPC_RMID, NULL);
	if (fixture->semaphore >= 0)
		semctl(fixture->semaphore, 0, IPC_RMID);
	if (fixture->queue >= 0)
		msgctl(fixture->queue, IPC_RMID, NULL);
}

/* /private/tmp, because Seatbelt compares canonical paths. */
static bool
make_folder(struct fixture *fixture)
{
	static const char *const places[] = {"/private/tmp", "/tmp"};

	snprintf(fixture->folder, sizeof fixture->folder, "%s/cordon-doctor-XXXXXX",
		 places[access(places[0], W_OK) != 0]);
	if (mkdtemp(fixture->folder) == NULL) {
		fixture->folder[0] = '\0';
		return false;
	}
	snprintf(fixture->denied, sizeof fixture->denied, "%s/denied", fixture->folder);
	snprintf(fixture->granted, sizeof fixture->granted, "%s/granted", fixture->folder);
	return make_script(fixture->denied) && make_script(fixture->granted);
}

bool
fixture_make(struct fixture *to)
{
	*to = (struct fixture){.server = -1,
			       .receiver = -1,
			       .sockets = {-1, -1},
			       .terminal_owner = -1,
			       .terminal = -1,
			       .memory = -1,
			       .semaphore = -1,
			       .queue = -1};
	if (!make_folder(to))
		return false;
	to->server = listen_on(SOCK_STREAM, &to->port);
	to->receiver = listen_on(SOCK_DGRAM, &to->receiver_port);
	to->sockets[0] = listen_beside(to->denied);
	to->sockets[1] = listen_beside(to->granted);
	make_objects(to);
	return to->server >= 0 && to->receiver >= 0 && to->sockets[0] >= 0 && to->sockets[1] >= 0 &&
	       open_terminal(to) && start_bystander(to);
}

static void
end_bystander(pid_t bystander)
{
	if (bystander <= 0)
		return;
	kill(bystander, SIGKILL);
	while (waitpid(bystander, NULL, 0) < 0 && errno == EINTR)
		;
}

void
fixture_clear(struct fixture *fixture)
{
	const int fds[] = {fixture->server,	fixture->receiver,	 fixture->sockets[0],
			   fixture->sockets[1], fixture->terminal_owner, fixture->terminal};

	end_bystander(fixture->bystander);
	remove_objects(fixture);
	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (fixture->folder[0] == '\0')
		return;
	remove_script(fixture->denied);
	remove_script(fixture->granted);
	rmdir(fixture->folder);
}
