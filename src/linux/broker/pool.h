/* SPDX-License-Identifier: MIT */
/* Who waits for routed calls: as few as can be, because a call wakes everybody who waits. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "linux/broker/affinity.h"

struct broker;

struct pool {
	int receiving;	 /* threads that wait for a call */
	int idle;	 /* threads that wait to be called */
	int calls;	 /* how often one was: what they wait on */
	int threads;	 /* all of them */
	int threads_max; /* 1: there is no reserve */
	bool is_watched; /* one of the reserve looks whether a call takes long */
	unsigned received;
	pid_t last;    /* who called last */
	int contended; /* more than 0: not the same one as always */
	int at_work;   /* threads that answer one */
	int busy;      /* grows with calls at once */
	bool spread;   /* many call at once: each is answered wherever the kernel likes */
	pid_t staying; /* the thread that waits on one processor only, or 0 */
	struct affinity affinity; /* as every thread begins with it */
};

/* Serves until the process ends, with threads_max threads at most. */
_Noreturn void pool_start(struct broker *broker, int threads_max);
