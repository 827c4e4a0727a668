/* SPDX-License-Identifier: MIT */
/*
 * Processes that were written down and are met again later. A pid alone is never believed: it may
 * be another process by now, so each comes with the moment it was started.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* pid 0: none. */
struct process {
	pid_t pid;
	uint64_t started; /* in units of the system's own; only good for comparing */
};

struct process_usage {
	uint64_t memory; /* bytes, shared pages counted by their share where that can be read */
	int processes;
};

/* The process that has this pid now; pid 0 in the answer when there is none. */
struct process process_find(pid_t pid);
bool process_is_alive(const struct process *process);
/* It is certainly neither stopped nor gone. */
bool process_is_running(pid_t pid);
/*
 * Sends a signal with a value to exactly this process, never to one that has its pid by now. 0, or
 * -1 with errno: ESRCH when it is gone.
 */
int process_signal(const struct process *process, int signal, int value);
/* What runs below it, itself not counted; false when it is gone. */
bool process_measure(const struct process *process, struct process_usage *ret_usage);
