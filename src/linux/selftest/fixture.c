// SPDX-License-Identifier: MIT
/*
 * Setting up and clearing away what attempts are made on. Everything lies in a new folder, on
 * loopback, or belongs to a process started here; nothing of the user's is touched. What would
 * outlive us is made by a process that removes it also when we are killed.
 */
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

/* In the order of making. */
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
name_places(struct fixture *stage)
{
	snprintf(stage->open_file, PATH_MAX, "%s/open/file", stage->folder);
	snprintf(stage->shut_file, PATH_MAX, "%s/shut/file", stage->folder);
	snprintf(stage->open_new, PATH_MAX, "%s/open/new", stage->folder);
	snprintf(stage->shut_new, PATH_MAX, "%s/shut/new", stage->folder);
	snprintf(stage->kept_file, PATH_MAX, "%s/kept/file", stage->folder);
	snprintf(stage->kept_hidden, PATH_MAX, "%s/kept/hidden", stage->folder);
	snprintf(stage->kept_new, PATH_MAX, "%s/kept/new", stage->folder);
	snprintf(stage->kept_later, PATH_MAX, "%s/kept/later", stage->folder);
	snprintf(stage->open_program, PATH_MAX, "%s/open/program", stage->folder);
	snprintf(stage->shut_program, PATH_MAX, "%s/shut/program", stage->folder);
	stage->open_socket.sun_family = stage->shut_socket.sun_family = AF_UNIX;
	snprintf(stage->open_socket.sun_path, sizeof stage->open_socket.sun_path, "%s/open/socket",
		 stage->folder);
	snprintf(stage->shut_socket.sun_path, sizeof stage->shut_socket.sun_path, "%s/shut/socket",
		 stage->folder);
}

static int
make_files(struct fixture *stage)
{
	char path[PATH_MAX];

	for (int i = 0; i < MADE_FOLDERS; i++) {
		snprintf(path, sizeof path, "%s/%s", stage->folder, made_names[i]);
		if (mkdir(path, 0700) < 0)
			return -1;
	}
	if (put_file(stage->open_file, "x", 0600) < 0 ||
	    put_file(stage->shut_file, "x", 0600) < 0 ||
	    put_file(stage->kept_file, "x", 0600) < 0 ||
	    put_file(stage->kept_hidden, "x", 0600) < 0 ||
	    put_file(stage->open_program, program_text, 0700) < 0)
		return -1;
	return put_file(stage->shut_program, program_text, 0700);
}

/* What a trial of that guarantee talks to; ones that need nothing get nothing. */
static int
make_servers(struct fixture *stage, enum guarantee guarantee)
{
	socklen_t size = sizeof stage->internet;
	int *to = stage->servers;

	if (guarantee == G_SOCKETS_PATH)
		return serve(&to[0], AF_UNIX, SOCK_STREAM, &stage->open_socket,
			     sizeof stage->open_socket) < 0
			       ? -1
			       : serve(&to[1], AF_UNIX, SOCK_STREAM, &stage->shut_socket,
				       sizeof stage->shut_socket);
	if (guarantee == G_SOCKETS_ABSTRACT) {
		/* with no name at all the kernel gives one that nobody else has */
		stage->abstract_size = sizeof stage->abstract;
		stage->abstract.sun_family = AF_UNIX;
		if (serve(&to[0], AF_UNIX, SOCK_STREAM, &stage->abstract, sizeof(sa_family_t)) < 0)
			return -1;
		return getsockname(to[0], (struct sockaddr *)&stage->abstract,
				   &stage->abstract_size);
	}
	if (guarantee != G_NET_TCP && guarantee != G_NET_UDP)
		return 0;
	stage->internet = (struct sockaddr_in){.sin_family = AF_INET,
					       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (serve(&to[0], AF_INET, guarantee == G_NET_TCP ? SOCK_STREAM : SOCK_DGRAM,
		  &stage->internet, size) < 0)
		return -1;
	return getsockname(to[0], (struct sockaddr *)&stage->internet, &size);
}

static int
make_terminal(struct fixture *stage, enum guarantee guarantee)
{
	char name[64];

	if (guarantee != G_TERMINAL_INJECT && guarantee != G_FDS_CLOSED)
		return 0;
	stage->terminal_owner = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (stage->terminal_owner < 0 || unlockpt(stage->terminal_owner) < 0 ||
	    ptsname_r(stage->terminal_owner, name, sizeof name) != 0)
		return -1;
	stage->terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	snprintf(stage->terminal_number, sizeof stage->terminal_number, "%d", stage->terminal);
	return stage->terminal;
}

/* ---- the keeper: makes what would stay, and removes it whatever becomes of us ---- */

struct fixture_kept {
	char folder[STAGE_FOLDER_MAX];
	key_t key;
	int memory; /* of that key; -1: none */
	int error;
};

static int
make_folder(struct fixture_kept *kept)
{
	const char *tmp = getenv("TMPDIR");
	char made[PATH_MAX], real[PATH_MAX];
	int error;

	snprintf(made, sizeof made, "%.4000s/cordon.XXXXXX",
		 tmp != NULL && *tmp == '/' ? tmp : "/tmp");
	if (mkdtemp(made) == NULL)
		return errno;
	error = realpath(made, real) == NULL ? errno : 0;
	if (error == 0 && strlen(real) >= STAGE_FOLDER_MAX)
		error = ENAMETOOLONG;
	if (error != 0)
		rmdir(made);
	else
		memcpy(kept->folder, real, strlen(real) + 1);
	return error;
}

static int
make_memory(struct fixture_kept *kept)
{
	kept->key = ftok(kept->folder, 'c');
	kept->memory = shmget(kept->key, 4096, IPC_CREAT | IPC_EXCL | 0600);
	return kept->memory < 0 ? errno : 0;
}

static void
remove_kept(struct fixture *stage, int memory)
{
	char path[PATH_MAX];

	if (memory >= 0)
		shmctl(memory, IPC_RMID, NULL);
	if (*stage->folder == '\0')
		return;
	/* what a child that was ended may have left */
	unlink(stage->open_new);
	unlink(stage->shut_new);
	unlink(stage->kept_new);
	unlink(stage->kept_later);
	for (int i = MADE - 1; i >= 0; i--) {
		snprintf(path, sizeof path, "%s/%s", stage->folder, made_names[i]);
		(void)(i < MADE_FOLDERS ? rmdir(path) : unlink(path));
	}
	rmdir(stage->folder);
}

/* Until it is told that all is done, or all that could tell are gone: then nobody uses it. */
static _Noreturn void
keep(struct fixture *stage, int end, enum guarantee guarantee)
{
	struct fixture_kept kept = {.memory = -1};
	int *own[] = {&end};
	char byte;

	/* whoever ends a group, or hangs up, does not mean us; whoever reads must not wait for us */
	setsid();
	fd_keep_only(own, 1);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	kept.error = make_folder(&kept);
	if (kept.error == 0 && guarantee == G_IPC_SYSV)
		kept.error = make_memory(&kept);
	memcpy(stage->folder, kept.folder, sizeof kept.folder);
	name_places(stage);
	if (send(end, &kept, sizeof kept, MSG_NOSIGNAL) == (ssize_t)sizeof kept)
		while (read(end, &byte, 1) < 0 && errno == EINTR)
			;
	remove_kept(stage, kept.memory);
	_exit(0);
}

/* 0 or an errno. */
static int
start_keeper(struct fixture *stage, enum guarantee guarantee)
{
	struct fixture_kept kept = {.memory = -1};
	ssize_t length;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	stage->keeper = fork();
	if (stage->keeper == 0)
		keep(stage, ends[1], guarantee);
	close(ends[1]);
	stage->keeper_end = ends[0];
	if (stage->keeper < 0)
		return EAGAIN;
	while ((length = recv(ends[0], &kept, sizeof kept, 0)) < 0 && errno == EINTR)
		;
	if (length != (ssize_t)sizeof kept)
		return EIO;
	memcpy(stage->folder, kept.folder, sizeof kept.folder);
	stage->key = kept.key;
	stage->memory = kept.memory;
	return kept.error;
}

static void
end_keeper(struct fixture *stage)
{
	int status = 0;

	if (stage->keeper_end >= 0) {
		(void)!send(stage->keeper_end, "x", 1, MSG_NOSIGNAL);
		close(stage->keeper_end);
	}
	while (stage->keeper > 0 && waitpid(stage->keeper, &status, 0) < 0 && errno == EINTR)
		;
	/* somebody ended it */
	if (status != 0)
		remove_kept(stage, stage->memory);
}

void
fixture_clear(struct fixture *stage)
{
	const int fds[] = {stage->servers[0], stage->servers[1], stage->servers[2], stage->terminal,
			   stage->terminal_owner};

	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	end_keeper(stage);
}

int
fixture_make(struct fixture *stage, enum guarantee guarantee, struct cordon_error *err)
{
	int error;

	*stage = (struct fixture){.servers = {-1, -1, -1},
				  .terminal = -1,
				  .terminal_owner = -1,
				  .memory = -1,
				  .keeper_end = -1};
	error = start_keeper(stage, guarantee);
	if (error == ENAMETOOLONG)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "cannot be tried: TMPDIR is too long a name");
	if (error != 0)
		return cordon_fail(err, CORDON_E_GAP, error,
				   "cannot be tried: no temporary folder");
	name_places(stage);
	if (make_files(stage) >= 0 && make_servers(stage, guarantee) >= 0 &&
	    make_terminal(stage, guarantee) >= 0)
		return 0;
	return cordon_fail(err, CORDON_E_GAP, errno, "cannot be tried here");
}

/* ---- the outsider ---- */

/*
 * One that stays outside the box. It has no more power than the one inside, or that alone would
 * keep it from being touched. It ends when its other end is closed.
 */
int
fixture_start_bystander(struct fixture *stage)
{
	int ends[2];
	char byte = 'x';

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	stage->outsider = fork();
	if (stage->outsider == 0) {
		alarm(STAGE_SECONDS);
		close(ends[0]);
		if (privileges_drop(NULL) == 0 && write(ends[1], &byte, 1) == 1)
			while (read(ends[1], &byte, 1) < 0 && errno == EINTR)
				;
		_exit(0);
	}
	close(ends[1]);
	stage->outsider_end = ends[0];
	return stage->outsider > 0 && read(ends[0], &byte, 1) == 1 ? 0 : EAGAIN;
}

void
fixture_end_bystander(const struct fixture *stage)
{
	close(stage->outsider_end);
	waitpid(stage->outsider, NULL, 0);
}
