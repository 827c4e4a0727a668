// SPDX-License-Identifier: MIT
/*
 * Opening on behalf. What is there is held first, judged by its own name, and then opened through
 * our descriptor: nothing that is denied is ever opened, not even by us. What is not there is made
 * with O_EXCL. A file that is there needs the rights of its access; one that is made needs only
 * "create", and is written through the descriptor that made it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/find.h"
#include "linux/procfs.h"
#include "linux/vet.h"

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define NO_MAGIC_LINKS 0x02
#define NO_SYMLINKS 0x04
#define KNOWN_RULES 0x3f /* all that openat2 has for the way */
#define TRIES 16
#define TMPFILE_BIT 020000000
/* What open(2) looks at; the rest it drops, and openat2 would refuse. */
#define KNOWN_FLAGS                                                                            \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC |  \
	 O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | \
	 TMPFILE_BIT)

struct how {
	uint64_t flags, mode, resolve;
};

struct opening {
	struct broker *broker;
	const struct call *request;
	struct how how;
	mode_t umask;
	int base; /* borrowed: where the way starts */
	const char *way;
	struct found found;
	struct stat at;		/* of the object */
	char path[PATH_MAX];	/* of the object or the place; empty: it has none */
	struct verdict verdict; /* by that path */
	int number;		/* the descriptor's, where it is not the next that is free */
};

static unsigned
rights_of(uint64_t flags)
{
	unsigned mode = (unsigned)flags & O_ACCMODE, rights = 0;

	if (mode != O_WRONLY)
		rights |= RIGHT_READ;
	if (mode != O_RDONLY || (flags & O_TRUNC))
		rights |= RIGHT_WRITE;
	return rights;
}

static bool
only_reads(uint64_t flags)
{
	return !(rights_of(flags) & RIGHT_WRITE) && !(flags & (O_CREAT | TMPFILE_BIT));
}

static bool
is_nameless(uint64_t flags)
{
	return (flags & TMPFILE_BIT) && (flags & O_DIRECTORY);
}

/* ---- what is not there ---- */

/* A name as it is, never through a link. */
static int
open_name(const struct opening *o, int folder, const char *name, uint64_t flags)
{
	struct how how = {flags | O_CLOEXEC | O_NOCTTY, o->how.mode & 07777, NO_SYMLINKS};

	umask(o->umask);
	return (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
}

static int
make_file(const struct opening *o)
{
	/* procfs makes nothing, and says so by this word */
	errno = o->found.is_proc ? ENOENT : EACCES;
	if (o->found.is_proc || !(o->verdict.rights & RIGHT_CREATE))
		return -1;
	return open_name(o, o->found.folder, o->found.name, o->how.flags | O_CREAT | O_EXCL);
}

/* A file without a name: judged as any new name in that folder. */
static int
make_nameless(const struct opening *o)
{
	char name[PATH_MAX + 4], folder[40];

	snprintf(name, sizeof name, "%s/\001", o->path);
	errno = EACCES;
	if (!(broker_judge(o->broker, name).rights & RIGHT_CREATE))
		return -1;
	snprintf(folder, sizeof folder, "/proc/self/fd/%d", o->found.object);
	umask(o->umask);
	return open(folder, ((int)o->how.flags & ~O_NOFOLLOW) | O_CLOEXEC, o->how.mode & 07777);
}

/* ---- what is there ---- */

/*
 * O_NOFOLLOW can be seen on a descriptor afterwards, and our own names for descriptors are links.
 * So the way is gone once more, and what is at its end must be what was judged.
 */
static int
open_again(const struct opening *o, int flags)
{
	struct how how = {(uint64_t)flags, 0, o->how.resolve | NO_MAGIC_LINKS};
	int fd = (int)syscall(SYS_openat2, o->base, o->way, &how, sizeof how);
	struct stat at;

	if (fd < 0 ||
	    (fstat(fd, &at) == 0 && at.st_ino == o->at.st_ino && at.st_dev == o->at.st_dev))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/* Through our own descriptor: what was judged is what is opened. Never our terminal, never waiting. */
static int
open_object(const struct opening *o, int object)
{
	const int kept = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME;
	const int ours = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int flags = (int)o->how.flags & ~(O_CREAT | O_EXCL), fd;
	char name[40];

	snprintf(name, sizeof name, "/proc/self/fd/%d", object);
	if ((flags & O_NOFOLLOW) && !o->found.by_steps &&
	    (S_ISREG(o->at.st_mode) || S_ISDIR(o->at.st_mode)))
		fd = open_again(o, flags | ours);
	else
		fd = open(name, (flags & ~O_NOFOLLOW) | ours);
	if (fd >= 0 && !(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags & kept);
	return fd;
}

static bool
is_own_terminal(const struct opening *o)
{
	return S_ISCHR(o->at.st_mode) && o->at.st_rdev == makedev(5, 0);
}

/* /dev/tty is another device for everybody who opens it. */
static int
open_terminal(const struct opening *o)
{
	char path[PATH_MAX];
	auto_fd int object = -1;

	errno = ENXIO;
	if (!procfs_terminal(o->request->thread, path))
		return -1;
	object = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return object < 0 ? -1 : open_object(o, object);
}

/* The kernel's own words for what no right could help with; 0: none. */
static int
find_mistake(const struct opening *o)
{
	uint64_t flags = o->how.flags;
	bool creates = (flags & O_CREAT) != 0;

	if (creates && (flags & O_EXCL))
		return EEXIST;
	if (S_ISLNK(o->at.st_mode))
		return flags & O_DIRECTORY ? ENOTDIR : ELOOP;
	if (S_ISDIR(o->at.st_mode))
		return creates || (rights_of(flags) & RIGHT_WRITE) ? EISDIR : 0;
	return flags & O_DIRECTORY ? ENOTDIR : 0;
}

static bool
must_wait(const struct opening *o)
{
	return !(o->how.flags & O_NONBLOCK) && S_ISFIFO(o->at.st_mode) &&
	       (o->how.flags & O_ACCMODE) != O_RDWR;
}

/* Waiting is done elsewhere; then there is nothing to give yet, and errno is EINPROGRESS. */
static int
wait_for_object(const struct opening *o)
{
	int flags = (int)o->how.flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW | O_TRUNC);

	broker_wait_and_give(o->broker, o->request, o->found.object, flags);
	errno = EINPROGRESS;
	return -1;
}

static int
open_found(const struct opening *o)
{
	unsigned needed = rights_of(o->how.flags);
	int fd;

	if (is_nameless(o->how.flags) && S_ISDIR(o->at.st_mode))
		return make_nameless(o);
	errno = find_mistake(o);
	if (errno != 0)
		return -1;
	errno = EACCES;
	if ((o->verdict.rights & needed) != needed)
		return -1;
	if (must_wait(o))
		return wait_for_object(o);
	if (is_own_terminal(o))
		return open_terminal(o);
	fd = open_object(o, o->found.object);
	/* somebody has a lease on it */
	if (fd < 0 && errno == EWOULDBLOCK && S_ISREG(o->at.st_mode) &&
	    !(o->how.flags & O_NONBLOCK))
		return wait_for_object(o);
	return fd;
}

/* ---- git's own files ---- */

static bool
find_spot(const struct opening *o, struct spot *to)
{
	if (o->found.object >= 0)
		return broker_place(o->found.object, to);
	strcpy(to->name, o->found.name);
	strcpy(to->path, o->path);
	to->folder = fcntl(o->found.folder, F_DUPFD_CLOEXEC, 0);
	return to->folder >= 0;
}

/* A file of git's: what is handed out is not the file itself. -1: refused; 0: open it. */
static int
open_vetted(struct opening *o)
{
	auto_spot struct spot spot = {.folder = -1};
	struct vet_open vetted = {.request = o->request,
				  .place = &spot,
				  .flags = o->how.flags,
				  .mode = (mode_t)o->how.mode & 0777 & ~o->umask};

	if (o->verdict.vetted == NULL || !(o->verdict.rights & RIGHTS_CHANGE) ||
	    only_reads(o->how.flags))
		return 0;
	errno = EACCES;
	/* what is put in its place is new */
	if (!(o->verdict.rights & RIGHT_CREATE) || !find_spot(o, &spot))
		return -1;
	switch (vet_open(o->broker, o->verdict.vetted, &vetted)) {
	case VET_REFUSED:
		return -1;
	case VET_DESK:
		o->number = vetted.number;
		return vetted.fd;
	default:
		return 0;
	}
}

/* ---- the whole ---- */

/* Fills path and verdict; 0, or an errno. */
static int
judge(struct opening *o)
{
	char folder[PATH_MAX];

	if (o->found.object >= 0) {
		o->verdict = broker_judge_object(
			o->broker, o->request, o->found.object,
			only_reads(o->how.flags) ? broker_judge_reading : broker_judge, o->path);
		return fstat(o->found.object, &o->at) < 0 ? errno : 0;
	}
	if (!walk_name(o->found.folder, folder))
		return ENOENT;
	if (snprintf(o->path, sizeof o->path, "%s/%.*s", strcmp(folder, "/") == 0 ? "" : folder,
		     (int)strcspn(o->found.name, "/"), o->found.name) >= (int)sizeof o->path)
		return ENAMETOOLONG;
	o->verdict = broker_judge(o->broker, o->path);
	return 0;
}

/*
 * BASELINE(6.2): Landlock does not see that a file is cut, so no cut is left to it, wherever it is.
 * A device has nothing to cut; opened for writing it is Landlock's all the same.
 */
static bool
is_unseen_cut(const struct opening *o)
{
	if (o->broker->plan->facts.values[FACT_LANDLOCK_ABI] >= 3 || !(o->how.flags & O_TRUNC))
		return false;
	return (o->how.flags & O_ACCMODE) == O_RDONLY || o->found.object < 0 ||
	       !S_ISCHR(o->at.st_mode);
}

/*
 * Not ours to decide: what it would change is withheld nowhere there. Where reading is guarded
 * nothing is: the layer grants reading for the sake of programs, and the path may change meanwhile.
 */
static bool
is_native(const struct opening *o)
{
	unsigned rights = rights_of(o->how.flags);

	if (o->broker->reads)
		return false;
	if (*o->path == '\0' || o->found.is_proc)
		return true;
	if (o->how.flags & (O_CREAT | TMPFILE_BIT))
		rights |= RIGHT_CREATE;
	return !broker_guards(o->broker, o->path, rights) && !is_unseen_cut(o);
}

static void
give(const struct opening *o, int fd)
{
	/* a copy of ours that lives a moment longer is seen only if it can write, or is a pipe's */
	bool is_quiet = (o->how.flags & O_ACCMODE) == O_RDONLY && o->found.object >= 0 &&
			(S_ISREG(o->at.st_mode) || S_ISDIR(o->at.st_mode));

	if (o->number > 0)
		request_give_as(o->request, fd, o->number, (o->how.flags & O_CLOEXEC) != 0);
	else
		request_give(o->request, fd, (o->how.flags & O_CLOEXEC) != 0, is_quiet);
}

/* Judges under the lock that the path wants; 0 with the lock held, or an errno without. */
static int
lock_and_judge(struct opening *o)
{
	char before[PATH_MAX];
	int why = judge(o);

	for (int i = 0; why == 0 && i < TRIES; i++) {
		strcpy(before, o->path);
		broker_lock(o->broker, before);
		why = judge(o);
		if (why == 0 && strcmp(before, o->path) == 0)
			return 0;
		pthread_rwlock_unlock(&o->broker->names);
	}
	return why != 0 ? why : EAGAIN;
}

static int
open_or_make(struct opening *o)
{
	int vetted = open_vetted(o);

	if (vetted != 0)
		return vetted;
	return o->found.object >= 0 ? open_found(o) : make_file(o);
}

/*
 * What is only read needs no lock: it is held, and a move after the question is a move after the
 * answer.
 */
static void
read_found(struct opening *o)
{
	int why = judge(o), fd;

	if (why != 0) {
		request_fail(o->request, why);
	} else if (is_native(o)) {
		request_continue(o->request);
	} else {
		fd = open_found(o);
		if (fd >= 0)
			give(o, fd);
		else if (errno != EINPROGRESS)
			request_fail(o->request, errno);
	}
}

/* True when a name changed under our eyes and the way must be gone again. */
static bool
act_on_found(struct opening *o)
{
	int why, fd;

	if (only_reads(o->how.flags) && !(o->how.flags & O_NOFOLLOW)) {
		read_found(o);
		return false;
	}
	why = lock_and_judge(o);

	if (why != 0) {
		request_fail(o->request, why);
		return false;
	}
	if (is_native(o)) {
		pthread_rwlock_unlock(&o->broker->names);
		request_continue(o->request);
		return false;
	}
	fd = open_or_make(o);
	why = errno;
	pthread_rwlock_unlock(&o->broker->names);
	errno = why;
	if (fd >= 0)
		give(o, fd);
	else if ((errno == EEXIST && o->found.object < 0 && !(o->how.flags & O_EXCL)) ||
		 (errno == ESTALE && o->found.object >= 0))
		return true;
	else if (errno != EINPROGRESS)
		request_fail(o->request, errno);
	return false;
}

static unsigned
find_how(uint64_t flags)
{
	unsigned how = 0;

	if ((flags & O_NOFOLLOW) || ((flags & O_CREAT) && (flags & O_EXCL)))
		how |= FIND_KEEP;
	if (flags & O_CREAT)
		how |= FIND_PLACE;
	return how;
}

/* One walk and what follows from it; true: once more. */
static bool
try_open(struct opening *o)
{
	unsigned how = find_how(o->how.flags);
	bool found = o->how.resolve == 0
			     ? find(o->request, o->base, o->way, how, &o->found)
			     : find_by_rules(o->base, o->way, how, o->how.resolve, &o->found);
	bool again = false;

	if (!found)
		request_fail(o->request, o->found.why);
	else if (request_is_valid(o->request))
		again = act_on_found(o);
	if (found)
		auto_found_fn(&o->found);
	return again;
}

/* Flags that contradict each other: the kernel looks at them before it looks at the path. */
static bool
is_nonsense(const struct how *how)
{
	struct how ask = {how->flags | O_CLOEXEC, 0, 0};

	if (!(how->flags & TMPFILE_BIT) && !((how->flags & O_CREAT) && (how->flags & O_DIRECTORY)))
		return false;
	return syscall(SYS_openat2, -1, "", &ask, sizeof ask) < 0 && errno == EINVAL;
}

static void
open_at(struct broker *broker, const struct call *request, int folder, uint64_t address,
	const struct how *how)
{
	struct opening o = {.broker = broker, .request = request, .how = *how};
	char path[PATH_MAX];
	auto_fd int base = -1;
	int why = is_nonsense(how) ? EINVAL : request_path(request, address, path);

	if (why == 0 && (*path != '/' || how->resolve != 0)) {
		base = request_folder(request, folder, &why);
		why = base >= 0 ? 0 : why;
	}
	if (why != 0) {
		request_fail(request, why);
		return;
	}
	if (how->flags & (O_CREAT | TMPFILE_BIT))
		o.umask = request_umask(request);
	o.base = base;
	o.way = path;
	for (int i = 0; i < TRIES; i++)
		if (!try_open(&o))
			return;
	request_fail(request, EAGAIN);
}

static void
open_plain(struct broker *broker, const struct call *request, int folder, uint64_t path,
	   uint64_t flags, uint64_t mode)
{
	struct how how = {flags & KNOWN_FLAGS, mode, 0};

	open_at(broker, request, folder, path, &how);
}

void
act_open(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	open_plain(broker, request, AT_FDCWD, a[0], a[1], a[2]);
}

void
act_openat(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	open_plain(broker, request, (int)a[0], a[1], a[2], a[3]);
}

void
act_creat(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	open_plain(broker, request, AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
}

/*
 * Its flags lie in memory, so all of them come here, but only where no reading is guarded: what must
 * not be left to the kernel could not be answered, for O_PATH cannot be handed over. What the kernel
 * would call a mistake is left to it.
 */
void
act_openat2(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	struct how how = {0};
	int why;

	if (broker->reads || a[3] < sizeof how) {
		request_fail(request, broker->reads ? ENOSYS : EINVAL);
		return;
	}
	why = request_bytes(request, a[2], &how, sizeof how);
	if (why != 0)
		request_fail(request, why);
	else if (how.flags & O_PATH || how.resolve & ~(uint64_t)KNOWN_RULES || a[3] != sizeof how ||
		 how.flags & ~(uint64_t)KNOWN_FLAGS || how.mode & ~(uint64_t)07777 ||
		 (how.mode != 0 && !(how.flags & (O_CREAT | TMPFILE_BIT))))
		request_continue(request);
	else
		open_at(broker, request, (int)a[0], a[1], &how);
}

/* Opened first, cut by descriptor: what was judged is what is cut. */
static int
cut(struct opening *o, off_t length)
{
	auto_fd int fd = -1;

	if (S_ISDIR(o->at.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	errno = S_ISREG(o->at.st_mode) ? EACCES : EINVAL;
	if (!(o->verdict.rights & RIGHT_WRITE) || !S_ISREG(o->at.st_mode))
		return -1;
	if (open_vetted(o) < 0)
		return -1;
	fd = open_object(o, o->found.object);
	return fd < 0 ? -1 : ftruncate(fd, length);
}

static void
cut_found(struct opening *o, off_t length)
{
	int rc = -1, why = lock_and_judge(o);

	if (why != 0) {
		request_fail(o->request, why);
		return;
	}
	o->how.flags = O_TRUNC;
	if (is_native(o)) {
		pthread_rwlock_unlock(&o->broker->names);
		request_continue(o->request);
		return;
	}
	o->how.flags = O_WRONLY;
	rc = cut(o, length);
	why = errno;
	pthread_rwlock_unlock(&o->broker->names);
	if (rc < 0)
		request_fail(o->request, why);
	else
		request_return(o->request, 0);
}

void
act_truncate(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	struct opening o = {.broker = broker, .request = request};
	char path[PATH_MAX];
	auto_fd int base = -1;
	int why = request_path(request, a[0], path);

	if (why == 0 && *path != '/') {
		base = request_folder(request, AT_FDCWD, &why);
		why = base >= 0 ? 0 : why;
	}
	if (why == 0 && (off_t)a[1] < 0)
		why = EINVAL;
	if (why != 0 || !find(request, base, path, 0, &o.found)) {
		request_fail(request, why != 0 ? why : o.found.why);
		return;
	}
	if (request_is_valid(request))
		cut_found(&o, (off_t)a[1]);
	auto_found_fn(&o.found);
}
