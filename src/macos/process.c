// SPDX-License-Identifier: MIT
/* Processes that were written down: on macOS nothing is run, so there is nothing to meet again. */
#include "enforce/process.h"

#include <errno.h>

struct process
process_find(pid_t pid)
{
	(void)pid;
	return (struct process){0};
}

bool
process_is_alive(const struct process *process)
{
	(void)process;
	return false;
}

int
process_signal(const struct process *process, int signal, int value)
{
	(void)process, (void)signal, (void)value;
	errno = ENOSYS;
	return -1;
}

bool
process_measure(const struct process *process, struct process_usage *ret_usage)
{
	(void)process, (void)ret_usage;
	return false;
}
