/* SPDX-License-Identifier: MIT */
/*
 * A guard thread under no Landlock layer. It opens what the broker has allowed and no layer can grant,
 * because the command could open natively whatever the broker's layer grants.
 */
#pragma once

#include <pthread.h>

struct broker;
struct open_call;
struct opener_job;

struct opener {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* started on demand: few sessions need it */
	enum { OPENER_NONE, OPENER_WANTED, OPENER_SERVES, OPENER_FAILED } state;
	struct opener_job *jobs;
};

/* Opens once; -1 with errno. fd_path: O_PATH fd of the object, or of the directory for a new file. */
typedef int opener_fn(const struct open_call *o, int fd_path);

void opener_begin(struct opener *opener);
/*
 * Starts the thread if it is wanted. Called by the first thread, which is under no layer, after each
 * signal.
 */
void opener_attend(struct opener *opener);
/* Runs open in that thread and waits for it. */
int opener_open(const struct open_call *o, int fd_path, opener_fn *open);
