// SPDX-License-Identifier: MIT
/*
 * bind(2) of unix sockets: exclusively, because the kernel resolves the path once more. A name without a
 * path is left to the kernel: any process may make one.
 */
#include "linux/broker/socket/unix.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/decide/names.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/socket/inet.h"

#define STEPS_MAX 256
#define BIND_STACK (16 * 1024)

/*
 * Can the command change names in this directory without the broker? Only the session's plan matters:
 * layers of nests only take away.
 */
static bool
is_changed_natively(const struct notif_call *request, int folder)
{
	auto_free char *path = lookup_dir_name(request->deep, folder);

	if (path == NULL || broker_is_private_tmp(request->broker, path))
		return true;
	return (broker_decide_own(request->broker, path).rights & (RIGHT_CREATE | RIGHT_DELETE)) !=
		       0 &&
	       !broker_covers_own(request->broker, path, RIGHT_CREATE);
}

/* Resolves the first component of rest, which is removed, or replaced by its text if it is a link. */
static bool
go_on(int *folder, char rest[PATH_MAX])
{
	char name[NAME_MAX + 1], text[PATH_MAX];
	size_t length = strcspn(rest, "/"), behind = strlen(rest + length);
	ssize_t n = 0;
	int next;

	if (length > NAME_MAX)
		return false;
	memcpy(name, rest, length);
	name[length] = '\0';
	next = openat(*folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		n = readlinkat(*folder, name, text, sizeof text);
	if (n < 0 || (size_t)n + behind >= PATH_MAX)
		return false;
	memmove(rest + n, rest + length, behind + 1);
	memcpy(rest, text, (size_t)n);
	if (next < 0)
		next = openat(*folder, n > 0 && *text == '/' ? "/" : ".", O_PATH | O_CLOEXEC);
	close(*folder);
	*folder = next;
	return next >= 0;
}

/*
 * Will the kernel, resolving path again for bind(2), reach the same directory? It will while names are
 * locked, so that the broker changes none, if the command cannot change any component of the path.
 */
static bool
leads_surely(const struct notif_call *request, int base, const char *path,
	     const struct lookup *entry)
{
	auto_fd int folder = openat(base, *path == '/' ? "/" : ".", O_PATH | O_CLOEXEC);
	char rest[PATH_MAX];
	struct stat here, there;

	snprintf(rest, sizeof rest, "%s", path);
	for (int steps = 0; steps < STEPS_MAX && folder >= 0; steps++) {
		size_t slashes = strspn(rest, "/");

		memmove(rest, rest + slashes, strlen(rest + slashes) + 1);
		if (strchr(rest, '/') == NULL)
			return fstat(folder, &here) == 0 && fstat(entry->folder, &there) == 0 &&
			       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
		if (is_changed_natively(request, folder) || !go_on(&folder, rest))
			return false;
	}
	return false;
}

/* A bind of a relative address; shared with the process that makes it. */
struct relative_bind {
	int fd, folder, why;
	mode_t umask;
	const struct sockaddr *address;
	socklen_t size;
};

static int
bind_here(void *argument)
{
	struct relative_bind *to = argument;

	umask(to->umask);
	to->why = 0;
	if (fchdir(to->folder) < 0 || bind(to->fd, to->address, to->size) < 0)
		to->why = errno;
	return 0;
}

/*
 * Without a working directory and umask of this thread's own: by a process that has them, and shares memory
 * and fds with this one, which waits. It is under the same layer.
 */
static void
bind_in_process(struct relative_bind *to)
{
	char *stack = malloc(BIND_STACK);
	pid_t pid;

	to->why = EAGAIN;
	if (stack == NULL)
		return;
	pid = clone(bind_here, stack + BIND_STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES, to);
	while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	free(stack);
}

static int
bind_in(const struct socket_call *call, int folder, const struct sockaddr *address, socklen_t size)
{
	struct relative_bind to = {.fd = call->fd,
				   .folder = folder,
				   .umask = notif_umask(call->request),
				   .address = address,
				   .size = size};

	if (call->request->broker->has_own_fs) {
		bind_here(&to);
		if (chdir("/") < 0)
			return -1;
	} else {
		bind_in_process(&to);
	}
	errno = to.why;
	return to.why == 0 ? 0 : -1;
}

/* By the last component alone, from its directory. getsockname(2) then reports that name. */
static int
bind_last_name(const struct socket_call *call, const struct lookup *entry)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(entry->name);

	if (length >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, entry->name, length + 1);
	return bind_in(call, entry->folder, (struct sockaddr *)&address,
		       (socklen_t)(PATH_AT + length + 1));
}

/*
 * Binds by the given address, because getsockname(2), getpeername(2) and accept(2) report it, and servers
 * remove it when they end.
 */
static int
bind_at(struct socket_call *call, const struct lookup *entry)
{
	char path[sizeof(struct sockaddr_un) + 1];
	int why;
	auto_fd int base = notif_folder(call->request, AT_FDCWD, &why);

	if (base < 0 || !unix_read_path(call, path) ||
	    !leads_surely(call->request, base, path, entry))
		return bind_last_name(call, entry);
	return bind_in(call, base, &call->address.any, call->size);
}

static int
bind_judged(struct socket_call *call, const struct lookup *entry)
{
	struct verdict verdict = broker_decide(call->request, entry->path);
	struct stat at;

	if (!(verdict.rights & RIGHT_CREATE))
		return names_refuse(call->request, entry, &verdict, RIGHT_CREATE);
	if (verdict.vetted != NULL && !names_is_there(entry, &at) &&
	    !git_check_may_make(call->request, entry->path, verdict.vetted, false))
		return -1;
	return bind_at(call, entry);
}

/* Returns 0 or an errno. An existing name fails as such, whatever the rights. */
static int
bind_by_rights(struct socket_call *call, const struct lookup *entry)
{
	int64_t before = broker_now();
	int why = 0;

	/* exclusive: links in the path must not change between the check and bind(2) */
	broker_lock_two(call->request, entry->path, NULL);
	names_lock_changes(&call->request->broker->names, entry->path, NULL);
	if (!broker_is_repo_marker(entry->path))
		names_lock_keep_cache(&call->request->broker->names);
	if (!lookup_unchanged(entry) || bind_judged(call, entry) < 0)
		why = errno == EEXIST ? EADDRINUSE : errno;
	names_lock_release(call->request->names);
	if (why == 0)
		unix_note_own(call->request->broker, entry, before);
	return why;
}

static void
bind_path(struct socket_call *call, const char *path)
{
	auto_lookup struct lookup entry;
	enum lookup_result end = unix_walk(call->request, path, LOOKUP_NAME, &entry);
	struct broker *broker = call->request->broker;

	if (end == LOOKUP_FAILED) {
		notif_fail(call->request, entry.why);
		return;
	}
	/* sockets in the private tmp may always be connected to: no record needed */
	if (end == LOOKUP_ELSEWHERE ||
	    (broker_is_private_tmp(broker, entry.path) &&
	     !broker_covers(call->request, entry.path, RIGHT_CREATE)) ||
	    (!unix_is_decided(broker) && !broker_covers(call->request, entry.path, RIGHT_CREATE))) {
		socket_continue(call);
		return;
	}
	socket_finish(call, bind_by_rights(call, &entry));
}

/* Abstract names have no owner: any process may create them. */
void
unix_bind(struct socket_call *call)
{
	char path[sizeof(struct sockaddr_un) + 1];

	if (unix_read_path(call, path)) {
		bind_path(call, path);
		return;
	}
	/* the name may be that of a copy whose socket the caller has closed */
	if (socket_copies_are_kept(call->request->broker))
		socket_copies_sweep(call->request->broker);
	socket_continue(call);
}
