/* SPDX-License-Identifier: MIT */
/* A thread for a part of some work that its starter goes on with. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

struct worker {
	pthread_t thread;
	void (*work)(void *arg);
	void *arg;
};

/* False: there is none, and the work is the caller's own. worker must stay where it is until the end. */
bool worker_start(struct worker *worker, void (*work)(void *arg), void *arg);
void worker_end(struct worker *worker);
