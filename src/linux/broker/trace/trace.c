// SPDX-License-Identifier: MIT
/*
 * Watches calls of a traced session. A call is looked at once and then continued: what its caller changes
 * afterwards is decided by the kernel, and only the report may be wrong.
 */
#include "linux/broker/trace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/os_process.h"
#include "base/path.h"
#include "linux/broker/connect.h"
#include "linux/broker/trace/attempt.h"
#include "linux/seccomp/filter_trace.h"

#define PROBES 8 /* entries looked at for one hash */
#define CHANGE_FLAGS (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define NONE -1

/* Which arguments of a call are what. Neither fstat() nor the start of the command is looked at. */
static const struct traced {
	struct filter_traced call;
	enum refused what;
	int folder, path, flags;
} traced[] = {
	{{SYS_execve, 3, OS_EXEC_FIRST}, REFUSED_EXECUTE, NONE, 0, NONE},
	{{SYS_execveat, NONE, 0}, REFUSED_EXECUTE, 0, 1, NONE},
	{{SYS_openat, NONE, 0}, REFUSED_READ, 0, 1, 2},
	{{SYS_newfstatat, 3, AT_EMPTY_PATH}, REFUSED_STAT, 0, 1, NONE},
	{{SYS_statx, NONE, 0}, REFUSED_STAT, 0, 1, NONE},
	{{SYS_faccessat, NONE, 0}, REFUSED_STAT, 0, 1, NONE},
	{{439, NONE, 0}, REFUSED_STAT, 0, 1, NONE}, /* faccessat2 */
	{{SYS_readlinkat, NONE, 0}, REFUSED_STAT, 0, 1, NONE},
	{{SYS_connect, NONE, 0}, REFUSED_CONNECT, NONE, 1, NONE},
#ifdef SYS_open
	{{SYS_open, NONE, 0}, REFUSED_READ, NONE, 0, 1},
	{{SYS_stat, NONE, 0}, REFUSED_STAT, NONE, 0, NONE},
	{{SYS_lstat, NONE, 0}, REFUSED_STAT, NONE, 0, NONE},
	{{SYS_access, NONE, 0}, REFUSED_STAT, NONE, 0, NONE},
	{{SYS_readlink, NONE, 0}, REFUSED_STAT, NONE, 0, NONE},
#endif
};

struct trace *
trace_new(const struct sock_fprog *base)
{
	struct filter_traced calls[COUNT(traced)];
	struct trace *trace = calloc(1, sizeof *trace);

	if (trace == NULL)
		return NULL;
	for (size_t i = 0; i < COUNT(traced); i++)
		calls[i] = traced[i].call;
	trace->base = base;
	trace->layer = -1;
	trace->filter = filter_trace_new(base, calls, COUNT(calls));
	return trace->filter == NULL ? trace_free(trace) : trace;
}

struct trace *
trace_free(struct trace *trace)
{
	if (trace != NULL)
		free(trace->filter);
	free(trace);
	return NULL;
}

static const struct traced *
find(int number)
{
	for (size_t i = 0; i < COUNT(traced); i++)
		if (traced[i].call.number == number)
			return &traced[i];
	return NULL;
}

/* ---- once ---- */

static bool
is_new(struct trace *trace, enum refused what, char form, const char *text)
{
	uint64_t hash = hash_byte(hash_byte(hash_text(text), form), (char)(what + 1));

	for (unsigned i = 0; i < PROBES; i++) {
		uint64_t *entry = &trace->seen[(hash + i) % TRACE_SEEN], none = 0;

		if (__atomic_load_n(entry, __ATOMIC_RELAXED) == hash)
			return false;
		if (__atomic_compare_exchange_n(entry, &none, hash, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
		if (none == hash)
			return false;
	}
	return true;
}

/* ---- what a call uses ---- */

struct sight {
	struct broker *broker;
	enum refused what;
	bool is_routed; /* the broker decides, and reports refusals itself */
	bool creates;	/* the last name may be missing */
	int object;	/* O_PATH fd of what path names; -1: it is not there */
	int base;	/* where a relative path begins; -1: it is absolute */
	char path[PATH_MAX];
};

/* An open that the kernel answers otherwise is not reported: the prediction was wrong. */
static void
report_refused(const struct sight *sight, const char *path, const struct verdict *verdict)
{
	struct refusal refusal = {.what = (uint16_t)sight->what,
				  .missing = (uint8_t)(1u << sight->what),
				  .known = REFUSAL_PREDICTED};
	int why = sight->what == REFUSED_READ && !sight->is_routed
			  ? attempt_read(sight->broker->trace->layer, sight->object)
			  : -1;

	if (sight->is_routed || (why >= 0 && why != EACCES))
		return;
	if (why == EACCES)
		refusal.known = REFUSAL_OBSERVED;
	refusal_decided(&refusal, &verdict->by[sight->what]);
	refusal_send(sight->broker->events, &refusal, path);
}

static void
report(const struct sight *sight, const char *path)
{
	enum refused what = sight->what;
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (!is_new(sight->broker->trace, what, 'c', path))
		return;
	/* no policy refuses a lookup */
	if (what < RIGHT_KINDS)
		verdict = broker_decide_own(sight->broker, path);
	if (what < RIGHT_KINDS && !(verdict.rights & (1u << what)))
		report_refused(sight, path, &verdict);
	else if (!broker_is_private_tmp(sight->broker, path))
		refusal_send_use(sight->broker->events, what, path);
}

/* The canonical path of an O_PATH fd; false if it has none in a file system, or is of procfs. */
static bool
name_fd(const struct sight *sight, int fd, char to[PATH_MAX])
{
	char number[16];
	ssize_t n;

	snprintf(number, sizeof number, "%d", fd);
	n = readlinkat(sight->broker->own, number, to, PATH_MAX - 1);
	if (n <= 0 || *to != '/')
		return false;
	to[n] = '\0';
	return !path_below(to, "/proc");
}

/* A name that is not there yet, in a directory that is. */
static void
look_at_new(struct sight *sight)
{
	char *last = (char *)path_last(sight->path), folder[PATH_MAX];
	char name[NAME_MAX + 1];
	auto_fd int fd = -1;
	size_t length;

	if (*last == '\0' || strlen(last) > NAME_MAX)
		return;
	strcpy(name, last);
	*last = '\0';
	fd = openat(sight->base < 0 ? AT_FDCWD : sight->base,
		    *sight->path == '\0' ? "." : sight->path, O_PATH | O_CLOEXEC);
	if (fd < 0 || !name_fd(sight, fd, folder))
		return;
	length = strlen(folder);
	if (length + strlen(name) + 2 > PATH_MAX)
		return;
	snprintf(folder + length, PATH_MAX - length, "%s%s", length == 1 ? "" : "/", name);
	sight->what = REFUSED_CREATE;
	report(sight, folder);
}

static void
look_at_path(struct sight *sight)
{
	char path[PATH_MAX];
	auto_fd int fd =
		openat(sight->base < 0 ? AT_FDCWD : sight->base, sight->path, O_PATH | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && sight->creates)
		look_at_new(sight);
	sight->object = fd;
	if (fd >= 0 && name_fd(sight, fd, path))
		report(sight, path);
}

/* What depends on the reading process is left out: here it would name the broker. */
static bool
is_own(const char *path)
{
	return path_below(path, "/proc") || path_below(path, "/dev/fd") ||
	       strncmp(path, "/dev/std", 8) == 0 || path_below(path, "/dev/tty");
}

static bool
see_path(const struct notif_call *request, const struct traced *call, struct sight *sight)
{
	const __u64 *args = request->notif.data.args;
	int why;

	if (notif_path(request, args[call->path], sight->path) != 0 || *sight->path == '\0')
		return false;
	if (*sight->path == '/')
		return !is_own(sight->path) &&
		       is_new(request->broker->trace, sight->what, 'w', sight->path);
	sight->base =
		notif_folder(request, call->folder < 0 ? AT_FDCWD : (int)args[call->folder], &why);
	return sight->base >= 0 && notif_is_valid(request);
}

/* An address and port as text; unix sockets are files, which the broker decides about. */
static void
look_at_address(const struct notif_call *request, const struct sight *sight)
{
	const __u64 *args = request->notif.data.args;
	union socket_address address = {0};
	char text[INET6_ADDRSTRLEN], subject[INET6_ADDRSTRLEN + 10];
	size_t size = args[2] < sizeof address ? (size_t)args[2] : sizeof address;

	if (sight->is_routed || notif_bytes(request, args[1], &address, size) != 0)
		return;
	if (address.any.sa_family == AF_INET && size >= sizeof address.v4 &&
	    inet_ntop(AF_INET, &address.v4.sin_addr, text, sizeof text) != NULL)
		snprintf(subject, sizeof subject, "%s:%u", text, ntohs(address.v4.sin_port));
	else if (address.any.sa_family == AF_INET6 && size >= sizeof address.v6 &&
		 inet_ntop(AF_INET6, &address.v6.sin6_addr, text, sizeof text) != NULL)
		snprintf(subject, sizeof subject, "[%s]:%u", text, ntohs(address.v6.sin6_port));
	else
		return;
	if (is_new(request->broker->trace, REFUSED_CONNECT, 'c', subject))
		refusal_send_use(request->broker->events, REFUSED_CONNECT, subject);
}

static enum refused
what_of(const struct notif_call *request, const struct traced *call, struct sight *sight)
{
	uint64_t flags = call->flags < 0 ? 0 : request->notif.data.args[call->flags];

	sight->creates = (flags & O_CREAT) != 0;
	return flags & O_PATH ? REFUSED_STAT : flags & CHANGE_FLAGS ? REFUSED_WRITE : call->what;
}

bool
trace_call(const struct notif_call *request)
{
	struct broker *broker = request->broker;
	const struct traced *call = find(request->notif.data.nr);
	uint32_t action = filter_action(broker->trace->base, &request->notif.data);
	struct sight sight = {.broker = broker, .object = -1, .base = -1};
	bool is_path = false;

	if (call == NULL)
		return false;
	sight.is_routed = action == SECCOMP_RET_USER_NOTIF;
	sight.what = what_of(request, call, &sight);
	if (call->what == REFUSED_CONNECT)
		look_at_address(request, &sight);
	else
		is_path = see_path(request, call, &sight);
	/* before the answer: a command that ends at once must not end before the report */
	if (is_path)
		look_at_path(&sight);
	if (sight.base >= 0)
		close(sight.base);
	if (action == SECCOMP_RET_ALLOW)
		notif_continue(request);
	else if (!sight.is_routed)
		notif_fail(request, (action & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO
					    ? (int)(action & SECCOMP_RET_DATA)
					    : ENOSYS);
	return !sight.is_routed;
}
