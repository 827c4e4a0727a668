/* SPDX-License-Identifier: MIT */
/*
 * A thread of the guard that is under no Landlock layer. It opens what the broker has judged and no
 * layer can grant: what the broker may open by its layer the command may read natively.
 */
#pragma once

#include <pthread.h>

struct broker;
struct open_call;
struct opener_job;

struct opener {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* few sessions ever need one */
	enum { OPENER_NONE, OPENER_WANTED, OPENER_SERVES, OPENER_FAILED } state;
	struct opener_job *jobs;
};

/* One open; -1 with errno. held: what is opened, or the folder in which it is made. */
typedef int opener_fn(const struct open_call *o, int held);

void opener_begin(struct opener *opener);
/*
 * Starts the thread, if it is wanted. By the process's first thread, which is under no layer, whenever a
 * signal woke it.
 */
void opener_attend(struct opener *opener);
/* Has it done by that thread, and waits for it. */
int opener_open(const struct open_call *o, int held, opener_fn *open);
