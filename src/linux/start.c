// SPDX-License-Identifier: MIT
/*
 * Starts the process that enters the sandbox. With a broker, it is started by a thread that has entered the
 * outer layer and then becomes the broker: under Landlock a thread may read only processes that are in all
 * of its layers. That thread has dropped its privileges like the command, so that it can do nothing on
 * behalf that the command could not.
 */
#include <errno.h>
#include <pthread.h>
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
	struct sandbox *box;
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
 * A failure here loses nothing: the command is not started yet. Broker threads have their own umask and
 * working directory (CLONE_FS), which are set for single calls.
 */
static bool
enter_outer(struct sandbox *box)
{
	struct cordon_error err = {0};
	int rc;

	if (unshare(CLONE_FS) < 0)
		return false;
	box->broker.umask = umask(0);
	umask(box->broker.umask);
	rc = privileges_drop(&err);
	kill_all_begin(&box->broker.kill_all);
	if (rc == 0 && ruleset_enter_unlogged(box->outer, box->abi, &err) == 0)
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

/* A fd table of its own with only the socket, so that no pipe stays open here. -1 stays -1. */
static bool
keep_alone(int *line)
{
	if (unshare(CLONE_FILES) < 0)
		return false;
	if (*line >= 0 && *line != 0 && dup2(*line, 0) < 0)
		return false;
	*line = *line < 0 ? -1 : 0;
	fd_close_from(*line + 1);
	return true;
}

/* The thread stays until the command ends. */
static _Noreturn void
answer_questions(struct sandbox *box, int line)
{
	if (line >= 0) {
		nest_serve(&box->broker, line);
		close(line);
	}
	for (;;)
		pause();
}

static void *
start_and_serve(void *argument)
{
	struct starter *starter = argument;
	struct sandbox *box = starter->box;
	int listener = -1;

	starter->pid = -1;
	box->broker.group = getpgrp();
	if (box->is_nested || enter_outer(box))
		starter->pid = start(starter->group, starter->main);
	starter->why = errno;
	close(box->line[1]);
	if (starter->pid > 0) {
		untrace_ready(box);
		listener = receive_listener(box->line[0]);
		if ((listener < 0 && errno != 0) || (box->is_nested && !keep_alone(&listener)))
			give_up(starter, errno);
	}
	if (!box->is_nested)
		box->broker.listener = listener;
	close(box->line[0]);
	/* starter is invalid after this */
	sem_post(&box->started);
	/* without waiting: the outer broker may wait for an answer, and others for that broker */
	if (box->is_nested)
		answer_questions(box, listener);
	while (sem_wait(&box->serving) < 0 && errno == EINTR)
		;
	if (box->broker.listener >= 0)
		broker_serve(&box->broker);
	return NULL;
}

static pid_t
start_routed(struct starter *starter)
{
	int why;

	/* before this thread enters the layer, which the new thread would inherit */
	if (starter->box->broker.egress.line >= 0 && !starter->box->is_nested)
		loopback_connect_start(&starter->box->broker);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, starter->box->line) < 0)
		return -1;
	why = thread_start(STACK_SIZE, start_and_serve, starter);
	if (why == 0) {
		while (sem_wait(&starter->box->started) < 0 && errno == EINTR)
			;
		why = starter->why;
	}
	errno = why;
	return starter->pid;
}

pid_t
enforce_start(struct sandbox *box, const struct session_group *group,
	      const struct enforce_main *main)
{
	struct starter starter = {.box = box, .group = group, .main = main, .pid = -1};

	if (!box->is_routed && !box->is_nested)
		return start(group, main);
	return pty_grant(box, main) < 0 ? -1 : start_routed(&starter);
}

struct enforce_needs
enforce_fds(const struct sandbox *box)
{
	const int *spare = box->broker.terminals.spare;

	return (struct enforce_needs){box->broker.listener,
				      box->broker.egress.line,
				      box->broker.events,
				      -1,
				      {spare[0], spare[1]}};
}

void
enforce_serve(struct sandbox *box, const struct enforce_needs *needs)
{
	box->broker.listener = needs->listener;
	box->broker.egress.line = needs->line;
	box->broker.events = needs->events;
	box->broker.names.others = needs->names;
	memcpy(box->broker.terminals.spare, needs->terminals, sizeof needs->terminals);
	sem_post(&box->serving);
}

bool
enforce_signal(struct sandbox *box, int signal)
{
	return box->is_routed && kill_all_send(&box->broker.kill_all, signal);
}

void
enforce_service(struct sandbox *box)
{
	if (box->is_routed)
		opener_attend(&box->broker.opener);
}
