// SPDX-License-Identifier: MIT
/*
 * Unix sockets by name, where Landlock does not restrict the names (below ABI 9). The path is resolved like
 * a file's; the socket is opened by O_PATH, decided by its canonical path, and connected to through that
 * fd. Abstract names are decided by the scope of our own layer; without a scope they are refused.
 */
#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "base/path.h"
#include "linux/broker/nest.h"
#include "linux/broker/socket/unix.h"

#define TRIES 16

bool
unix_read_path(const struct socket_call *call, char to[sizeof(struct sockaddr_un) + 1])
{
	size_t length = call->size - PATH_AT;

	if (call->size <= PATH_AT || call->size > sizeof(struct sockaddr_un) ||
	    call->address.any.sa_family != AF_UNIX || *call->address.local.sun_path == '\0')
		return false;
	memcpy(to, call->address.local.sun_path, length);
	to[length] = '\0';
	return true;
}

/* "/proc/self/fd/N/NAME", which programs use for paths too long for an address. */
static const char *
after_descriptor(const char *path, int *ret_number)
{
	static const char *const folders[] = {"/proc/self/fd/", "/proc/thread-self/fd/",
					      "/dev/fd/"};

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		size_t length = strlen(folders[i]), digits;

		if (strncmp(path, folders[i], length) != 0)
			continue;
		digits = strspn(path + length, "0123456789");
		if (digits == 0 || digits > 9 || path[length + digits] != '/')
			return NULL;
		*ret_number = atoi(path + length);
		return path + length + digits + strspn(path + length + digits, "/");
	}
	return NULL;
}

enum lookup_result
unix_walk(const struct notif_call *request, const char *path, enum lookup_follow follow,
	  struct lookup *to)
{
	int folder = AT_FDCWD;
	enum lookup_result end;
	const char *rest = after_descriptor(path, &folder);
	auto_fd int base = -1;

	*to = (struct lookup)LOOKUP_NONE;
	if (rest != NULL)
		path = rest;
	if (*path != '/') {
		base = notif_folder(request, folder, &to->why);
		if (base < 0)
			return LOOKUP_FAILED;
	}
	end = lookup_by_kernel(request, base, *path == '\0' ? "." : path, LOOKUP_ENTRY, follow, to);
	/* nothing is walked by steps here: the kernel's failure stands */
	return end == LOOKUP_ELSEWHERE && to->why != ELOOP ? LOOKUP_FAILED : end;
}

/* ---- sockets of the session ---- */

/* A socket file; times in ns, 0 where the file system has none. */
struct file {
	struct own_socket id;
	int64_t changed;
	bool is_socket, is_link;
};

static int64_t
nanoseconds(const struct statx_timestamp *time)
{
	return time->tv_sec * 1000000000ll + time->tv_nsec;
}

static int
look(int folder, const char *name, struct file *to)
{
	struct statx at;
	int flags = AT_SYMLINK_NOFOLLOW | (*name == '\0' ? AT_EMPTY_PATH : 0);

	if (statx(folder, name, flags, STATX_TYPE | STATX_INO | STATX_BTIME | STATX_CTIME, &at) < 0)
		return errno;
	*to = (struct file){.id = {makedev(at.stx_dev_major, at.stx_dev_minor), at.stx_ino, 0},
			    .changed = nanoseconds(&at.stx_ctime),
			    .is_socket = S_ISSOCK(at.stx_mode),
			    .is_link = S_ISLNK(at.stx_mode)};
	if (at.stx_mask & STATX_BTIME)
		to->id.born = nanoseconds(&at.stx_btime);
	return 0;
}

static bool
is_own(struct broker *broker, const struct own_socket *id)
{
	bool found = false;

	pthread_mutex_lock(&broker->sockets);
	for (size_t i = 0; i < OWN_SOCKETS && id->born != 0; i++)
		found = found ||
			(broker->made[i].inode == id->inode &&
			 broker->made[i].device == id->device && broker->made[i].born == id->born);
	pthread_mutex_unlock(&broker->sockets);
	return found;
}

/*
 * Recorded if it is certainly the one just created: another one moved to its name has an earlier birth
 * time. Without birth times nothing is recorded.
 */
void
unix_note_own(struct broker *broker, const struct lookup *entry, int64_t before)
{
	struct file file;

	if (look(entry->folder, entry->name, &file) != 0 || !file.is_socket ||
	    file.id.born < before)
		return;
	pthread_mutex_lock(&broker->sockets);
	broker->made[broker->made_count++ % OWN_SOCKETS] = file.id;
	pthread_mutex_unlock(&broker->sockets);
}

/*
 * A socket that existed before may have been moved to a reachable name. A move changes ctime, and a socket
 * born since the start was created by the session, or in its view.
 */
static bool
is_moved(const struct broker *broker, const struct file *file)
{
	return file->id.born != 0 && file->id.born < broker->started &&
	       file->changed >= broker->started;
}

/* ---- connect ---- */

static bool
is_granted(const struct notif_call *request, const char *path, const struct file *file)
{
	struct socket_answer answer = plan_decide_socket(request->broker->plan, path);

	if (answer.allowed && answer.srcpos != NULL)
		return true;
	if (answer.allowed || (request->broker->private_tmp != NULL &&
			       path_below(path, request->broker->private_tmp)))
		return !is_moved(request->broker, file);
	return is_own(request->broker, &file->id) &&
	       (broker_decide(request, path).rights & RIGHT_WRITE);
}

bool
unix_is_decided(const struct broker *broker)
{
	return broker->plan->routes_sockets ||
	       (broker->plan->has_datagrams && broker->plan->facts.values[FACT_LANDLOCK_ABI] >= 9);
}

static bool
may_connect_own(const struct notif_call *request, const char *path, const struct file *file)
{
	/* the gap was accepted; the call comes here because of other families */
	return !unix_is_decided(request->broker) || is_granted(request, path, file);
}

/* Answers an outer broker; only this process knows which sockets the session created. */
bool
unix_may_connect(const struct notif_call *request, const char *path, int64_t born, int64_t changed)
{
	struct file file = {.id = {.born = born}, .changed = changed};

	return may_connect_own(request, path, &file);
}

static bool
may_connect(const struct notif_call *request, const char *path, const struct file *file)
{
	return may_connect_own(request, path, file) &&
	       nest_may_connect(request, path, file->id.born, file->changed);
}

/* Returns 0 and *ret_pin, or an errno; ELOOP: a link appeared. */
static int
open_pinned(const struct notif_call *request, const struct lookup *entry, int *ret_pin)
{
	auto_fd int pin = openat(entry->folder, *entry->name == '\0' ? "." : entry->name,
				 O_PATH | O_NOFOLLOW | O_CLOEXEC);
	auto_free char *path = NULL;
	struct file file;
	int why;

	if (pin < 0)
		return errno;
	why = look(pin, "", &file);
	if (why != 0 || file.is_link)
		return why != 0 ? why : ELOOP;
	/* a removed socket: no server can be meant */
	path = file.is_socket ? lookup_fd_name(pin) : NULL;
	if (path == NULL)
		return ECONNREFUSED;
	if (!may_connect(request, path, &file)) {
		refuse_report(request, REFUSED_SOCKET, path, CAUSE_SOCKET);
		return EACCES;
	}
	*ret_pin = pin;
	pin = -1;
	return 0;
}

static int
find(const struct socket_call *call, const char *path, int *ret_pin)
{
	for (int i = 0; i < TRIES; i++) {
		auto_lookup struct lookup entry;
		enum lookup_result end = unix_walk(call->request, path, LOOKUP_FOLLOW, &entry);
		int why;

		if (end == LOOKUP_FAILED)
			return entry.why;
		/* procfs: the target is unknown without following the link */
		if (end == LOOKUP_ELSEWHERE)
			return EACCES;
		why = open_pinned(call->request, &entry, ret_pin);
		if (why != ELOOP)
			return why;
	}
	return ELOOP;
}

/* Replaces the address by that of the O_PATH fd. Returns 0 or an errno. */
static int
open_path_fd(struct socket_call *call, const char *path, int *ret_pin)
{
	int pin = -1, why = find(call, path, &pin);

	if (why != 0)
		return why;
	memset(&call->address, 0, sizeof call->address);
	call->address.local.sun_family = AF_UNIX;
	snprintf(call->address.local.sun_path, sizeof call->address.local.sun_path,
		 "/proc/self/fd/%d", pin);
	call->size = (socklen_t)(PATH_AT + strlen(call->address.local.sun_path) + 1);
	*ret_pin = pin;
	return 0;
}

/* An abstract name, or none. Returns 0 or an errno. */
static int
check_unopened(const struct socket_call *call)
{
	bool has_scope = call->request->broker->plan->facts.values[FACT_LANDLOCK_ABI] >= 6;

	/* the broker's layer does not include the scopes of nests */
	if (call->size > PATH_AT && nest_depth(call->request) > 0)
		return EACCES;
	if (call->size > PATH_AT && call->address.any.sa_family == AF_UNIX && !has_scope &&
	    !call->request->broker->plan->settings.accept[G_SOCKETS_ABSTRACT])
		return EACCES;
	return 0;
}

int
unix_send_to(struct socket_call *call, int *ret_pin)
{
	char path[sizeof(struct sockaddr_un) + 1];

	*ret_pin = -1;
	return unix_read_path(call, path) ? open_path_fd(call, path, ret_pin)
					  : check_unopened(call);
}

void
unix_connect(struct socket_call *call)
{
	int pin, why = unix_send_to(call, &pin);

	if (why == 0)
		socket_connect(call, pin);
	else
		notif_fail(call->request, why);
}

/* ---- rename ---- */

/*
 * Decided by the session's plan and by each nest separately: otherwise one could move and another connect.
 * Also where Landlock restricts sockets by directory.
 */
bool
unix_may_move(const struct notif_call *request, int folder, const char *name, const char *from,
	      const char *to)
{
	struct file file;

	if (look(folder, name, &file) != 0)
		return false;
	if (!file.is_socket)
		return true;
	if ((is_granted(request, from, &file) || !is_granted(request, to, &file)) &&
	    (nest_may_connect(request, from, file.id.born, file.changed) ||
	     !nest_may_connect(request, to, file.id.born, file.changed)))
		return true;
	refuse_report(request, REFUSED_SOCKET, from, CAUSE_SOCKET_MOVED);
	return false;
}
