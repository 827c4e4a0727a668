// SPDX-License-Identifier: MIT
/*
 * The operations that doctor tries, one per function. "shut" files are not granted in the test sandbox,
 * "open" ones are, and "own" ones were created by the confined process.
 */
#include "base/os.h"

#include "linux/selftest/cases.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

static int
result(long rc)
{
	return rc < 0 ? errno : 0;
}

/* ---- files ---- */

static int
read_byte(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char byte;

	return fd < 0 ? errno : result(read(fd, &byte, 1));
}

int
case_read_denied(const struct fixture *fixture)
{
	return read_byte(fixture->shut_file);
}

int
case_read_granted(const struct fixture *fixture)
{
	return read_byte(fixture->open_file);
}

static int
make_and_remove(const char *path)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, "x", 1) < 0)
		return errno;
	return result(unlink(path));
}

int
case_write_denied(const struct fixture *fixture)
{
	return make_and_remove(fixture->shut_new);
}

int
case_write_granted(const struct fixture *fixture)
{
	return make_and_remove(fixture->open_new);
}

/* ---- brokered files ---- */

int
case_read_hidden(const struct fixture *fixture)
{
	return read_byte(fixture->kept_hidden);
}

int
case_read_kept(const struct fixture *fixture)
{
	return read_byte(fixture->kept_file);
}

int
case_make_later(const struct fixture *fixture)
{
	return make_and_remove(fixture->kept_later);
}

int
case_make_kept(const struct fixture *fixture)
{
	return make_and_remove(fixture->kept_new);
}

/* Sets the present mode: nothing changes. */
int
case_chmod_denied(const struct fixture *fixture)
{
	return result(chmod(fixture->shut_file, 0600));
}

int
case_chmod_kept(const struct fixture *fixture)
{
	return result(chmod(fixture->kept_file, 0600));
}

/* ---- programs ---- */

/* The program's exit status is an errno. */
static int
execute(const struct fixture *fixture, const char *path, const char *argument, char *variable)
{
	const char *const argv[] = {path, argument, fixture->terminal_number, NULL};
	char *const envp[] = {variable, NULL};
	pid_t child = fork();
	int status = 0;

	if (child < 0)
		return errno;
	if (child == 0) {
		if (!fixture->confined || fd_cloexec_from(3) == 0)
			execve(path, (char *const *)argv, envp);
		_exit(errno);
	}
	if (waitpid(child, &status, 0) < 0)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int
case_execute_denied(const struct fixture *fixture)
{
	return execute(fixture, fixture->shut_program, "true", NULL);
}

int
case_execute_granted(const struct fixture *fixture)
{
	return execute(fixture, fixture->open_program, "true", NULL);
}

/* ---- inherited fds ---- */

int
case_use_leaked(const struct fixture *fixture)
{
	if (!fixture->confined && fcntl(fixture->terminal, F_SETFD, 0) < 0)
		return errno;
	return execute(fixture, fixture->open_program, "terminal", NULL);
}

int
case_see_variable(const struct fixture *fixture)
{
	char variable[] = "CORDON_PROOF=1";

	return execute(fixture, fixture->open_program, "env", fixture->confined ? NULL : variable);
}

/* ---- sockets ---- */

static int
connect_to(int family, int type, const void *address, socklen_t size)
{
	auto_fd int fd = socket(family, type | SOCK_CLOEXEC, 0);

	return fd < 0 ? errno : result(connect(fd, address, size));
}

int
case_connect_tcp(const struct fixture *fixture)
{
	return connect_to(AF_INET, SOCK_STREAM, &fixture->internet, sizeof fixture->internet);
}

int
case_send_udp(const struct fixture *fixture)
{
	auto_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? errno
		      : result(sendto(fd, "x", 1, 0, (const struct sockaddr *)&fixture->internet,
				      sizeof fixture->internet));
}

int
case_connect_denied(const struct fixture *fixture)
{
	return connect_to(AF_UNIX, SOCK_STREAM, &fixture->shut_socket, sizeof fixture->shut_socket);
}

int
case_connect_granted(const struct fixture *fixture)
{
	return connect_to(AF_UNIX, SOCK_STREAM, &fixture->open_socket, sizeof fixture->open_socket);
}

int
case_connect_abstract(const struct fixture *fixture)
{
	return connect_to(AF_UNIX, SOCK_STREAM, &fixture->abstract, fixture->abstract_size);
}

/* An autobound address. */
int
case_connect_created(const struct fixture *fixture)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size = sizeof address.sun_family;

	(void)fixture;
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 1) < 0)
		return errno;
	size = sizeof address;
	if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		return errno;
	return connect_to(AF_UNIX, SOCK_STREAM, &address, size);
}

int
case_talk_to_self(const struct fixture *fixture)
{
	int pair[2], why;

	(void)fixture;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return errno;
	why = result(write(pair[0], "x", 1));
	close(pair[0]);
	close(pair[1]);
	return why;
}

/* ---- processes ---- */

/* Starts a process that sleeps for a limited time. */
static pid_t
start_idler(void)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	alarm(FIXTURE_SECONDS);
	for (;;)
		pause();
}

int
case_signal_bystander(const struct fixture *fixture)
{
	return result(kill(fixture->bystander, 0));
}

int
case_signal_created(const struct fixture *fixture)
{
	pid_t child = start_idler();
	int why;

	(void)fixture;
	if (child < 0)
		return errno;
	why = result(kill(child, SIGKILL));
	return why != 0 ? why : result(waitpid(child, NULL, 0));
}

static int
trace(pid_t pid)
{
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) < 0 || waitpid(pid, NULL, __WALL) < 0)
		return errno;
	return result(ptrace(PTRACE_DETACH, pid, NULL, NULL));
}

int
case_trace_bystander(const struct fixture *fixture)
{
	return trace(fixture->bystander);
}

int
case_trace_created(const struct fixture *fixture)
{
	pid_t child = start_idler();
	int why;

	(void)fixture;
	if (child < 0)
		return errno;
	why = trace(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return why;
}

/* Sets the present value: nothing changes. */
static int
set_priority(id_t pid)
{
	int priority;

	errno = 0;
	priority = getpriority(PRIO_PROCESS, pid);
	return errno != 0 ? errno : result(setpriority(PRIO_PROCESS, pid, priority));
}

int
case_control_bystander(const struct fixture *fixture)
{
	return set_priority((id_t)fixture->bystander);
}

int
case_control_created(const struct fixture *fixture)
{
	(void)fixture;
	return set_priority(0);
}

int
case_list_processes(const struct fixture *fixture)
{
	auto_fd int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)fixture;
	return fd < 0 ? errno : 0;
}

/* ---- the kernel ---- */

int
case_find_memory(const struct fixture *fixture)
{
	return result(shmget(fixture->key, 0, 0));
}

int
case_make_memory(const struct fixture *fixture)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)fixture;
	return memory == MAP_FAILED ? errno : result(munmap(memory, 4096));
}

int
case_type_into_terminal(const struct fixture *fixture)
{
	char letter = 'x';

	/* TIOCSTI works only on the controlling terminal */
	if (!fixture->confined && (setsid() < 0 || ioctl(fixture->terminal, TIOCSCTTY, 0) < 0))
		return errno;
	return result(ioctl(fixture->terminal, TIOCSTI, &letter));
}

int
case_ask_terminal(const struct fixture *fixture)
{
	struct winsize size;

	return result(ioctl(fixture->terminal, TIOCGWINSZ, &size));
}

/* POSIX message queues are outside every file system: only the filter denies them. */
int
case_make_queue(const struct fixture *fixture)
{
	char name[32];
	auto_fd int queue = -1;

	(void)fixture;
	snprintf(name, sizeof name, "cordon-%d", (int)getpid());
	queue = (int)syscall(SYS_mq_open, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600, NULL);
	if (queue < 0)
		return errno;
	return result(syscall(SYS_mq_unlink, name));
}
