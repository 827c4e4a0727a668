// SPDX-License-Identifier: MIT
/* Sends the signal that kills a whole session, from a signal handler of the starter thread. */
#include "linux/process/kill_all.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

#define ORDER (SIGRTMIN + 1) /* SIGRTMIN is used by blocking_open.c */
/* While processes fork without pause, the thread may wait long for a CPU; then the tree walk goes on. */
#define PATIENCE_MS 1000

enum { WAITING, SENT, REFUSED };

/* Compare-and-swap from WAITING: either the sender times out or the handler sends, never both. */
static bool
settle(struct kill_all *kill_all, int state)
{
	int before = WAITING;

	return __atomic_compare_exchange_n(&kill_all->state, &before, state, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool
can_signal(pid_t pid)
{
	return kill(pid, 0) == 0;
}

/*
 * Runs in the thread under the layer, interrupting its work: that work was for a process about to die. A
 * kill that could reach the parent would reach every process, so this is checked once more.
 */
static void
kill_all_handler(int signal, siginfo_t *info, void *context)
{
	struct kill_all *kill_all = info->si_value.sival_ptr;
	int before = errno, to_send;

	(void)signal, (void)context;
	/* not from this process */
	if (info->si_code != SI_QUEUE || info->si_pid != getpid())
		return;
	to_send = __atomic_load_n(&kill_all->signal, __ATOMIC_SEQ_CST);
	if (kill_all->thread != (pid_t)syscall(SYS_gettid) || can_signal(getppid()))
		settle(kill_all, REFUSED);
	/* if the sender has timed out, send only SIGKILL: killing late does no harm */
	else if (settle(kill_all, SENT) || to_send == SIGKILL)
		kill(-1, to_send);
	errno = before;
}

void
kill_all_begin(struct kill_all *kill_all)
{
	pid_t parent = getppid();

	kill_all->outsider = can_signal(parent) ? parent : 0;
}

/* Checks that the layer prevents signals: the parent is unchanged, so its pid was not reused. */
static bool
keeps_signals(const struct kill_all *kill_all)
{
	return kill_all->outsider > 0 && !can_signal(kill_all->outsider) && errno == EPERM &&
	       getppid() == kill_all->outsider;
}

void
kill_all_ready(struct kill_all *kill_all)
{
	struct sigaction action = {.sa_sigaction = kill_all_handler,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, ORDER);
	/* unblocked without a handler it would kill the guard */
	if (keeps_signals(kill_all) && sigaction(ORDER, &action, NULL) == 0 &&
	    pthread_sigmask(SIG_UNBLOCK, &only, NULL) == 0)
		__atomic_store_n(&kill_all->thread, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
}

bool
kill_all_send(struct kill_all *kill_all, int signal)
{
	pid_t thread = __atomic_load_n(&kill_all->thread, __ATOMIC_SEQ_CST);
	siginfo_t order = {.si_signo = ORDER, .si_code = SI_QUEUE};
	int64_t until = clock_ms() + PATIENCE_MS;

	__atomic_store_n(&kill_all->signal, signal, __ATOMIC_SEQ_CST);
	__atomic_store_n(&kill_all->state, WAITING, __ATOMIC_SEQ_CST);
	order.si_pid = getpid();
	order.si_uid = getuid();
	order.si_value.sival_ptr = kill_all;
	if (thread == 0 || syscall(SYS_rt_tgsigqueueinfo, order.si_pid, thread, ORDER, &order) < 0)
		return false;
	while (__atomic_load_n(&kill_all->state, __ATOMIC_SEQ_CST) == WAITING && clock_ms() < until)
		clock_sleep_us(50);
	return !settle(kill_all, REFUSED) &&
	       __atomic_load_n(&kill_all->state, __ATOMIC_SEQ_CST) == SENT;
}
