/* SPDX-License-Identifier: MIT */
/*
 * One signal for a whole session. Who starts processes faster than they are looked at is hardly ever
 * caught by looking. kill(-1) reaches all whom the caller may signal, under the lock that every fork
 * needs; and from under a layer that keeps signals in, that is the session and nobody else. Where the
 * kernel has no such layer, or it could not be shown to hold, nothing is sent: process_tree.h finds all of
 * them, sooner or later.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct kill_all {
	pid_t outsider; /* whom the thread could signal before it entered the layer; 0: nobody */
	pid_t thread;	/* and cannot any more; 0: there is none */
	int signal;	/* to be sent */
	int state;	/* of that: see kill_all.c */
};

/* By the thread that will enter the layer, as privileged as it will be there. */
void kill_all_begin(struct kill_all *kill_all);
/* By the same, under the layer; from then on it lives as long as the process. */
void kill_all_ready(struct kill_all *kill_all);
/* By another thread: everything in the layer gets the signal. False: perhaps not. */
bool kill_all_send(struct kill_all *kill_all, int signal);
