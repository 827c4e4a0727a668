// SPDX-License-Identifier: MIT
/* What the selftests of a Mac try. Nothing here changes anything outside the fixture. */
#include "base/os.h"

#include "macos/selftest/attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/array.h"
#include "base/fd.h"
#include "macos/process/libsystem.h"
#include "plan/environ.h"

static int
result(long rc)
{
	return rc < 0 ? errno : 0;
}

/* ---- files ---- */

int
attempt_read(const struct fixture *fixture, const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)fixture;
	return result(fd);
}

int
attempt_make(const struct fixture *fixture, const char *path)
{
	char name[96];
	int fd;

	(void)fixture;
	snprintf(name, sizeof name, "%s-new", path);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	return result(unlink(name));
}

int
attempt_mode(const struct fixture *fixture, const char *path)
{
	(void)fixture;
	return result(chmod(path, 0700));
}

/* ---- programs ---- */

/* The program's exit status is an errno. */
static int
run(const char *path, char *const argv[], char *const envp[])
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execve(path, argv, envp);
		_exit(errno);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

int
attempt_execute(const struct fixture *fixture, const char *path)
{
	char *const argv[] = {(char *)path, NULL}, *const envp[] = {NULL};

	(void)fixture;
	return run(path, argv, envp);
}

/* Starts a program that fails with status 1, which is EPERM, if its environment has no such variable. */
static int
see(const struct fixture *fixture, const char *name)
{
	struct word word = {.text = "CORDON_DOCTOR_NAMED"};
	const struct settings settings = {.env = {.mode = ENV_EXPLICIT, .allow = {&word, 1}}};
	char named[] = "CORDON_DOCTOR_NAMED=1", unnamed[] = "CORDON_DOCTOR_UNNAMED=1";
	char *const all[] = {named, unnamed}, *envp[COUNT(all) + 1] = {NULL};
	char text[] = "eval \"test -n \\\"\\${$0-}\\\"\"", shell[] = "sh", option[] = "-c";
	char *const argv[] = {shell, option, text, (char *)name, NULL};
	char unused[ENV_NAME_SIZE];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(all); i++)
		if (!fixture->confined || environ_decide_pair(&settings, all[i], unused).passes)
			envp[count++] = all[i];
	return run("/bin/sh", argv, envp);
}

int
attempt_see_unnamed(const struct fixture *fixture, const char *path)
{
	(void)path;
	return see(fixture, "CORDON_DOCTOR_UNNAMED");
}

int
attempt_see_named(const struct fixture *fixture, const char *path)
{
	(void)path;
	return see(fixture, "CORDON_DOCTOR_NAMED");
}

/* ---- sockets ---- */

static int
reach(int type, uint16_t port)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	auto_fd int fd = socket(AF_INET, type, 0);

	if (fd < 0)
		return errno;
	return result(type == SOCK_STREAM
			      ? connect(fd, (const struct sockaddr *)&to, sizeof to)
			      : sendto(fd, "", 1, 0, (const struct sockaddr *)&to, sizeof to));
}

int
attempt_tcp(const struct fixture *fixture, const char *path)
{
	(void)path;
	return reach(SOCK_STREAM, fixture->port);
}

int
attempt_udp(const struct fixture *fixture, const char *path)
{
	(void)path;
	return reach(SOCK_DGRAM, fixture->receiver_port);
}

int
attempt_socket(const struct fixture *fixture, const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char name[FIXTURE_SOCKET_SIZE];

	(void)fixture;
	fixture_socket_path(path, name);
	snprintf(to.sun_path, sizeof to.sun_path, "%s", name);
	return fd < 0 ? errno : result(connect(fd, (const struct sockaddr *)&to, sizeof to));
}

/* ---- processes ---- */

int
attempt_signal_parent(const struct fixture *fixture, const char *path)
{
	(void)fixture, (void)path;
	return result(kill(getppid(), 0));
}

int
attempt_signal_self(const struct fixture *fixture, const char *path)
{
	(void)fixture, (void)path;
	return result(kill(getpid(), 0));
}

static int
trace(pid_t pid)
{
	if (ptrace(LIBSYSTEM_ATTACH, pid, NULL, 0) < 0 || waitpid(pid, NULL, 0) < 0)
		return errno;
	return result(ptrace(LIBSYSTEM_DETACH, pid, NULL, 0));
}

int
attempt_trace_bystander(const struct fixture *fixture, const char *path)
{
	(void)path;
	return trace(fixture->bystander);
}

int
attempt_trace_child(const struct fixture *fixture, const char *path)
{
	pid_t child = fork();
	int why;

	(void)fixture, (void)path;
	if (child == 0) {
		alarm(FIXTURE_SECONDS);
		for (;;)
			pause();
	}
	if (child < 0)
		return errno;
	why = trace(child);
	/* where that is refused it ends by its alarm */
	if (kill(child, SIGKILL) == 0)
		waitpid(child, NULL, 0);
	return why;
}

/* libproc returns 0 for a refusal, too. */
static int
answered(int bytes)
{
	return bytes > 0 ? 0 : errno != 0 ? errno : ESRCH;
}

static int
read_process(pid_t pid)
{
	struct proc_taskinfo info;

	errno = 0;
	return answered(proc_pidinfo(pid, PROC_PIDTASKINFO, 0, &info, sizeof info));
}

int
attempt_read_bystander(const struct fixture *fixture, const char *path)
{
	(void)path;
	return read_process(fixture->bystander);
}

int
attempt_read_self(const struct fixture *fixture, const char *path)
{
	(void)fixture, (void)path;
	return read_process(getpid());
}

int
attempt_list(const struct fixture *fixture, const char *path)
{
	pid_t pids[16];

	(void)fixture, (void)path;
	errno = 0;
	return answered(proc_listpids(PROC_UID_ONLY, geteuid(), pids, sizeof pids));
}

/* ---- sysctl ---- */

/* The size of the answer is refused as the answer is. */
static int
ask(int second, int third)
{
	int name[] = {CTL_KERN, second, third};
	size_t length = 0;

	return result(sysctl(name, second == KERN_OSTYPE ? 2 : 3, NULL, &length, NULL, 0));
}

int
attempt_list_table(const struct fixture *fixture, const char *path)
{
	(void)fixture, (void)path;
	return ask(KERN_PROC, KERN_PROC_ALL);
}

int
attempt_arguments(const struct fixture *fixture, const char *path)
{
	(void)path;
	return ask(KERN_PROCARGS2, fixture->bystander);
}

int
attempt_system_name(const struct fixture *fixture, const char *path)
{
	(void)fixture, (void)path;
	return ask(KERN_OSTYPE, 0);
}

/* ---- System V, terminals ---- */

int
attempt_find_memory(const struct fixture *fixture, const char *path)
{
	(void)path;
	return result(shmget(fixture->key, 1, 0));
}

int
attempt_find_semaphore(const struct fixture *fixture, const char *path)
{
	(void)path;
	return result(semget(fixture->key, 1, 0));
}

int
attempt_find_queue(const struct fixture *fixture, const char *path)
{
	(void)path;
	return result(msgget(fixture->key, 0));
}

int
attempt_make_memory(const struct fixture *fixture, const char *path)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);

	(void)fixture, (void)path;
	return memory == MAP_FAILED ? errno : result(munmap(memory, 4096));
}

/* Only into the controlling terminal anything can be typed. */
int
attempt_type(const struct fixture *fixture, const char *path)
{
	char letter = 'x';

	(void)path;
	if (!fixture->confined && (setsid() < 0 || ioctl(fixture->terminal, TIOCSCTTY, 0) < 0))
		return errno;
	return result(ioctl(fixture->terminal, TIOCSTI, &letter));
}

int
attempt_ask_terminal(const struct fixture *fixture, const char *path)
{
	struct winsize size;

	(void)path;
	return result(ioctl(fixture->terminal, TIOCGWINSZ, &size));
}
