// SPDX-License-Identifier: MIT
/*
 * Finds processes again by pid and start time, and measures their descendants. Reads only, apart from
 * process_id_signal. Processes that end meanwhile are skipped.
 */
#include "enforce/process_id.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/process/proc_stat.h"

/* Bounds the memory used for a listing. */
#define QUEUE_MAX 65536

/* Reads a small file of /proc and terminates it; false if it cannot be read. */
static bool
read_small(const char *path, char *to, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	do
		n = read(fd, to, size - 1);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	to[n] = '\0';
	return true;
}

struct process
process_id_find(pid_t pid)
{
	struct proc_stat stat;

	if (pid <= 0 || !proc_stat_read(pid, &stat))
		return (struct process){0};
	return (struct process){pid, stat.started};
}

bool
process_id_is_alive(const struct process *process)
{
	struct process now = process_id_find(process->pid);

	return now.pid > 0 && now.started == process->started;
}

bool
process_id_is_running(pid_t pid)
{
	struct proc_stat stat;

	/* the main thread of a stopped process may have exited earlier */
	return proc_stat_read(pid, &stat) && strchr("TtZ", stat.state) == NULL;
}

int
process_id_signal(const struct process *process, int signal, int value)
{
	siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
	auto_fd int fd = -1;

	if (process->pid <= 0) {
		errno = ESRCH;
		return -1;
	}
	fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (fd < 0)
		return -1;
	/* check after opening: the pidfd cannot change to another process any more */
	if (!process_id_is_alive(process)) {
		errno = ESRCH;
		return -1;
	}
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = value;
	return (int)syscall(SYS_pidfd_send_signal, fd, signal, &info, 0);
}

/* ---- processes below ---- */

struct process_queue {
	pid_t *pids;
	size_t count, room;
};

static bool
push(void *context, pid_t parent, pid_t child)
{
	struct process_queue *queue = context;

	(void)parent;
	if (queue->count == queue->room) {
		size_t room = queue->room == 0 ? 64 : queue->room * 2;
		pid_t *grown = room > QUEUE_MAX ? NULL : realloc(queue->pids, room * sizeof child);

		if (grown == NULL)
			return false;
		queue->pids = grown;
		queue->room = room;
	}
	queue->pids[queue->count++] = child;
	return true;
}

/* Proportional set size, or resident pages if maps cannot be read. 0 for a process that has exited. */
static uint64_t
memory_of(pid_t pid)
{
	unsigned long long kilobytes, pages;
	char path[64], text[4096];
	const char *line;

	snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)pid);
	if (read_small(path, text, sizeof text) && (line = strstr(text, "\nPss:")) != NULL &&
	    sscanf(line, " Pss: %llu", &kilobytes) == 1)
		return (uint64_t)kilobytes * 1024;
	snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
	if (read_small(path, text, sizeof text) && sscanf(text, "%*u %llu", &pages) == 1)
		return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

bool
process_id_measure(const struct process *process, struct process_usage *ret_usage)
{
	struct process_usage usage = {0};
	struct process_queue queue = {0};

	if (!process_id_is_alive(process))
		return false;
	proc_children(process->pid, 0, push, &queue);
	for (size_t at = 0; at < queue.count; at++) {
		uint64_t memory = memory_of(queue.pids[at]);

		/* a process without memory is a zombie */
		usage.processes += memory > 0;
		usage.memory += memory;
		proc_children(queue.pids[at], 0, push, &queue);
	}
	free(queue.pids);
	*ret_usage = usage;
	return true;
}
