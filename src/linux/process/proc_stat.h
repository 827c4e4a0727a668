/* SPDX-License-Identifier: MIT */
/* The little of /proc that the walk over processes reads; no allocation, few descriptors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char name[16];
	char state;
	pid_t parent;
	int threads;
	uint64_t started; /* clock ticks since boot; with the number it names a process for ever */
};

/* False when there is no such process any more. */
bool proc_stat_read(pid_t pid, struct proc_stat *ret_stat);

/* The group in the foreground of its terminal; 0: it has none, or is gone. */
pid_t proc_foreground(pid_t pid);

/* How many seccomp filters it has, where the kernel counts them; else whether it has any. */
int proc_filters(pid_t pid);

/* Takes one child, or thread; false: no room for more. */
typedef bool proc_child_fn(void *context, pid_t parent, pid_t child);
/*
 * Hands over the children of every thread of a process; threads is how many it has, 0 when that is
 * not known. 0, or -1 when the lists cannot be read or fn had no room.
 */
int proc_children(pid_t pid, int threads, proc_child_fn *fn, void *context);
/* Hands over every thread of a process, also after fn said false; -1 then. */
int proc_threads(pid_t pid, proc_child_fn *fn, void *context);
