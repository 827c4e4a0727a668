// SPDX-License-Identifier: MIT
/*
 * Signals on behalf, where Landlock cannot scope them. The kernel decides nevertheless: this thread may
 * ptrace-access a process only if that is under the broker's outer layer, as every process of the session
 * is. A pidfd is open from before the check until the signal is sent, so a reused pid is never hit. A
 * signal to itself continues in the kernel: while the caller waits here its pid is its own.
 *
 * The receiver sees the broker's pid as sender.
 *
 * A process that may be signalled may also get an affinity, priority and limits, on every kernel.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/call/procfs_view.h"
#include "linux/broker/nest.h"
#include "linux/seccomp/syscalls.h"

#define THREAD_OR_PROCESS 2u /* the last flag of pidfd_send_signal that is not for groups */

struct signal_call {
	const struct notif_call *request;
	int signal;
	siginfo_t *info; /* NULL: filled by the kernel */
	unsigned flags;
};

/* ---- one process ---- */

static bool
has_exited(int process)
{
	struct pollfd ended = {.fd = process, .events = POLLIN};

	return poll(&ended, 1, 0) != 0;
}

/*
 * The kernel checks ptrace access for this link. While the process exists its pid is its own, and after that
 * the pidfd reaches none. One that has exited and was not waited for has no such link; nor is there one, with
 * hidepid, without access.
 */
static bool
may_trace(int process, pid_t number)
{
	char path[40], link[8];

	snprintf(path, sizeof path, "/proc/%d/root", (int)number);
	return readlink(path, link, sizeof link) >= 0 || (errno == ENOENT && has_exited(process));
}

/* pidfd_getfd of a number that no table has: EBADF if access is allowed, EPERM if not. */
static bool
is_ours(const struct notif_call *request, int process, pid_t number)
{
	if (!request->broker->plan->facts.values[FACT_PIDFD_GETFD])
		return may_trace(process, number);
	return syscall(SYS_pidfd_getfd, process, INT_MAX, 0u) < 0 &&
	       (errno == EBADF || errno == ESRCH);
}

/* Returns 0 or an errno. fd is a pidfd of the process or of one of its threads. */
static int
send_by(const struct signal_call *sending, int fd, pid_t process)
{
	if (process == getpid() || !is_ours(sending->request, fd, process) ||
	    !nest_holds(sending->request, fd, process))
		return EPERM;
	return syscall(SYS_pidfd_send_signal, fd, sending->signal, sending->info, sending->flags) <
			       0
		       ? errno
		       : 0;
}

static int
send_to(const struct signal_call *sending, pid_t process)
{
	auto_fd int fd = (int)syscall(SYS_pidfd_open, process, 0u);

	return fd < 0 ? ESRCH : send_by(sending, fd, process);
}

static void
finish(const struct notif_call *request, int why)
{
	if (why != 0)
		notif_fail(request, why);
	else
		notif_return(request, 0);
}

/* Signal 0 only asks whether a process exists. */
static void
finish_signal(const struct signal_call *sending, int why)
{
	if (why == EPERM && sending->signal != 0)
		refuse_request(sending->request, REFUSED_SIGNAL, CAUSE_SIGNAL);
	finish(sending->request, why);
}

/* number may be a tid: then it stands for its process. */
static void
send_or_continue(const struct signal_call *sending, pid_t number)
{
	pid_t process = procfs_process(number);

	if (process == 0)
		notif_fail(sending->request, ESRCH);
	else if (number == sending->request->thread || number == notif_process(sending->request))
		notif_continue(sending->request);
	else if (notif_is_valid(sending->request))
		finish_signal(sending, send_to(sending, process));
}

/* ---- groups ---- */

/* The present members of the process group; group 0: all processes but the caller. */
static int
send_to_each(const struct signal_call *sending, DIR *proc, pid_t group)
{
	pid_t caller = notif_process(sending->request);
	bool any = false, refused = false;
	const struct dirent *entry;

	while ((entry = readdir(proc)) != NULL) {
		pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
		int why;

		if (process <= 1 || (group != 0 ? getpgid(process) != group : process == caller))
			continue;
		why = send_to(sending, process);
		if (why == EINVAL)
			return why;
		any = any || why == 0 || (group == 0 && why == EPERM);
		refused = refused || why == EPERM;
	}
	return any ? 0 : refused ? EPERM : ESRCH;
}

static void
send_to_group(const struct signal_call *sending, pid_t group)
{
	DIR *proc = opendir("/proc");
	int why = proc == NULL ? EPERM : 0;

	if (notif_is_valid(sending->request))
		finish_signal(sending, why != 0 ? why : send_to_each(sending, proc, group));
	if (proc != NULL)
		closedir(proc);
}

/* ---- system calls ---- */

void
sys_kill(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	const struct signal_call sending = {request, (int)a[1], NULL, 0};
	pid_t number = (pid_t)a[0];

	if (number > 0)
		send_or_continue(&sending, number);
	else if (number == 0)
		send_to_group(&sending, getpgid(request->thread));
	else if (number == -1)
		send_to_group(&sending, 0);
	else if (number == INT_MIN)
		notif_fail(request, ESRCH);
	else
		send_to_group(&sending, -number);
}

/* A thread of the caller's own process: its tid cannot become another process's meanwhile. */
static void
signal_own_thread(const struct notif_call *request, pid_t process, pid_t thread, int number)
{
	if (notif_is_valid(request))
		finish(request, syscall(SYS_tgkill, process, thread, number) < 0 ? errno : 0);
}

void
sys_tkill(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	const struct signal_call sending = {request, (int)a[1], NULL, 0};
	pid_t thread = (pid_t)a[0], process = thread > 0 ? procfs_process(thread) : 0;

	if (thread == request->thread)
		notif_continue(request);
	else if (thread > 0 && process != 0 && process == notif_process(request))
		signal_own_thread(request, process, thread, (int)a[1]);
	else if (thread > 0)
		send_or_continue(&sending, thread);
	else
		notif_fail(request, EINVAL);
}

/* To a thread of another process by its process: older kernels have no pidfds of threads. */
static void
send_to_thread(const struct signal_call *sending, pid_t process, pid_t thread)
{
	if (process <= 0 || thread <= 0)
		notif_fail(sending->request, EINVAL);
	else if (process == notif_process(sending->request))
		notif_continue(sending->request);
	else if (procfs_process(thread) != process)
		notif_fail(sending->request, ESRCH);
	else
		send_or_continue(sending, process);
}

void
sys_tgkill(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	const struct signal_call sending = {request, (int)a[2], NULL, 0};

	send_to_thread(&sending, (pid_t)a[0], (pid_t)a[1]);
}

void
sys_rt_sigqueueinfo(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	siginfo_t info;
	const struct signal_call sending = {request, (int)a[1], &info, 0};
	int why = notif_bytes(request, a[2], &info, sizeof info);

	info.si_signo = (int)a[1];
	if (why != 0)
		notif_fail(request, why);
	else
		send_or_continue(&sending, (pid_t)a[0]);
}

void
sys_rt_tgsigqueueinfo(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	siginfo_t info;
	const struct signal_call sending = {request, (int)a[2], &info, 0};
	int why = notif_bytes(request, a[3], &info, sizeof info);

	info.si_signo = (int)a[2];
	if (why != 0)
		notif_fail(request, why);
	else
		send_to_thread(&sending, (pid_t)a[0], (pid_t)a[1]);
}

/* The process of a pidfd; 0: not a pidfd, -1: the process has exited. */
static pid_t
process_of(int fd)
{
	char path[64], text[512];
	const char *line;
	auto_fd int info = -1;
	ssize_t n;
	pid_t number;

	snprintf(path, sizeof path, "/proc/thread-self/fdinfo/%d", fd);
	info = open(path, O_RDONLY | O_CLOEXEC);
	n = info < 0 ? -1 : read(info, text, sizeof text - 1);
	text[n < 0 ? 0 : n] = '\0';
	line = strstr(text, "\nPid:");
	number = line == NULL ? 0 : (pid_t)strtol(line + 5, NULL, 10);
	return number > 0 ? procfs_process(number) : number;
}

/*
 * The caller's pidfd, or a second one of the same process: the pid is read before and after, and while the
 * process exists no other one has it.
 */
static int
take_pidfd(const struct notif_call *request, int number, int *ret_errno)
{
	int fd = notif_descriptor(request, number, ret_errno);
	pid_t process;

	if (fd < 0 || request->broker->plan->facts.values[FACT_PIDFD_GETFD])
		return fd;
	close(fd);
	process = notif_pidfd_process(request, number);
	fd = process <= 0 ? -1 : (int)syscall(SYS_pidfd_open, process, 0u);
	if (fd >= 0 && notif_pidfd_process(request, number) == process)
		return fd;
	if (fd >= 0)
		close(fd);
	*ret_errno = process == 0 ? EBADF : ESRCH;
	return -1;
}

void
sys_pidfd_send_signal(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	siginfo_t info;
	const struct signal_call sending = {request, (int)a[1], a[2] == 0 ? NULL : &info,
					    (unsigned)a[3]};
	int why = a[2] == 0 ? 0 : notif_bytes(request, a[2], &info, sizeof info);
	auto_fd int fd = why != 0 ? -1 : take_pidfd(request, (int)a[0], &why);
	pid_t process = fd < 0 ? 0 : process_of(fd);

	if (why == 0 && (sending.flags > THREAD_OR_PROCESS || process <= 0))
		why = sending.flags > THREAD_OR_PROCESS ? EINVAL : process < 0 ? ESRCH : EBADF;
	if (why != 0)
		notif_fail(request, why);
	else if (notif_is_valid(request))
		finish_signal(&sending, send_by(&sending, fd, process));
}

/* ---- owners of fds (SIGIO) ---- */

/* No owner, or the caller: any other pid could be reused later. */
static bool
is_own(const struct notif_call *request, pid_t number)
{
	return number == 0 || number == request->thread || number == notif_process(request);
}

static void
set_owner(const struct notif_call *request, int number, uint64_t address)
{
	struct f_owner_ex owner = {0};
	int why = notif_bytes(request, address, &owner, sizeof owner);
	auto_fd int fd = why != 0 ? -1 : notif_descriptor(request, number, &why);

	/* not by an O_PATH fd */
	if (why == 0 && (owner.type == F_OWNER_PGRP || !is_own(request, owner.pid) ||
			 !request->broker->plan->facts.values[FACT_PIDFD_GETFD]))
		why = EPERM;
	if (why == 0 && !notif_is_valid(request))
		return;
	if (why == 0 && fcntl(fd, F_SETOWN_EX, &owner) < 0)
		why = errno;
	finish(request, why);
}

void
sys_fcntl(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	if ((int)a[1] == F_SETOWN_EX)
		set_owner(request, (int)a[0], a[2]);
	else if ((int)a[1] == F_SETOWN && is_own(request, (pid_t)a[2]))
		notif_continue(request);
	else
		notif_fail(request, EPERM);
}

/* ---- priority, affinity and limits of a process or thread by pid ---- */

bool
broker_may_signal(const struct notif_call *request, pid_t process)
{
	auto_fd int fd = (int)syscall(SYS_pidfd_open, process, 0u);

	return fd >= 0 && process != getpid() && is_ours(request, fd, process) &&
	       nest_holds(request, fd, process);
}

/* Continues in the kernel: the pid is in a register, so it cannot change after the check. */
static void
answer_for(const struct notif_call *request, pid_t thread)
{
	pid_t process = thread > 0 ? procfs_process(thread) : 0;

	/* not a pid: each call has its own errno for that */
	if (thread <= 0)
		notif_continue(request);
	else if (process == 0)
		notif_fail(request, ESRCH);
	else if (process == notif_process(request) || broker_may_signal(request, process))
		notif_continue(request);
	else
		notif_fail(request, EPERM);
}

/* sched_setaffinity, sched_setattr, sched_setparam, sched_setscheduler, prlimit64 */
void
sys_own_process_first(const struct notif_call *request)
{
	answer_for(request, (pid_t)request->notif.data.args[0]);
}

/* setpriority and ioprio_set for one process: the filter supervises no other kind. */
void
sys_own_process_second(const struct notif_call *request)
{
	answer_for(request, (pid_t)request->notif.data.args[1]);
}
