// SPDX-License-Identifier: MIT
/*
 * Starts the process that enters the sandbox. With a broker, it is started by a thread that has entered the
 * outer layer and then becomes the broker: under Landlock a thread may read only processes that are in all
 * of its layers. That thread has dropped its privileges like the command, so that it can do nothing on
 * behalf that the command could not.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "enforce/session_group.h"
#include "linux/broker/nest.h"
#include "linux/broker/pty.h"
#include "linux/broker/socket/loopback_connect.h"
#include "linux/process/privileges.h"
#include "linux/process/thread.h"
#include "linux/sandbox.h"
#include "linux/untrace.h"

#define STACK_SIZE (512 * 1024)

struct starter {
	struct sandbox *sandbox;
	const struct session_group *group;
	const struct enforce_main *main;
	pid_t pid;
	int why;
};

/* Returns -1 with errno; errno 0: none was sent, and the child has reported why. */
static int
receive_listener(int line)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof control};
	const struct cmsghdr *header;
	int listener = -1;

	ssize_t n;

	/* it has been or will be sent, or all processes that could send it have exited */
	do
		n = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		errno = 0;
	if (n != 1)
		return -1;
	errno = EPROTO;
	header = CMSG_FIRSTHDR(&message);
	if (header != NULL && header->cmsg_type == SCM_RIGHTS)
		memcpy(&listener, CMSG_DATA(header), sizeof listener);
	return listener;
}

/*
 * A failure here loses nothing: the command is not started yet. Container runtimes refuse unshare: then all
 * threads share umask and working directory.
 */
static bool
enter_outer(struct sandbox *sandbox)
{
	struct cordon_error err = {0};
	int rc;

	sandbox->broker.has_own_fs = unshare(CLONE_FS) == 0;
	sandbox->broker.umask = umask(0);
	umask(sandbox->broker.umask);
	rc = privileges_drop(&err);
	kill_all_begin(&sandbox->broker.kill_all);
	if (rc == 0 &&
	    ruleset_enter_unlogged(sandbox->outer, sandbox->abi, sandbox->log.fd >= 0, &err) == 0)
		return true;
	errno = err.sys != 0 ? err.sys : EPERM;
	return false;
}

static pid_t
start(const struct session_group *group, const struct enforce_main *main)
{
	return main->stays ? session_group_fork(group, main->run, main->context)
			   : session_group_spawn(group, main->run, main->context);
}

/* The command is in its sandbox and no broker would answer it: kill it. */
static void
give_up(struct starter *starter, int why)
{
	kill(starter->pid, SIGKILL);
	starter->pid = -1;
	starter->why = why;
}

/*
 * In the fd table of the guard, which keeps it where it is: not below 3, because the guard replaces those.
 * -1 stays -1.
 */
static bool
keep_shared(struct sandbox *sandbox, int *line)
{
	auto_fd int received = *line;

	if (received >= 0)
		*line = fcntl(received, F_DUPFD_CLOEXEC, 3);
	sandbox->shared_line = *line;
	return received < 0 || *line >= 0;
}

/*
 * A fd table of its own with only the socket, so that no pipe stays open here; container runtimes refuse
 * that. -1 stays -1.
 */
static bool
keep_alone(struct sandbox *sandbox, int *line)
{
	if (unshare(CLONE_FILES) < 0)
		return keep_shared(sandbox, line);
	if (*line >= 0 && *line != 0 && dup2(*line, 0) < 0)
		return false;
	*line = *line < 0 ? -1 : 0;
	fd_close_from(*line + 1);
	return true;
}

/* The thread stays until the command ends. */
static _Noreturn void
answer_questions(struct sandbox *sandbox, int line)
{
	if (line >= 0) {
		nest_serve(&sandbox->broker, line);
		close(line);
	}
	for (;;)
		pause();
}

static void *
start_and_serve(void *argument)
{
	struct starter *starter = argument;
	struct sandbox *sandbox = starter->sandbox;
	int listener = -1;

	starter->pid = -1;
	sandbox->broker.group = getpgrp();
	if (sandbox->is_nested || enter_outer(sandbox))
		starter->pid = start(starter->group, starter->main);
	starter->why = errno;
	close(sandbox->line[1]);
	if (starter->pid > 0) {
		untrace_ready(sandbox);
		listener = receive_listener(sandbox->line[0]);
		if ((listener < 0 && errno != 0) ||
		    (sandbox->is_nested && !keep_alone(sandbox, &listener)))
			give_up(starter, errno);
	}
	if (!sandbox->is_nested)
		sandbox->broker.listener = listener;
	close(sandbox->line[0]);
	/* starter is invalid after this */
	sem_post(&sandbox->started);
	/* without waiting: the outer broker may wait for an answer, and others for that broker */
	if (sandbox->is_nested)
		answer_questions(sandbox, listener);
	while (sem_wait(&sandbox->serving) < 0 && errno == EINTR)
		;
	if (sandbox->broker.listener >= 0)
		broker_serve(&sandbox->broker);
	return NULL;
}

static pid_t
start_routed(struct starter *starter)
{
	int why;

	/* before this thread enters the layer, which the new thread would inherit */
	if (starter->sandbox->broker.egress.line >= 0 && !starter->sandbox->is_nested)
		loopback_connect_start(&starter->sandbox->broker);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, starter->sandbox->line) < 0)
		return -1;
	why = thread_start(STACK_SIZE, start_and_serve, starter);
	if (why == 0) {
		while (sem_wait(&starter->sandbox->started) < 0 && errno == EINTR)
			;
		why = starter->why;
	}
	errno = why;
	return starter->pid;
}

pid_t
enforce_start(struct sandbox *sandbox, const struct session_group *group,
	      const struct enforce_main *main)
{
	struct starter starter = {.sandbox = sandbox, .group = group, .main = main, .pid = -1};

	if (!sandbox->is_routed && !sandbox->is_nested)
		return start(group, main);
	return pty_grant(sandbox, main) < 0 ? -1 : start_routed(&starter);
}

struct enforce_needs
enforce_fds(const struct sandbox *sandbox)
{
	const int *spare = sandbox->broker.terminals.spare;

	return (struct enforce_needs){sandbox->broker.listener,
				      sandbox->broker.egress.line,
				      sandbox->broker.events,
				      -1,
				      {spare[0], spare[1]},
				      sandbox->shared_line,
				      sandbox->broker.trace == NULL ? -1 : sandbox->ruleset,
				      sandbox->log.fd};
}

void
enforce_serve(struct sandbox *sandbox, const struct enforce_needs *needs)
{
	sandbox->broker.listener = needs->listener;
	sandbox->broker.egress.line = needs->line;
	sandbox->broker.events = needs->events;
	sandbox->broker.names.trees = &sandbox->broker.trees;
	sandbox->broker.names.private_tmp = sandbox->broker.private_tmp;
	names_lock_join(&sandbox->broker.names, needs->names);
	sandbox->log.fd = needs->log;
	memcpy(sandbox->broker.terminals.spare, needs->terminals, sizeof needs->terminals);
	if (sandbox->broker.trace != NULL)
		sandbox->broker.trace->layer = needs->layer;
	sem_post(&sandbox->serving);
}

bool
enforce_signal(struct sandbox *sandbox, int signal)
{
	return sandbox->is_routed && kill_all_send(&sandbox->broker.kill_all, signal);
}

void
enforce_service(struct sandbox *sandbox)
{
	if (sandbox->is_routed)
		opener_attend(&sandbox->broker.opener);
}
