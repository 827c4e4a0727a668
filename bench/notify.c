// SPDX-License-Identifier: MIT
/*
 * A lower bound for answering notifications on this kernel. Every open of a command is supervised by this
 * program, which continues it, or opens the file and passes the fd. It decides nothing and resolves every
 * path in its own directory, so it is for measurements only.
 *
 *   notify go|hand COMMAND [ARG...]
 *
 * The command must not change its directory; opens relative to another directory are continued.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "listen.h"

#define AND_SEND 2u

static int64_t
hand_over(void *context, int listener, const struct seccomp_notif *call)
{
	char path[4096];
	uint64_t address = call->data.args[1];
	struct iovec here = {path, 4096 - (address & 4095)};
	struct iovec there = {(void *)(uintptr_t)address, here.iov_len};
	struct listen_fd add = {.id = call->id};
	int flags = (int)call->data.args[2], fd, number, why;

	(void)context;
	if ((int)call->data.args[0] != AT_FDCWD)
		return LISTEN_GO_ON;
	if (process_vm_readv((pid_t)call->pid, &here, 1, &there, 1, 0) <= 0)
		return -EFAULT;
	fd = openat(AT_FDCWD, path, flags | O_CLOEXEC, (mode_t)call->data.args[3]);
	if (fd < 0)
		return -errno;
	add.source = (uint32_t)fd;
	add.flags = (flags & O_ACCMODE) == O_RDONLY ? AND_SEND : 0;
	number = ioctl(listener, LISTEN_ADD_FD, &add);
	why = errno;
	close(fd);
	if (number < 0)
		return -why;
	return add.flags ? LISTEN_DONE : number;
}

static int64_t
go_on(void *context, int listener, const struct seccomp_notif *call)
{
	(void)context, (void)listener, (void)call;
	return LISTEN_GO_ON;
}

int
main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {sizeof code / sizeof code[0], code};
	int hands = argc > 1 && strcmp(argv[1], "hand") == 0;

	if (argc < 3)
		return 125;
	umask(022);
	return listen_run(&filter, argv + 2, 0, hands ? hand_over : go_on, NULL);
}
