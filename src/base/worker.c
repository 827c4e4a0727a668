// SPDX-License-Identifier: MIT
/*
 * Worker threads are moved to another CPU. A kernel may put a new thread on its starter's CPU and
 * balance only milliseconds later, when the work is already done.
 */
#include "base/os.h"

#include "base/worker.h"

#include <signal.h>

#define STACK (1024 * 1024) /* musl's default is 128 kB */

static void *
worker_main(void *arg)
{
	const struct worker *worker = arg;

	worker->work(worker->arg);
	return NULL;
}

bool
worker_start(struct worker *worker, void (*work)(void *arg), void *arg)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	bool started;

	*worker = (struct worker){.work = work, .arg = arg};
	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setstacksize(&attributes, STACK);
	/* signals are handled by the other threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&worker->thread, &attributes, worker_main, worker) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (started)
		os_pthread_other_cpu(worker->thread);
	return started;
}

void
worker_end(struct worker *worker)
{
	pthread_join(worker->thread, NULL);
}
