// SPDX-License-Identifier: MIT
/*
 * A lower bound for a correct broker. It reads the caller's path, directory and umask, opens the parent
 * directory and asks for its canonical path, creates or opens the file, checks that the notification is
 * still valid, and passes the fd on without keeping it longer than the caller does. It does all that
 * cordon's broker does except deciding: every access is allowed, so it is for measurements only.
 *
 *   exact change|read COMMAND [ARG...]      change: supervise changes; read: every open
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "listen.h"

#define NO_MAGIC_LINKS 2
#define NO_SYMLINKS 4
#define WORDS 16

/* Cached fds of the last caller and of this process. */
struct exact {
	pid_t thread;
	int folder, status, table;
	int own, own_fds;
	unsigned long here[WORDS];
};

/* ---- the caller ---- */

static void
keep(struct exact *x, pid_t thread)
{
	char name[64];

	if (x->thread == thread)
		return;
	close(x->folder);
	close(x->status);
	close(x->table);
	x->thread = thread;
	snprintf(name, sizeof name, "/proc/%d", (int)thread);
	x->folder = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	x->status = openat(x->folder, "status", O_RDONLY | O_CLOEXEC);
	x->table = (int)syscall(SYS_pidfd_open, thread, O_EXCL);
}

/* Page by page: the page behind the end of the string may be unmapped. */
static int
read_path(pid_t thread, uint64_t address, char path[PATH_MAX])
{
	size_t have = 0;

	do {
		size_t part = 4096 - (size_t)((address + have) & 4095);
		struct iovec here = {path + have, have + part > PATH_MAX ? PATH_MAX - have : part};
		struct iovec there = {(void *)(uintptr_t)(address + have), here.iov_len};

		if (process_vm_readv(thread, &here, 1, &there, 1, 0) <= 0)
			return -1;
		if (memchr(path + have, '\0', here.iov_len) != NULL)
			return 0;
		have += here.iov_len;
	} while (have < PATH_MAX);
	return -1;
}

static int
take_base(const struct exact *x, int number)
{
	if (number == AT_FDCWD)
		return openat(x->folder, "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return (int)syscall(SYS_pidfd_getfd, x->table, number, 0);
}

static mode_t
read_umask(const struct exact *x)
{
	char text[512];
	ssize_t n = pread(x->status, text, sizeof text - 1, 0);
	const char *line;

	text[n < 0 ? 0 : n] = '\0';
	line = strstr(text, "\nUmask:");
	return line == NULL ? 077 : (mode_t)strtoul(line + 7, NULL, 8);
}

static int
is_waiting(int listener, uint64_t id)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* ---- passing the fd ---- */

static void
set_cpus(pid_t thread, const unsigned long places[WORDS])
{
	syscall(SYS_sched_setaffinity, thread, WORDS * sizeof *places, places);
}

/* Pins this thread to the CPU where the caller woke it, because ADDFD wakes it there again. */
static void
stay(struct exact *x)
{
	unsigned cpu;

	memset(x->here, 0, sizeof x->here);
	if (syscall(SYS_getcpu, &cpu, NULL, NULL) < 0)
		return;
	x->here[cpu / 64 % WORDS] = 1ul << cpu % 64;
	set_cpus(0, x->here);
}

/* In two steps and on this CPU, for the reasons given in cordon's notif.c and affinity.c. */
static int64_t
give(const struct exact *x, int listener, const struct seccomp_notif *call, int fd)
{
	struct listen_fd add = {.id = call->id, .source = (uint32_t)fd};
	unsigned long everywhere[WORDS];
	int number, why;

	memset(everywhere, 0xff, sizeof everywhere);
	set_cpus((pid_t)call->pid, x->here);
	number = ioctl(listener, LISTEN_ADD_FD, &add);
	why = errno;
	set_cpus((pid_t)call->pid, everywhere);
	close(fd);
	return number < 0 ? -why : number;
}

/* ---- system calls ---- */

/* Opens the parent directory of path and gets its canonical path; *path becomes the last component. */
static int
hold_folder(int base, char **path, char name[PATH_MAX])
{
	const uint64_t how[3] = {O_PATH | O_DIRECTORY | O_CLOEXEC, 0, NO_MAGIC_LINKS};
	size_t end = strlen(*path);
	const char *head;
	char *slash;
	int folder;

	while (end > 1 && (*path)[end - 1] == '/')
		(*path)[--end] = '\0';
	slash = strrchr(*path, '/');
	head = slash == NULL ? "." : slash == *path ? "/" : *path;
	if (slash != NULL)
		*slash = '\0';
	folder = (int)syscall(SYS_openat2, base, head, how, sizeof how);
	*path = slash == NULL ? *path : slash + 1;
	if (folder >= 0 && (fchdir(folder) < 0 || syscall(SYS_getcwd, name, PATH_MAX) < 0))
		*name = '\0';
	return folder;
}

/* Opens an existing file by O_PATH first, gets its canonical path, then reopens it. */
static int
open_there(const struct exact *x, int base, const char *path, int flags)
{
	const uint64_t how[3] = {O_PATH | O_CLOEXEC, 0, NO_MAGIC_LINKS};
	int object = (int)syscall(SYS_openat2, base, path, how, sizeof how), fd;
	char number[16], name[PATH_MAX];
	struct stat at;

	if (object < 0)
		return -1;
	snprintf(number, sizeof number, "%d", object);
	fd = readlinkat(x->own_fds, number, name, sizeof name) < 0 || fstat(object, &at) < 0
		     ? -1
		     : openat(x->own_fds, number, (flags & ~(O_CREAT | O_EXCL)) | O_CLOEXEC);
	close(object);
	return fd;
}

static int
make(const struct exact *x, int base, const char *path, int flags, uint64_t mode)
{
	char copy[PATH_MAX], *last = strcpy(copy, path), name[PATH_MAX];
	const uint64_t how[3] = {(uint64_t)flags | O_EXCL | O_CLOEXEC, mode & 07777, NO_SYMLINKS};
	int folder = hold_folder(base, &last, name);
	int fd = folder < 0 ? -1 : (int)syscall(SYS_openat2, folder, last, how, sizeof how);
	int why = errno;

	close(folder);
	errno = why;
	return fd < 0 && why == EEXIST && !(flags & O_EXCL) ? open_there(x, base, path, flags) : fd;
}

static int64_t
answer_open(struct exact *x, int listener, const struct seccomp_notif *call)
{
	int flags = (int)call->data.args[2], base, fd;
	char path[PATH_MAX];

	if (read_path(x->thread, call->data.args[1], path) < 0)
		return -EFAULT;
	base = *path == '/' ? AT_FDCWD : take_base(x, (int)call->data.args[0]);
	if (flags & O_CREAT)
		umask(read_umask(x));
	if (!is_waiting(listener, call->id))
		return -ENOENT;
	fd = flags & O_CREAT ? make(x, base, path, flags, call->data.args[3])
			     : open_there(x, base, path, flags);
	if (fd < 0)
		fd = -errno;
	if (base >= 0)
		close(base);
	return fd < 0 ? fd : give(x, listener, call, fd);
}

static int64_t
answer_mkdir(struct exact *x, int listener, const struct seccomp_notif *call)
{
	char path[PATH_MAX], name[PATH_MAX], *last = path;
	int base, folder, rc = -ENOENT;

	if (read_path(x->thread, call->data.args[0], path) < 0)
		return -EFAULT;
	base = *path == '/' ? AT_FDCWD : take_base(x, AT_FDCWD);
	umask(read_umask(x));
	folder = hold_folder(base, &last, name);
	if (folder >= 0 && is_waiting(listener, call->id))
		rc = mkdirat(folder, last, (mode_t)call->data.args[1]) < 0 ? -errno : 0;
	close(folder);
	if (base >= 0)
		close(base);
	return rc;
}

/* By fd, as tar does; a call by name continues. */
static int64_t
answer_times(struct exact *x, int listener, const struct seccomp_notif *call)
{
	char number[16], name[PATH_MAX];
	struct timespec times[2];
	struct iovec here = {times, sizeof times};
	struct iovec there = {(void *)(uintptr_t)call->data.args[2], sizeof times};
	int fd, rc = -ENOENT;

	if (call->data.args[1] != 0 || call->data.args[2] == 0)
		return LISTEN_GO_ON;
	fd = take_base(x, (int)call->data.args[0]);
	if (fd < 0 || process_vm_readv(x->thread, &here, 1, &there, 1, 0) != sizeof times)
		return -EBADF;
	snprintf(number, sizeof number, "%d", fd);
	if (readlinkat(x->own_fds, number, name, sizeof name) > 0 && is_waiting(listener, call->id))
		rc = futimens(fd, times) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

static int64_t
answer(void *context, int listener, const struct seccomp_notif *call)
{
	struct exact *x = context;
	int64_t said = LISTEN_GO_ON;

	if (x->thread != (pid_t)call->pid)
		stay(x);
	keep(x, (pid_t)call->pid);
	if (call->data.nr == SYS_openat)
		said = answer_open(x, listener, call);
#ifdef SYS_mkdir
	else if (call->data.nr == SYS_mkdir)
		said = answer_mkdir(x, listener, call);
#endif
	else if (call->data.nr == SYS_utimensat)
		said = answer_times(x, listener, call);
	(void)(fchdir(x->own) < 0);
	return said;
}

#define NUMBER offsetof(struct seccomp_data, nr)
#define FLAGS offsetof(struct seccomp_data, args[2])

int
main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
#ifdef SYS_mkdir
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdir, 5, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_utimensat, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FLAGS),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_ACCMODE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	const size_t count = sizeof code / sizeof code[0];
	const struct sock_fprog filter = {(unsigned short)count, code};
	struct exact x = {.folder = -1, .status = -1, .table = -1};

	if (argc < 3)
		return 125;
	/* every open, whatever its flags */
	if (strcmp(argv[1], "read") == 0)
		code[count - 3].jf = 1;
	x.own = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	x.own_fds = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return listen_run(&filter, argv + 2, 1, answer, &x);
}
