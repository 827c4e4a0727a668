/* SPDX-License-Identifier: MIT */
/* Reads the parts of /proc that the process tree walk needs; no allocation, few fds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char name[16];
	char state;
	pid_t parent;
	int threads;
	/* in clock ticks since boot; identifies a process together with its pid */
	uint64_t started;
};

/* Returns false if the process does not exist. */
bool proc_stat_read(pid_t pid, struct proc_stat *ret_stat);

/* The foreground process group of its terminal; 0: no terminal, or no such process. */
pid_t proc_foreground(pid_t pid);

/* Number of seccomp filters, where the kernel counts them; else 1 if there are any. */
int proc_filters(pid_t pid);

/* The process that traces it; 0: none, or it cannot be read. */
pid_t proc_tracer(pid_t task);

/* Takes one child or thread; returns false if there is no room for more. */
typedef bool proc_child_fn(void *context, pid_t parent, pid_t child);
/*
 * Calls fn for the children of every thread of a process. threads: number of its threads, 0 if unknown.
 * Returns 0, or -1 if the lists cannot be read or fn returned false.
 */
int proc_children(pid_t pid, int threads, proc_child_fn *fn, void *context);
/* Calls fn for every thread of a process, also after fn returned false; then returns -1. */
int proc_threads(pid_t pid, proc_child_fn *fn, void *context);
