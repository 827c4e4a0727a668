/* SPDX-License-Identifier: MIT */
/*
 * Threads that receive notifications. Each notification wakes all threads blocked in NOTIF_RECV, so there
 * is one, or two under contention.
 */
#pragma once

#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "linux/broker/affinity.h"

struct broker;

/* Calls that are received before a thread can answer them. */
#define EARLY_MAX 64

struct pool {
	int receiving;	 /* threads in NOTIF_RECV */
	int idle;	 /* spare threads */
	int calls;	 /* wake-ups of spare threads so far; they wait on it */
	int threads;	 /* all threads */
	int threads_max; /* 1: no spare threads */
	bool is_watched; /* a spare thread watches for long calls */
	unsigned received;
	pid_t last;			       /* the last caller */
	int contended;			       /* above 0: calls come from several callers */
	pthread_mutex_t door;		       /* held in NOTIF_RECV; protects early */
	struct seccomp_notif early[EARLY_MAX]; /* a ring */
	int early_first, early_count;
	bool is_early;		  /* a signal does not end a call that was received */
	int at_work;		  /* threads that answer a call */
	int busy;		  /* grows with concurrent calls */
	bool spread;		  /* many concurrent calls: do not pin callers */
	pid_t staying;		  /* the thread waiting on one CPU, or 0 */
	struct affinity affinity; /* initial state of each thread */
};

/* Serves with at most threads_max threads and never returns. */
_Noreturn void pool_start(struct broker *broker, int threads_max);
