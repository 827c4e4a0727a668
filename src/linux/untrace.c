// SPDX-License-Identifier: MIT
/*
 * Detaches children that made this process their tracer by PTRACE_TRACEME, at their first stop, delivering
 * the signal. This process never traces. The kernel accepts PTRACE_DETACH only from the thread that started
 * the child, for the command the one in start.c.
 */
#include "linux/untrace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/process/proc_stat.h"
#include "linux/sandbox.h"
#include "linux/seccomp/syscalls.h"

/* SIGRTMIN and SIGRTMIN + 1 are used by blocking_open.c and kill_all.c */
#define ORDER (SIGRTMIN + 2)

static bool
detach(pid_t task, int signal)
{
	return ptrace(PTRACE_DETACH, task, NULL, (void *)(intptr_t)signal) == 0;
}

/* Runs in the thread that started the command; async-signal-safe. */
static void
follow_order(int number, siginfo_t *info, void *context)
{
	uintptr_t value = (uintptr_t)info->si_value.sival_ptr;
	int before = errno;

	(void)number, (void)context;
	if (info->si_code == SI_QUEUE && info->si_pid == getpid())
		detach((pid_t)(value >> 8), (int)(value & 0xff));
	errno = before;
}

void
untrace_ready(struct sandbox *sandbox)
{
	struct sigaction action = {.sa_sigaction = follow_order,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, ORDER);
	/* unblocked without a handler it would kill the guard */
	if (sigaction(ORDER, &action, NULL) == 0 && pthread_sigmask(SIG_UNBLOCK, &only, NULL) == 0)
		__atomic_store_n(&sandbox->starter, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
}

static bool
order_detach(pid_t thread, pid_t task, int signal)
{
	siginfo_t order = {.si_signo = ORDER, .si_code = SI_QUEUE};

	order.si_pid = getpid();
	order.si_uid = getuid();
	order.si_value.sival_ptr = (void *)((uintptr_t)task << 8 | (uintptr_t)signal);
	return syscall(SYS_rt_tgsigqueueinfo, order.si_pid, thread, ORDER, &order) == 0;
}

bool
enforce_untrace(struct sandbox *sandbox, pid_t task, int signal)
{
	pid_t starter = sandbox == NULL ? 0 : __atomic_load_n(&sandbox->starter, __ATOMIC_SEQ_CST);

	return detach(task, signal) ||
	       (starter > 0 && proc_tracer(task) == starter && order_detach(starter, task, signal));
}
