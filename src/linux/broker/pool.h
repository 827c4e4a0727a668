/* SPDX-License-Identifier: MIT */
/*
 * Threads that receive notifications. Each notification wakes all threads blocked in NOTIF_RECV, so there
 * is one, or two under contention.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "linux/broker/affinity.h"

struct broker;

struct pool {
	int receiving;	 /* threads in NOTIF_RECV */
	int idle;	 /* spare threads */
	int calls;	 /* wake-ups of spare threads so far; they wait on it */
	int threads;	 /* all threads */
	int threads_max; /* 1: no spare threads */
	bool is_watched; /* a spare thread watches for long calls */
	unsigned received;
	pid_t last;		  /* the last caller */
	int contended;		  /* above 0: calls come from several callers */
	int at_work;		  /* threads that answer a call */
	int busy;		  /* grows with concurrent calls */
	bool spread;		  /* many concurrent calls: do not pin callers */
	pid_t staying;		  /* the thread waiting on one CPU, or 0 */
	struct affinity affinity; /* initial state of each thread */
};

/* Serves with at most threads_max threads and never returns. */
_Noreturn void pool_start(struct broker *broker, int threads_max);
