/* SPDX-License-Identifier: MIT */
/* A thread that does part of some work while its starter goes on. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

struct worker {
	pthread_t thread;
	void (*work)(void *arg);
	void *arg;
};

/* False: the caller does the work itself. worker must not move before worker_end. */
bool worker_start(struct worker *worker, void (*work)(void *arg), void *arg);
void worker_end(struct worker *worker);
