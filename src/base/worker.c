// SPDX-License-Identifier: MIT
/*
 * Kernels may put a new thread beside its starter and look for a free processor only some
 * milliseconds later, when the work is done: so it goes away from there by itself.
 */
#include "base/compat.h"

#include "base/worker.h"

#include <signal.h>

static void *
worker_main(void *arg)
{
	const struct worker *worker = arg;

	compat_leave_processor(worker->processor);
	worker->work(worker->arg);
	return NULL;
}

bool
worker_start(struct worker *worker, void (*work)(void *arg), void *arg)
{
	sigset_t all, before;
	bool started;

	*worker = (struct worker){.work = work, .arg = arg, .processor = compat_processor()};
	/* signals are for who was there before */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void
worker_end(struct worker *worker)
{
	pthread_join(worker->thread, NULL);
}
