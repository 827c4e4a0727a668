// SPDX-License-Identifier: MIT
/*
 * open on behalf. The path's object is opened by O_PATH, decided by its canonical path, and only then
 * opened for the caller: a denied file is never opened, not even by the broker. An existing file needs the
 * rights of its access mode; a new one needs only "create", and is written through the fd that created it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/file/open_file.h"
#include "linux/broker/nest.h"

#define TRIES 16

static inline void
auto_opening_fn(const struct open_call *o)
{
	free(o->path);
}
#define auto_opening __attribute__((cleanup(auto_opening_fn)))

/* Flags that open(2) uses; it drops others, with which openat2 fails. */
#define KNOWN_FLAGS                                                                            \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC |  \
	 O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | \
	 OPEN_TMPFILE)

static void
give(const struct open_call *o, int fd)
{
	bool close_on_exec = (o->how.flags & O_CLOEXEC) != 0;

	if (o->number > 0)
		notif_give_as(o->request, fd, o->number, close_on_exec);
	else
		notif_give(o->request, fd, close_on_exec);
}

/*
 * Decides under the shared lock; returns true with it held. With nests the first decision is made without a
 * lock, because a query may block.
 */
static bool
decide_shared(struct open_call *o)
{
	if (nest_depth(o->request) > 0)
		return false;
	for (int i = 0; i < 2; i++) {
		/* the path that is locked is freed by the decision */
		names_lock_read(o->request->names, i == 0 ? NULL : o->path);
		if (open_file_decide(o) != 0 || broker_is_repo_marker(o->path))
			break;
		if (names_lock_covers(o->request->names, o->path))
			return true;
		names_lock_release(o->request->names);
	}
	if (o->request->names->how != NAMES_FREE)
		names_lock_release(o->request->names);
	return false;
}

static bool
is_left(const struct open_call *o)
{
	return o->actor == OPEN_KERNEL || o->actor == OPEN_REFUSE;
}

/* Not done by the broker. Reports what the kernel will refuse. */
static void
leave(const struct open_call *o)
{
	bool is_new = o->found.object < 0 || (o->how.flags & OPEN_TMPFILE);

	if (!o->found.is_proc)
		refuse_report_by_kernel(o->request, o->path, &o->verdict,
					is_new ? (unsigned)RIGHT_CREATE
					       : open_file_rights(o->how.flags));
	if (o->actor == OPEN_REFUSE)
		notif_fail(o->request, EACCES);
	else
		notif_continue(o->request);
}

/* Decides under the lock that the path needs. Returns 0 with the lock held, or an errno without it. */
static int
lock_and_decide(struct open_call *o)
{
	int why;

	if (decide_shared(o))
		return 0;
	why = open_file_decide(o);
	for (int i = 0; why == 0 && i < TRIES; i++) {
		auto_free char *before = strdup(o->path);

		if (before == NULL)
			return ENOMEM;
		broker_lock(o->request, before);
		why = open_file_decide(o);
		if (why == 0 && strcmp(before, o->path) == 0)
			return 0;
		names_lock_release(o->request->names);
	}
	return why != 0 ? why : EAGAIN;
}

/*
 * Reading takes no lock: the object is open, so a later move does not matter, and a nest reads git files
 * to answer the lock's holder. Returns true if the name leads elsewhere by now.
 */
static bool
read_found(struct open_call *o)
{
	int why = open_file_decide(o), fd;

	if (why != 0) {
		notif_fail(o->request, why);
	} else if ((o->actor = open_actor(o)) == OPEN_KERNEL) {
		notif_continue(o->request);
	} else {
		fd = open_file_execute(o);
		if (fd >= 0)
			give(o, fd);
		else if (errno == ESTALE && o->found.object >= 0)
			return true;
		else if (errno != EINPROGRESS)
			notif_fail(o->request, errno);
	}
	return false;
}

/* Returns true if a name changed meanwhile and the path must be resolved again. */
static bool
sys_on_found(struct open_call *o)
{
	int why, fd;

	if (open_file_only_reads(o->how.flags))
		return read_found(o);
	why = lock_and_decide(o);

	if (why != 0) {
		notif_fail(o->request, why);
		return false;
	}
	o->actor = open_actor(o);
	if (is_left(o)) {
		names_lock_release(o->request->names);
		leave(o);
		return false;
	}
	fd = open_file_execute(o);
	why = errno;
	names_lock_release(o->request->names);
	errno = why;
	if (fd >= 0)
		give(o, fd);
	else if ((errno == EEXIST && o->found.object < 0 && !(o->how.flags & O_EXCL)) ||
		 (errno == ESTALE && o->found.object >= 0))
		return true;
	else if (errno != EINPROGRESS)
		notif_fail(o->request, errno);
	return false;
}

static enum lookup_follow
follow_by(uint64_t flags)
{
	bool keeps = (flags & O_NOFOLLOW) || ((flags & O_CREAT) && (flags & O_EXCL));

	return keeps ? LOOKUP_KEEP : LOOKUP_FOLLOW;
}

/* One lookup and its result. Returns true to try again. */
static bool
try_open(struct open_call *o)
{
	enum lookup_want want = o->how.flags & O_CREAT ? LOOKUP_NEW : LOOKUP_OBJECT;
	enum lookup_result end =
		lookup(o->request, o->base, o->way, want, follow_by(o->how.flags), &o->found);
	bool again = false;

	if (end != LOOKUP_FOUND)
		notif_fail(o->request, o->found.why);
	else if (notif_is_valid(o->request))
		again = sys_on_found(o);
	auto_lookup_fn(&o->found);
	return again;
}

/*
 * A file to be created is usually missing, so its lookup is skipped. If anything exists, the usual lookup
 * reports it. Returns false if nothing was done.
 */
static bool
try_create_fast(struct open_call *o)
{
	const uint64_t made = O_CREAT | O_DIRECTORY | OPEN_TMPFILE;
	int fd = -1;

	if ((o->how.flags & made) != O_CREAT || !lookup_new(o->base, o->way, &o->found))
		return false;
	if (decide_shared(o)) {
		o->actor = open_actor(o);
		if ((o->verdict.rights & RIGHT_CREATE) && o->actor == OPEN_BROKER &&
		    notif_is_valid(o->request))
			fd = open_file_execute(o);
		names_lock_release(o->request->names);
	}
	auto_lookup_fn(&o->found);
	if (fd >= 0)
		give(o, fd);
	return fd >= 0;
}

/* Contradicting flags, which the kernel checks before the path. */
static bool
is_nonsense(const struct opening_how *how)
{
	struct opening_how ask = {how->flags | O_CLOEXEC, 0, 0};

	if (!(how->flags & OPEN_TMPFILE) && !((how->flags & O_CREAT) && (how->flags & O_DIRECTORY)))
		return false;
	return syscall(SYS_openat2, -1, "", &ask, sizeof ask) < 0 && errno == EINVAL;
}

static void
open_at(const struct notif_call *request, int folder, uint64_t address,
	const struct opening_how *how)
{
	auto_opening struct open_call o = {.request = request, .how = *how};
	char path[PATH_MAX];
	auto_fd int base = -1;
	int why = is_nonsense(how) ? EINVAL : notif_path(request, address, path);

	if (why == EPERM)
		refuse_request(request, REFUSED_OPEN, CAUSE_UNREADABLE);
	if (why == 0 && (how->flags & (O_CREAT | O_TRUNC | OPEN_TMPFILE)) &&
	    !notif_has_room(request))
		why = EMFILE;
	if (why == 0 && *path == '\0')
		why = ENOENT;
	if (why == 0 && *path != '/') {
		base = notif_folder(request, folder, &why);
		why = base >= 0 ? 0 : why;
	}
	if (why != 0) {
		notif_fail(request, why);
		return;
	}
	if (how->flags & (O_CREAT | OPEN_TMPFILE))
		o.umask = notif_umask(request);
	o.base = base;
	o.way = path;
	for (int i = 0; i < TRIES; i++)
		if ((i == 0 && try_create_fast(&o)) || !try_open(&o))
			return;
	notif_fail(request, EAGAIN);
}

static void
open_plain(const struct notif_call *request, int folder, uint64_t path, uint64_t flags,
	   uint64_t mode)
{
	struct opening_how how = {flags & KNOWN_FLAGS, mode, 0};

	open_at(request, folder, path, &how);
}

void
sys_open(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	open_plain(request, AT_FDCWD, a[0], a[1], a[2]);
}

void
sys_openat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	open_plain(request, (int)a[0], a[1], a[2], a[3]);
}

void
sys_creat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	open_plain(request, AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
}

/* Enforces the caller's RLIMIT_FSIZE and sends SIGXFSZ, as the kernel does for the caller. */
static bool
may_grow(const struct open_call *o, off_t length)
{
	pid_t process = notif_process(o->request);
	struct rlimit limit;

	if (length <= o->at.st_size)
		return true;
	if (process <= 0 || prlimit(o->request->thread, RLIMIT_FSIZE, NULL, &limit) < 0)
		return errno = EPERM, false;
	if (limit.rlim_cur == RLIM_INFINITY || (rlim_t)length <= limit.rlim_cur)
		return true;
	if (notif_is_valid(o->request))
		syscall(SYS_tgkill, process, o->request->thread, SIGXFSZ);
	errno = EFBIG;
	return false;
}

/*
 * May the file have a lease, for which the kernel would wait? Compares inode numbers only; true if unsure.
 * A line with an arrow is a waiter, which follows the line of the lease.
 */
static bool
may_be_leased(const struct open_call *o)
{
	FILE *locks = fopen("/proc/locks", "re");
	bool found = locks == NULL;
	unsigned long inode;
	char line[256];

	while (!found && fgets(line, sizeof line, locks) != NULL)
		found = strstr(line, "LEASE") != NULL && strstr(line, "->") == NULL &&
			(sscanf(line, "%*s %*s %*s %*s %*s %*x:%*x:%lu", &inode) != 1 ||
			 inode == o->at.st_ino);
	if (locks != NULL)
		fclose(locks);
	return found;
}

/*
 * Truncates by /proc/self/fd: exactly the decided file, without an open that file watchers would report. A
 * leased file is opened, without blocking.
 */
static int
cut_held(struct open_call *o, off_t length)
{
	char name[40];
	auto_fd int fd = -1;

	snprintf(name, sizeof name, "/proc/self/fd/%d", o->found.object);
	if (!may_be_leased(o))
		return truncate(name, length);
	fd = open_file_reopen(o, o->found.object);
	return fd < 0 ? -1 : ftruncate(fd, length);
}

static int
cut(struct open_call *o, off_t length)
{
	if (S_ISDIR(o->at.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	errno = S_ISREG(o->at.st_mode) ? EACCES : EINVAL;
	if (!(o->verdict.rights & RIGHT_WRITE) || !S_ISREG(o->at.st_mode))
		return -1;
	if (o->actor == OPEN_STAGE && open_file_stage(o) < 0)
		return -1;
	autorun_note_path(o->request->broker, o->path, &o->at);
	return fstat(o->found.object, &o->at) < 0 || !may_grow(o, length) ? -1
									  : cut_held(o, length);
}

static void
cut_found(struct open_call *o, off_t length)
{
	int rc = -1, why = lock_and_decide(o);

	if (why != 0) {
		notif_fail(o->request, why);
		return;
	}
	o->how.flags = O_TRUNC;
	o->actor = open_actor(o);
	if (is_left(o)) {
		names_lock_release(o->request->names);
		leave(o);
		return;
	}
	o->how.flags = O_WRONLY;
	rc = cut(o, length);
	why = errno;
	names_lock_release(o->request->names);
	if (rc < 0)
		notif_fail(o->request, why);
	else
		notif_return(o->request, 0);
}

void
sys_truncate(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	auto_opening struct open_call o = {.request = request};
	char path[PATH_MAX];
	auto_fd int base = -1;
	int why = (off_t)a[1] < 0 ? EINVAL : notif_path(request, a[0], path);

	if (why == 0 && *path != '/') {
		base = notif_folder(request, AT_FDCWD, &why);
		why = base >= 0 ? 0 : why;
	}
	if (why != 0 ||
	    lookup(request, base, path, LOOKUP_OBJECT, LOOKUP_FOLLOW, &o.found) != LOOKUP_FOUND) {
		notif_fail(request, why != 0 ? why : o.found.why);
		return;
	}
	o.base = base;
	o.way = path;
	if (notif_is_valid(request))
		cut_found(&o, (off_t)a[1]);
	auto_lookup_fn(&o.found);
}
