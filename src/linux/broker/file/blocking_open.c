// SPDX-License-Identifier: MIT
/*
 * Opens that may block: FIFOs, whose two ends wait for each other, and files with a lease. Each waits in
 * its own thread, and regularly checks whether its caller is still there and no signal is pending. The
 * number of threads is limited: further opens fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "linux/broker/broker.h"
#include "linux/process/thread.h"

/* glibc before 2.39 has no name for it */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define PARKED_MAX 64
#define STACK_SIZE (64 * 1024)
#define LOOK_NS 30000000

struct parked {
	struct notif_call request;
	int object, flags;
};

static void
wake_up(int signal)
{
	(void)signal;
}

/* Interrupts this thread's open regularly by a signal; the timer must be deleted. */
static bool
start_clock(timer_t *ret_timer)
{
	struct sigaction action = {.sa_handler = wake_up};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
	struct itimerspec often = {{0, LOOK_NS}, {0, LOOK_NS}};
	sigset_t only;

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	sigemptyset(&only);
	sigaddset(&only, SIGRTMIN);
	return sigaction(SIGRTMIN, &action, NULL) == 0 &&
	       pthread_sigmask(SIG_UNBLOCK, &only, NULL) == 0 &&
	       timer_create(CLOCK_MONOTONIC, &event, ret_timer) == 0 &&
	       timer_settime(*ret_timer, 0, &often, NULL) == 0;
}

static void
open_and_give(const struct parked *parked)
{
	const struct notif_call *request = &parked->request;
	int fd, why, looks = 0;
	char name[40];

	snprintf(name, sizeof name, "/proc/self/fd/%d", parked->object);
	while ((fd = open(name, parked->flags | O_CLOEXEC | O_NOCTTY)) < 0 && errno == EINTR) {
		if (!notif_is_valid(request))
			return;
		why = notif_interruption(request, &looks);
		if (why != 0) {
			notif_fail(request, why);
			return;
		}
	}
	if (fd < 0)
		notif_fail(request, errno);
	else
		notif_give(request, fd, (parked->flags & O_CLOEXEC) != 0);
}

static void
free_parked(struct parked *parked)
{
	__atomic_sub_fetch(&parked->request.broker->parked, 1, __ATOMIC_RELAXED);
	close(parked->object);
	free(parked);
}

static void *
parked_main(void *argument)
{
	struct parked *parked = argument;
	timer_t timer;

	if (start_clock(&timer)) {
		open_and_give(parked);
		timer_delete(timer);
	} else {
		notif_fail(&parked->request, EAGAIN);
	}
	free_parked(parked);
	return NULL;
}

void
blocking_open_start(const struct notif_call *request, int object, int flags)
{
	struct parked *parked = malloc(sizeof *parked);
	int why = EAGAIN;

	if (parked == NULL) {
		notif_fail(request, ENOMEM);
		return;
	}
	*parked = (struct parked){notif_copy(request), fcntl(object, F_DUPFD_CLOEXEC, 0), flags};
	if (__atomic_add_fetch(&request->broker->parked, 1, __ATOMIC_RELAXED) <= PARKED_MAX)
		why = parked->object < 0 ? errno : thread_start(STACK_SIZE, parked_main, parked);
	if (why != 0) {
		free_parked(parked);
		notif_fail(request, why);
	}
}
