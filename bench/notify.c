// SPDX-License-Identifier: MIT
/*
 * The least that answering calls costs on this kernel: every open of a command is routed to this
 * program, which lets it go on, or does it itself and hands the descriptor over as a broker has to.
 * It judges nothing, so it is for measuring only.
 *
 *   notify go|hand COMMAND [ARG...]
 *
 * The command must not change its folder; what it opens from another folder goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEW_LISTENER (1ul << 3)
#define WAIT_KILLABLE (1ul << 5)
#define CONTINUE 1u
#define AND_SEND 2u
#define IOCTL_ADD_FD _IOW('!', 3, struct add_fd)
#define IOCTL_SET_FLAGS _IOW('!', 4, uint64_t)

struct add_fd {
	uint64_t id;
	uint32_t flags, source, target, target_flags;
};

struct server {
	int listener;
	int hands;
};

/* ---- the line on which the listener comes ---- */

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr header;
};

static int
send_fd(int line, int fd)
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

static int
receive_fd(int line)
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

/* The new number, or a negative errno; in one step, already answered, -EALREADY. */
static int64_t
hand_over(const struct server *server, const struct seccomp_notif *call)
{
	char path[4096];
	uint64_t address = call->data.args[1];
	struct iovec here = {path, 4096 - (address & 4095)};
	struct iovec there = {(void *)(uintptr_t)address, here.iov_len};
	struct add_fd add = {.id = call->id};
	int flags = (int)call->data.args[2], fd, number, why;

	if (process_vm_readv((pid_t)call->pid, &here, 1, &there, 1, 0) <= 0)
		return -EFAULT;
	fd = openat(AT_FDCWD, path, flags | O_CLOEXEC, (mode_t)call->data.args[3]);
	if (fd < 0)
		return -errno;
	add.source = (uint32_t)fd;
	add.flags = (flags & O_ACCMODE) == O_RDONLY ? AND_SEND : 0;
	number = ioctl(server->listener, IOCTL_ADD_FD, &add);
	why = errno;
	close(fd);
	if (number < 0)
		return -why;
	return add.flags ? -EALREADY : number;
}

static void *
serve(void *argument)
{
	const struct server *server = argument;

	for (;;) {
		struct seccomp_notif call = {0};
		struct seccomp_notif_resp answer = {.flags = CONTINUE};
		int64_t rc;
		int hands;

		if (ioctl(server->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0) {
			if (errno == EINTR)
				continue;
			return NULL;
		}
		answer.id = call.id;
		hands = server->hands && (int)call.data.args[0] == AT_FDCWD;
		rc = hands ? hand_over(server, &call) : 0;
		if (rc == -EALREADY)
			continue;
		if (hands) {
			answer.flags = 0;
			answer.val = rc < 0 ? 0 : rc;
			answer.error = rc < 0 ? (int)rc : 0;
		}
		ioctl(server->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

static _Noreturn void
become(int line, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof code[0], code};
	int listener = -1;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					NEW_LISTENER | WAIT_KILLABLE, &program);
	if (listener < 0 || send_fd(line, listener) < 0)
		_exit(125);
	close(listener);
	close(line);
	execv(argv[0], argv);
	_exit(127);
}

int
main(int argc, char **argv)
{
	struct server server = {.hands = argc > 1 && strcmp(argv[1], "hand") == 0};
	int line[2], status = 0;
	pthread_t thread;
	pid_t child;

	if (argc < 3 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0)
		return 125;
	child = fork();
	if (child == 0)
		become(line[1], argv + 2);
	close(line[1]);
	server.listener = child < 0 ? -1 : receive_fd(line[0]);
	if (server.listener < 0)
		return 125;
	/* 6.6: callers and this stay on one processor */
	ioctl(server.listener, IOCTL_SET_FLAGS, 1ul);
	umask(022);
	if (pthread_create(&thread, NULL, serve, &server) != 0)
		return 125;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
