// SPDX-License-Identifier: MIT
/*
 * The processes of a broker and nothing else: a child that sends the listener of its filter and then execs
 * the command, and a thread that waits for notifications.
 */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEW_LISTENER (1ul << 3)
#define WAIT_KILLABLE (1ul << 5)
#define IOCTL_SET_FLAGS _IOW('!', 4, uint64_t)
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define PATH_BENEATH 1

struct server {
	int listener;
	listen_fn *answer;
	void *context;
};

/* ---- sending the listener ---- */

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr header;
};

int
listen_send(int line, int fd)
{
	union control control = {{0}};
	char byte = 0;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof control.bytes};

	control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd),
					  .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
	return sendmsg(line, &message, 0) == 1 ? 0 : -1;
}

int
listen_receive(int line)
{
	union control control;
	char byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof control.bytes};
	int fd = -1;

	if (recvmsg(line, &message, MSG_CMSG_CLOEXEC) == 1 && message.msg_controllen > 0)
		memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
	return fd;
}

/* ---- answering ---- */

/* The thread outlives its starter, so its context is its own. */
static void *
serve(void *argument)
{
	const struct server server = *(struct server *)argument;

	free(argument);
	for (;;) {
		struct seccomp_notif call = {0};
		struct seccomp_notif_resp answer = {0};
		int64_t said;

		if (ioctl(server.listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			return NULL;
		}
		said = server.answer(server.context, server.listener, &call);
		if (said == LISTEN_DONE)
			continue;
		answer.id = call.id;
		if (said == LISTEN_GO_ON)
			answer.flags = LISTEN_CONTINUE;
		else if (said < 0)
			answer.error = (int)said;
		else
			answer.val = said;
		ioctl(server.listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

static int
start_serving(int listener, listen_fn *answer, void *context)
{
	struct server *server = malloc(sizeof *server);
	pthread_t thread;

	if (server == NULL)
		return -1;
	*server = (struct server){listener, answer, context};
	if (pthread_create(&thread, NULL, serve, server) == 0)
		return 0;
	free(server);
	return -1;
}

/* ---- starting ---- */

/* A layer that grants all handled rights on "/": measures the cost of a layer. */
static int
enter_layer(void)
{
	const uint64_t handled = 0x7fff;
	struct {
		uint64_t access;
		int32_t fd;
	} __attribute__((packed)) rule = {handled, open("/", O_PATH | O_CLOEXEC)};
	int ruleset = (int)syscall(CREATE_RULESET, &handled, sizeof handled, 0);

	if (rule.fd < 0 || ruleset < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) < 0 ||
	    syscall(RESTRICT_SELF, ruleset, 0) < 0)
		return -1;
	close(rule.fd);
	return close(ruleset);
}

static _Noreturn void
become(const struct sock_fprog *filter, int line, int layer, char **argv)
{
	int listener = -1;

	/* like a guard, which has its own session; the command then gets another */
	if (layer && setsid() < 0)
		_exit(125);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && (!layer || enter_layer() == 0))
		listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					NEW_LISTENER | WAIT_KILLABLE, filter);
	if (listener < 0 || listen_send(line, listener) < 0)
		_exit(125);
	close(listener);
	close(line);
	execvp(argv[0], argv);
	_exit(127);
}

int
listen_run(const struct sock_fprog *filter, char **argv, int layer, listen_fn *answer,
	   void *context)
{
	int line[2], listener, status = 0;
	pid_t child;

	if ((layer && enter_layer() < 0) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0)
		return 125;
	child = fork();
	if (child == 0)
		become(filter, line[1], layer, argv);
	close(line[1]);
	listener = child < 0 ? -1 : listen_receive(line[0]);
	if (listener < 0)
		return 125;
	/* since 6.6: caller and this thread share a CPU */
	ioctl(listener, IOCTL_SET_FLAGS, 1ul);
	if (start_serving(listener, answer, context) < 0)
		return 125;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
