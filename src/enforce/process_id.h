/* SPDX-License-Identifier: MIT */
/*
 * Identifies processes across time. A pid may be reused, so it is stored with the start time of the
 * process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* pid 0: no process. */
struct process {
	pid_t pid;
	uint64_t started; /* start time in units of the system; only for comparison */
};

struct process_usage {
	uint64_t memory; /* bytes; shared pages count in proportion, where that can be read */
	int processes;
};

/* Returns the process that has this pid now; pid 0 if there is none. */
struct process process_id_find(pid_t pid);
bool process_id_is_alive(const struct process *process);
/* Returns true if the process is certainly neither stopped nor gone. */
bool process_id_is_running(pid_t pid);
/*
 * Sends a signal with a value to exactly this process, never to a later one with its pid. Returns 0, or -1
 * with errno: ESRCH if it is gone.
 */
int process_id_signal(const struct process *process, int signal, int value);
/* Measures the processes below it, without itself. Returns false if it is gone. */
bool process_id_measure(const struct process *process, struct process_usage *ret_usage);
