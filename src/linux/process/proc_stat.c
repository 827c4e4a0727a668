// SPDX-License-Identifier: MIT
/*
 * Reads /proc/PID/stat and the lists of children. There is a list for each thread, with the children that
 * this thread forked. Nothing here allocates.
 */
#include "linux/process/proc_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

/* struct linux_dirent64. */
struct proc_entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* Field numbers as in proc(5); the process name is field 2. */
enum { STATE = 3, PARENT = 4, FOREGROUND = 8, THREADS = 20, STARTED = 22 };

/* Finds a field, counting from the state at text; NULL if there are too few. */
static const char *
field(const char *text, int number)
{
	for (; number > STATE && text != NULL; number--) {
		text = strchr(text, ' ');
		text = text == NULL ? NULL : text + 1;
	}
	return text;
}

/* Not by scanf, which is slow; this runs at every start. */
static bool
read_number(const char *text, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (text == NULL || *text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	*ret_number = number;
	return true;
}

/* The name may contain spaces and parentheses: the last parenthesis ends it. */
static bool
parse_stat(char *text, struct proc_stat *to)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t parent, threads;

	if (open == NULL || close == NULL || close < open || close[1] != ' ')
		return false;
	*close = '\0';
	memset(to->name, 0, sizeof to->name);
	memcpy(to->name, open + 1, strnlen(open + 1, sizeof to->name - 1));
	to->state = close[2];
	if (!read_number(field(close + 2, PARENT), &parent) ||
	    !read_number(field(close + 2, THREADS), &threads) ||
	    !read_number(field(close + 2, STARTED), &to->started))
		return false;
	to->parent = (pid_t)parent;
	to->threads = (int)threads;
	return true;
}

/* Reads a file of /proc/PID. Returns false, with an empty text, if it cannot be read. */
static bool
read_file(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	auto_fd int fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	text[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

bool
proc_stat_read(pid_t pid, struct proc_stat *ret_stat)
{
	char text[1024];

	return read_file(pid, "stat", text, sizeof text) && parse_stat(text, ret_stat);
}

pid_t
proc_foreground(pid_t pid)
{
	char text[1024];
	const char *close = read_file(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
	uint64_t group = 0;

	return close != NULL && close[1] == ' ' && read_number(field(close + 2, FOREGROUND), &group)
		       ? (pid_t)group
		       : 0;
}

/* The number in a line of /proc/PID/status; -1 if there is no such line. */
static int
status_number(pid_t pid, const char *line)
{
	char text[4096];
	const char *at;

	read_file(pid, "status", text, sizeof text);
	at = strstr(text, line);
	return at == NULL ? -1 : atoi(at + strlen(line));
}

int
proc_filters(pid_t pid)
{
	int filters = status_number(pid, "\nSeccomp_filters:");

	/* BASELINE(5.9) */
	return filters >= 0 ? filters : status_number(pid, "\nSeccomp:") == 2;
}

pid_t
proc_tracer(pid_t task)
{
	int tracer = status_number(task, "\nTracerPid:");

	return tracer < 0 ? 0 : tracer;
}

/* Reads the children of one thread; a number may be split over two reads. */
static int
read_list(const char *path, pid_t parent, proc_child_fn *fn, void *context)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[4096];
	pid_t number = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, text, sizeof text)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				number = number * 10 + (text[i] - '0');
				continue;
			}
			if (number > 0 && !fn(context, parent, number)) {
				errno = E2BIG;
				return -1;
			}
			number = 0;
		}
	}
	return n < 0 ? -1 : 0;
}

/* ---- threads ---- */

static pid_t
number_of(const char *text)
{
	uint64_t number;

	return read_number(text, &number) ? (pid_t)number : 0;
}

static int
each_entry(pid_t pid, const char *buffer, long size, proc_child_fn *fn, void *context)
{
	int rc = 0;

	for (long at = 0; at < size;) {
		const struct proc_entry *entry = (const struct proc_entry *)(buffer + at);
		pid_t thread = number_of(entry->name);

		at += entry->length;
		if (thread > 0 && !fn(context, pid, thread))
			rc = -1;
	}
	return rc;
}

int
proc_threads(pid_t pid, proc_child_fn *fn, void *context)
{
	char path[64];
	char buffer[2048] __attribute__((aligned(8)));
	auto_fd int folder = -1;
	long size;
	int rc = 0;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -1;
	while ((size = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
		if (each_entry(pid, buffer, size, fn, context) < 0)
			rc = -1;
	return size < 0 ? -1 : rc;
}

/* ---- children ---- */

struct proc_listing {
	proc_child_fn *fn;
	void *context;
};

static bool
list_children(void *context, pid_t pid, pid_t thread)
{
	const struct proc_listing *listing = context;
	char path[96];

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)thread);
	/* a thread that has ended left its children to another one */
	return read_list(path, pid, listing->fn, listing->context) >= 0 || errno == ENOENT ||
	       errno == ESRCH;
}

int
proc_children(pid_t pid, int threads, proc_child_fn *fn, void *context)
{
	char path[64];

	if (threads != 1)
		return proc_threads(pid, list_children, &(struct proc_listing){fn, context});
	/* most processes have one thread */
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	return read_list(path, pid, fn, context);
}
