// SPDX-License-Identifier: MIT
/*
 * Identifies processes by pid and start time. macOS cannot send a signal with a value: such a request
 * fails.
 */
#include "enforce/process_id.h"

#include <errno.h>
#include <signal.h>
#include <sys/proc.h>

#include "macos/process/libsystem.h"

struct process
process_id_find(pid_t pid)
{
	struct proc_bsdinfo info;

	if (pid <= 0 ||
	    proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, sizeof info) != (int)sizeof info ||
	    info.pbi_status == SZOMB)
		return (struct process){0};
	return (struct process){pid, info.pbi_start_tvsec * 1000000 + info.pbi_start_tvusec};
}

bool
process_id_is_alive(const struct process *process)
{
	struct process now = process_id_find(process->pid);

	return now.pid != 0 && now.started == process->started;
}

bool
process_id_is_running(pid_t pid)
{
	struct proc_bsdinfo info;

	return proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, sizeof info) == (int)sizeof info &&
	       info.pbi_status == SRUN;
}

int
process_id_signal(const struct process *process, int signal, int value)
{
	if (!process_id_is_alive(process))
		errno = ESRCH;
	else if (value != 0)
		errno = ENOTSUP;
	else
		return kill(process->pid, signal);
	return -1;
}

/* Descendants of a process cannot be told once they are orphans, so nothing is measured. */
bool
process_id_measure(const struct process *process, struct process_usage *ret_usage)
{
	(void)process, (void)ret_usage;
	return false;
}
