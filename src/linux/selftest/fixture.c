// SPDX-License-Identifier: MIT
/*
 * Creates and removes the fixture of a selftest: a new directory, loopback servers, processes started
 * here; no object of the user is touched. Persistent objects are created by a keeper process, which
 * removes them even if this process is killed.
 */
#include "base/os.h"

#include "linux/selftest/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/process/privileges.h"

static const char program_text[] = "#!/bin/sh\n"
				   "case $1 in\n"
				   "terminal) test -t \"$2\" ;;\n"
				   "env) test -n \"$CORDON_PROOF\" ;;\n"
				   "esac\n";

static int
put_file(const char *path, const char *text, mode_t mode)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	return fd < 0 ? -1 : (int)write(fd, text, strlen(text));
}

/* In order of creation. */
static const char *const made_names[] = {"open",	"shut",		"kept",
					 "open/file",	"shut/file",	"kept/file",
					 "kept/hidden", "open/program", "shut/program",
					 "open/socket", "shut/socket"};
#define MADE_FOLDERS 3
#define MADE ((int)(sizeof made_names / sizeof made_names[0]))

static int
serve(int *ret_fd, int family, int type, const void *address, socklen_t size)
{
	*ret_fd = socket(family, type | SOCK_CLOEXEC, 0);
	if (*ret_fd < 0 || bind(*ret_fd, address, size) < 0)
		return -1;
	return type == SOCK_STREAM ? listen(*ret_fd, 4) : 0;
}

static void
name_places(struct fixture *fixture)
{
	snprintf(fixture->open_file, PATH_MAX, "%s/open/file", fixture->folder);
	snprintf(fixture->shut_file, PATH_MAX, "%s/shut/file", fixture->folder);
	snprintf(fixture->open_new, PATH_MAX, "%s/open/new", fixture->folder);
	snprintf(fixture->shut_new, PATH_MAX, "%s/shut/new", fixture->folder);
	snprintf(fixture->kept_file, PATH_MAX, "%s/kept/file", fixture->folder);
	snprintf(fixture->kept_hidden, PATH_MAX, "%s/kept/hidden", fixture->folder);
	snprintf(fixture->kept_new, PATH_MAX, "%s/kept/new", fixture->folder);
	snprintf(fixture->kept_later, PATH_MAX, "%s/kept/later", fixture->folder);
	snprintf(fixture->open_program, PATH_MAX, "%s/open/program", fixture->folder);
	snprintf(fixture->shut_program, PATH_MAX, "%s/shut/program", fixture->folder);
	fixture->open_socket.sun_family = fixture->shut_socket.sun_family = AF_UNIX;
	snprintf(fixture->open_socket.sun_path, sizeof fixture->open_socket.sun_path,
		 "%s/open/socket", fixture->folder);
	snprintf(fixture->shut_socket.sun_path, sizeof fixture->shut_socket.sun_path,
		 "%s/shut/socket", fixture->folder);
}

static int
make_files(struct fixture *fixture)
{
	char path[PATH_MAX];

	for (int i = 0; i < MADE_FOLDERS; i++) {
		snprintf(path, sizeof path, "%s/%s", fixture->folder, made_names[i]);
		if (mkdir(path, 0700) < 0)
			return -1;
	}
	if (put_file(fixture->open_file, "x", 0600) < 0 ||
	    put_file(fixture->shut_file, "x", 0600) < 0 ||
	    put_file(fixture->kept_file, "x", 0600) < 0 ||
	    put_file(fixture->kept_hidden, "x", 0600) < 0 ||
	    put_file(fixture->open_program, program_text, 0700) < 0)
		return -1;
	return put_file(fixture->shut_program, program_text, 0700);
}

/* Starts only the servers that the guarantee needs. */
static int
make_servers(struct fixture *fixture, enum guarantee guarantee)
{
	socklen_t size = sizeof fixture->internet;
	int *to = fixture->servers;

	if (guarantee == G_SOCKETS_PATH)
		return serve(&to[0], AF_UNIX, SOCK_STREAM, &fixture->open_socket,
			     sizeof fixture->open_socket) < 0
			       ? -1
			       : serve(&to[1], AF_UNIX, SOCK_STREAM, &fixture->shut_socket,
				       sizeof fixture->shut_socket);
	if (guarantee == G_SOCKETS_ABSTRACT) {
		/* an empty address makes the kernel choose a unique abstract name */
		fixture->abstract_size = sizeof fixture->abstract;
		fixture->abstract.sun_family = AF_UNIX;
		if (serve(&to[0], AF_UNIX, SOCK_STREAM, &fixture->abstract, sizeof(sa_family_t)) <
		    0)
			return -1;
		return getsockname(to[0], (struct sockaddr *)&fixture->abstract,
				   &fixture->abstract_size);
	}
	if (guarantee != G_NET_TCP && guarantee != G_NET_UDP)
		return 0;
	fixture->internet = (struct sockaddr_in){.sin_family = AF_INET,
						 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (serve(&to[0], AF_INET, guarantee == G_NET_TCP ? SOCK_STREAM : SOCK_DGRAM,
		  &fixture->internet, size) < 0)
		return -1;
	return getsockname(to[0], (struct sockaddr *)&fixture->internet, &size);
}

static int
make_terminal(struct fixture *fixture, enum guarantee guarantee)
{
	char name[64];

	if (guarantee != G_TERMINAL_INJECT && guarantee != G_FDS_CLOSED)
		return 0;
	fixture->terminal_owner = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fixture->terminal_owner < 0 || unlockpt(fixture->terminal_owner) < 0 ||
	    ptsname_r(fixture->terminal_owner, name, sizeof name) != 0)
		return -1;
	fixture->terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	snprintf(fixture->terminal_number, sizeof fixture->terminal_number, "%d",
		 fixture->terminal);
	return fixture->terminal;
}

/* ---- the keeper: creates persistent objects and removes them ---- */

struct fixture_objects {
	char folder[FIXTURE_DIR_MAX];
	key_t key;
	int memory; /* id of the shared memory; -1: none */
	int error;
};
_Static_assert(sizeof(struct fixture_objects) == FIXTURE_DIR_MAX + 12, "no padding");

static int
make_folder(struct fixture_objects *objects)
{
	const char *tmp = getenv("TMPDIR");
	char made[PATH_MAX], real[PATH_MAX];
	int error;

	snprintf(made, sizeof made, "%.4000s/cordon.XXXXXX",
		 tmp != NULL && *tmp == '/' ? tmp : "/tmp");
	if (mkdtemp(made) == NULL)
		return errno;
	error = os_realpath(made, real) == NULL ? errno : 0;
	if (error == 0 && strlen(real) >= FIXTURE_DIR_MAX)
		error = ENAMETOOLONG;
	if (error != 0)
		rmdir(made);
	else
		memcpy(objects->folder, real, strlen(real) + 1);
	return error;
}

static int
make_memory(struct fixture_objects *objects)
{
	objects->key = ftok(objects->folder, 'c');
	objects->memory = shmget(objects->key, 4096, IPC_CREAT | IPC_EXCL | 0600);
	return objects->memory < 0 ? errno : 0;
}

static void
remove_objects(struct fixture *fixture, int memory)
{
	char path[PATH_MAX];

	if (memory >= 0)
		shmctl(memory, IPC_RMID, NULL);
	if (*fixture->folder == '\0')
		return;
	/* left by a child that was killed */
	unlink(fixture->open_new);
	unlink(fixture->shut_new);
	unlink(fixture->kept_new);
	unlink(fixture->kept_later);
	for (int i = MADE - 1; i >= 0; i--) {
		snprintf(path, sizeof path, "%s/%s", fixture->folder, made_names[i]);
		(void)(i < MADE_FOLDERS ? rmdir(path) : unlink(path));
	}
	rmdir(fixture->folder);
}

/* Waits until the test is done or every process with the other end of the pipe has exited. */
static _Noreturn void
keep(struct fixture *fixture, int end, enum guarantee guarantee)
{
	struct fixture_objects objects = {.memory = -1};
	int *own[] = {&end};
	char byte;

	/*
	 * own session: not hit by group signals or SIGHUP; no inherited fds, so no reader waits for the
	 * keeper
	 */
	setsid();
	fd_keep_only(own, 1);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	objects.error = make_folder(&objects);
	if (objects.error == 0 && guarantee == G_IPC_SYSV)
		objects.error = make_memory(&objects);
	memcpy(fixture->folder, objects.folder, sizeof objects.folder);
	name_places(fixture);
	if (send(end, &objects, sizeof objects, MSG_NOSIGNAL) == (ssize_t)sizeof objects)
		while (read(end, &byte, 1) < 0 && errno == EINTR)
			;
	remove_objects(fixture, objects.memory);
	_exit(0);
}

/* Returns 0 or an errno. */
static int
start_keeper(struct fixture *fixture, enum guarantee guarantee)
{
	struct fixture_objects objects = {.memory = -1};
	ssize_t length;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	fixture->keeper = fork();
	if (fixture->keeper == 0)
		keep(fixture, ends[1], guarantee);
	close(ends[1]);
	fixture->keeper_end = ends[0];
	if (fixture->keeper < 0)
		return EAGAIN;
	while ((length = recv(ends[0], &objects, sizeof objects, 0)) < 0 && errno == EINTR)
		;
	if (length != (ssize_t)sizeof objects)
		return EIO;
	memcpy(fixture->folder, objects.folder, sizeof objects.folder);
	fixture->key = objects.key;
	fixture->memory = objects.memory;
	return objects.error;
}

static void
end_keeper(struct fixture *fixture)
{
	int status = 0;

	if (fixture->keeper_end >= 0) {
		(void)!send(fixture->keeper_end, "x", 1, MSG_NOSIGNAL);
		close(fixture->keeper_end);
	}
	while (fixture->keeper > 0 && waitpid(fixture->keeper, &status, 0) < 0 && errno == EINTR)
		;
	/* it was killed */
	if (status != 0)
		remove_objects(fixture, fixture->memory);
}

void
fixture_clear(struct fixture *fixture)
{
	const int fds[] = {fixture->servers[0], fixture->servers[1], fixture->servers[2],
			   fixture->terminal, fixture->terminal_owner};

	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	end_keeper(fixture);
}

int
fixture_make(struct fixture *fixture, enum guarantee guarantee, struct cordon_error *err)
{
	int error;

	*fixture = (struct fixture){.servers = {-1, -1, -1},
				    .terminal = -1,
				    .terminal_owner = -1,
				    .memory = -1,
				    .keeper_end = -1};
	error = start_keeper(fixture, guarantee);
	if (error == ENAMETOOLONG)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "cannot be tested: TMPDIR is too long a name");
	if (error != 0)
		return cordon_fail(err, CORDON_E_GAP, error,
				   "cannot be tested: no temporary folder");
	name_places(fixture);
	if (make_files(fixture) >= 0 && make_servers(fixture, guarantee) >= 0 &&
	    make_terminal(fixture, guarantee) >= 0)
		return 0;
	return cordon_fail(err, CORDON_E_GAP, errno, "cannot be tested here");
}

/* ---- the bystander ---- */

/*
 * Starts a process outside the sandbox. It drops its privileges, or those alone would protect it. It exits
 * when the other end of its pipe is closed.
 */
int
fixture_start_bystander(struct fixture *fixture)
{
	int ends[2];
	char byte = 'x';

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	fixture->bystander = fork();
	if (fixture->bystander == 0) {
		alarm(FIXTURE_SECONDS);
		close(ends[0]);
		if (privileges_drop(NULL) == 0 && write(ends[1], &byte, 1) == 1)
			while (read(ends[1], &byte, 1) < 0 && errno == EINTR)
				;
		_exit(0);
	}
	close(ends[1]);
	fixture->bystander_end = ends[0];
	return fixture->bystander > 0 && read(ends[0], &byte, 1) == 1 ? 0 : EAGAIN;
}

void
fixture_end_bystander(const struct fixture *fixture)
{
	close(fixture->bystander_end);
	waitpid(fixture->bystander, NULL, 0);
}
