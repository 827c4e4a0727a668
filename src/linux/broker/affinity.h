/* SPDX-License-Identifier: MIT */
/*
 * Pins a caller to the broker's CPU while an fd is installed in its table. SECCOMP_IOCTL_NOTIF_ADDFD wakes
 * the caller to install the fd, and the reply wakes it again; the kernel picks an idle CPU each time, and
 * the two migrations double the time of an open. The caller cannot observe its affinity meanwhile, because
 * it is inside its system call.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define AFFINITY_WORDS 16 /* 1,024 CPUs; on larger machines nothing is pinned */

/* State of one broker thread. */
struct affinity {
	bool is_useful; /* there are several CPUs, and this thread may run on all of them */
	unsigned long all[AFFINITY_WORDS]; /* the mask of all CPUs */
	unsigned long here[AFFINITY_WORDS];
	pid_t own, caller; /* CPU masks are set for this thread and its last caller */
	int stayed;	   /* calls since this thread was pinned; 0: not pinned */
	bool is_kept;
	pid_t *staying; /* shared by all threads: the pinned one, or 0 */
};

/* Finds out whether pinning is useful; called by a thread that is not pinned. */
void affinity_start(struct affinity *affinity);
/* Unpins a thread whose mask was inherited from a pinned one. */
void affinity_reset(const struct affinity *affinity);
/* affinity may be NULL. */
void affinity_pin(struct affinity *affinity, pid_t caller);
/* Restores the mask, unless it was changed meanwhile. */
void affinity_unpin(struct affinity *affinity, pid_t caller);
/* After a call a thread that serves a single caller may stay pinned, which makes the next call faster. */
void affinity_end_call(struct affinity *affinity, bool is_unregistered);
/* Unpins the pinned thread after a while without calls. */
void affinity_end_all(pid_t *staying);
