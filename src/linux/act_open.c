// SPDX-License-Identifier: MIT
/*
 * Opening on behalf. A file that is there needs the rights of its access; one that is made needs
 * only "create", and is written through the descriptor that made it. Which of the two it is, the
 * kernel says in one step: opened without O_CREAT, or made with O_EXCL.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/vet.h"

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define NO_SYMLINKS 0x04
#define TRIES 16
#define PARKED_MAX 64
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
	struct call request;
	struct how how;
	struct spot place;
	mode_t umask;
	int number; /* the descriptor's, where it is not the next that is free */
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

/* The name as it is, never through a link; never our terminal, never waiting. */
static int
open_once(const struct opening *o, uint64_t flags)
{
	struct how how = {flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0, NO_SYMLINKS};

	if (flags & (O_CREAT | TMPFILE_BIT))
		how.mode = o->how.mode & 07777;
	return (int)syscall(SYS_openat2, o->place.folder,
			    *o->place.name == '\0' ? "." : o->place.name, &how, sizeof how);
}

static bool
is_there(const struct spot *place)
{
	struct stat at;

	return fstatat(place->folder, *place->name == '\0' ? "." : place->name, &at,
		       AT_SYMLINK_NOFOLLOW) == 0;
}

/* -1 with errno. EEXIST from here means that the name appeared meanwhile. */
static int
open_or_make(const struct opening *o, unsigned rights)
{
	unsigned needed = rights_of(o->how.flags);
	bool may_open = (rights & needed) == needed;
	int fd = -1;

	errno = EACCES;
	if (may_open)
		fd = open_once(o, o->how.flags & ~(uint64_t)O_CREAT);
	else if (!is_there(&o->place))
		errno = ENOENT;
	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (!(rights & RIGHT_CREATE)) {
		errno = EACCES;
		return -1;
	}
	return open_once(o, o->how.flags | O_EXCL);
}

static int
make_new(const struct opening *o, unsigned rights)
{
	if (rights & RIGHT_CREATE)
		return open_once(o, o->how.flags);
	errno = is_there(&o->place) ? EEXIST : EACCES;
	return -1;
}

static int
open_existing(const struct opening *o, unsigned rights)
{
	unsigned needed = rights_of(o->how.flags);

	if ((rights & needed) == needed)
		return open_once(o, o->how.flags);
	errno = is_there(&o->place) ? EACCES : ENOENT;
	return -1;
}

/* A file without a name: judged as any new name in that folder. */
static int
make_nameless(const struct opening *o)
{
	char name[PATH_MAX + 4];

	snprintf(name, sizeof name, "%s/\001", o->place.path);
	if (broker_judge(o->broker, name).rights & RIGHT_CREATE)
		return open_once(o, o->how.flags);
	errno = EACCES;
	return -1;
}

/* A file of git's: what is handed out is not the file itself. -1: refused; 0: open it. */
static int
open_vetted(struct opening *o, const struct verdict *verdict)
{
	struct vet_open vetted = {.request = &o->request,
				  .place = &o->place,
				  .flags = o->how.flags,
				  .mode = (mode_t)o->how.mode & 0777 & ~o->umask};

	if (verdict->vetted == NULL || !(verdict->rights & RIGHT_CREATE))
		return 0;
	switch (vet_open(o->broker, verdict->vetted, &vetted)) {
	case VET_REFUSED:
		return -1;
	case VET_DESK:
		o->number = vetted.number;
		return vetted.fd;
	default:
		return 0;
	}
}

static int
open_by_rights(struct opening *o)
{
	struct verdict verdict = broker_judge(o->broker, o->place.path);
	unsigned rights = verdict.rights;
	uint64_t flags = o->how.flags;
	int vetted = open_vetted(o, &verdict);

	if (vetted != 0)
		return vetted;

	if ((flags & TMPFILE_BIT) && (flags & O_DIRECTORY))
		return make_nameless(o);
	if ((flags & O_CREAT) && !o->place.is_folder_itself && strchr(o->place.name, '/') != NULL) {
		errno = EISDIR;
		return -1;
	}
	if (!(flags & O_CREAT))
		return open_existing(o, rights);
	return flags & O_EXCL ? make_new(o, rights) : open_or_make(o, rights);
}

/* O_CREAT on a folder is an error that opening without it does not make. */
static int
check_opened(const struct opening *o, int fd)
{
	struct stat at;
	int flags;

	if ((o->how.flags & O_CREAT) && fstat(fd, &at) == 0 && S_ISDIR(at.st_mode)) {
		close(fd);
		errno = EISDIR;
		return -1;
	}
	flags = fcntl(fd, F_GETFL);
	if (!(o->how.flags & O_NONBLOCK) && flags >= 0)
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	return fd;
}

/* ---- pipes with a name, which make their openers wait for each other ---- */

static void *
wait_for_peer(void *argument)
{
	struct opening *o = argument;
	struct how how = {o->how.flags | O_CLOEXEC | O_NOCTTY, 0, NO_SYMLINKS};
	int fd;

	how.flags &= ~(uint64_t)(O_CREAT | O_EXCL | O_TRUNC);
	fd = (int)syscall(SYS_openat2, o->place.folder, o->place.name, &how, sizeof how);
	if (fd < 0)
		request_fail(&o->request, errno);
	else
		request_give(&o->request, fd, (o->how.flags & O_CLOEXEC) != 0);
	close(o->place.folder);
	__atomic_sub_fetch(&o->broker->parked, 1, __ATOMIC_RELAXED);
	free(o);
	return NULL;
}

/* Off the threads that receive, in one of its own; a caller that parks many is refused. */
static void
park(const struct opening *o)
{
	struct opening *copy = malloc(sizeof *copy);
	pthread_attr_t attributes;
	pthread_t thread;
	int why = EAGAIN;

	if (copy != NULL &&
	    __atomic_add_fetch(&o->broker->parked, 1, __ATOMIC_RELAXED) <= PARKED_MAX &&
	    pthread_attr_init(&attributes) == 0) {
		*copy = *o;
		copy->place.folder = fcntl(o->place.folder, F_DUPFD_CLOEXEC, 0);
		pthread_attr_setstacksize(&attributes, 64 * 1024);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		why = pthread_create(&thread, &attributes, wait_for_peer, copy);
		pthread_attr_destroy(&attributes);
		if (why == 0)
			return;
	}
	__atomic_sub_fetch(&o->broker->parked, 1, __ATOMIC_RELAXED);
	free(copy);
	request_fail(&o->request, why);
}

static bool
must_wait(const struct opening *o)
{
	struct stat at;

	return !(o->how.flags & O_NONBLOCK) && (o->how.flags & O_ACCMODE) != O_RDWR &&
	       fstatat(o->place.folder, o->place.name, &at, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISFIFO(at.st_mode);
}

static void
open_pipe(const struct opening *o)
{
	unsigned needed = rights_of(o->how.flags);

	if ((o->how.flags & O_CREAT) && (o->how.flags & O_EXCL))
		request_fail(&o->request, EEXIST);
	else if ((broker_judge(o->broker, o->place.path).rights & needed) != needed)
		request_fail(&o->request, EACCES);
	else
		park(o);
}

/* ---- the whole ---- */

/* True when a name changed under our eyes and the way must be gone again. */
static bool
act_on_place(struct opening *o, bool keep)
{
	uint64_t flags = o->how.flags;
	int fd;

	if (must_wait(o)) {
		open_pipe(o);
		return false;
	}
	umask(o->umask);
	o->number = 0;
	broker_lock(o->broker, o->place.path);
	fd = open_by_rights(o);
	pthread_rwlock_unlock(&o->broker->names);
	if (fd >= 0)
		fd = check_opened(o, fd);
	if (fd >= 0 && o->number > 0)
		request_give_as(&o->request, fd, o->number, (flags & O_CLOEXEC) != 0);
	else if (fd >= 0)
		request_give(&o->request, fd, (flags & O_CLOEXEC) != 0);
	else if ((errno == ELOOP && !keep) ||
		 (errno == EEXIST && (flags & O_CREAT) && !(flags & O_EXCL)))
		return true;
	else
		request_fail(&o->request, errno);
	return false;
}

/*
 * BASELINE(6.2): Landlock does not see that a file is cut, so no cut is left to it, wherever it is.
 * A device has nothing to cut; opened for writing it is Landlock's all the same.
 */
static bool
is_unseen_cut(const struct opening *o)
{
	struct stat at;

	if (o->broker->plan->facts.values[FACT_LANDLOCK_ABI] >= 3 || !(o->how.flags & O_TRUNC))
		return false;
	return (o->how.flags & O_ACCMODE) == O_RDONLY ||
	       fstatat(o->place.folder, o->place.name, &at, AT_SYMLINK_NOFOLLOW) < 0 ||
	       !S_ISCHR(at.st_mode);
}

/* Not ours to decide: neither what it reads nor what it may change is withheld there. */
static bool
is_native(const struct opening *o)
{
	unsigned rights = rights_of(o->how.flags);

	if (o->how.flags & (O_CREAT | TMPFILE_BIT))
		rights |= RIGHT_CREATE;
	return !broker_guards(o->broker, o->place.path, rights) && !is_unseen_cut(o);
}

/* One walk and what follows from it; true: once more. */
static bool
try_open(struct opening *o, int folder, uint64_t path)
{
	uint64_t flags = o->how.flags;
	bool keep = (flags & O_NOFOLLOW) || ((flags & O_CREAT) && (flags & O_EXCL)), again = false;
	enum walk_end end =
		broker_walk(&o->request, folder, path, keep ? WALK_KEEP : WALK_FOLLOW, &o->place);

	if (end == WALK_FAILED)
		request_fail(&o->request, o->place.why);
	else if (end == WALK_ELSEWHERE || is_native(o))
		request_continue(&o->request);
	else if (request_is_valid(&o->request))
		again = act_on_place(o, keep);
	if (end == WALK_FOUND)
		close(o->place.folder);
	return again;
}

static void
open_at(struct broker *broker, const struct call *request, int folder, uint64_t path,
	const struct how *how)
{
	struct opening o = {.broker = broker, .request = *request, .how = *how};

	if (how->flags & (O_CREAT | TMPFILE_BIT))
		o.umask = request_umask(request);
	for (int i = 0; i < TRIES; i++)
		if (!try_open(&o, folder, path))
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
 * Its flags lie in memory, so all of them come here. Rules for the way (RESOLVE_*) are the caller's
 * own: such a call goes on as it is, and inside a guarded tree it can only read.
 */
void
act_openat2(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	struct how how = {0};
	int why;

	if (a[3] < sizeof how) {
		request_fail(request, EINVAL);
		return;
	}
	why = request_bytes(request, a[2], &how, sizeof how);
	if (why != 0)
		request_fail(request, why);
	else if (how.flags & O_PATH || how.resolve != 0 || a[3] != sizeof how ||
		 how.flags & ~(uint64_t)KNOWN_FLAGS)
		request_continue(request);
	else
		open_at(broker, request, (int)a[0], a[1], &how);
}

static int
open_cuttable(struct opening *o)
{
	struct verdict verdict = broker_judge(o->broker, o->place.path);

	if (open_vetted(o, &verdict) < 0)
		return -1;
	return open_existing(o, verdict.rights);
}

static void
cut(struct opening *o, off_t length)
{
	auto_fd int fd = -1;

	/* opened first, cut by descriptor: what was judged is what is cut */
	o->how.flags = O_WRONLY;
	pthread_rwlock_rdlock(&o->broker->names);
	fd = open_cuttable(o);
	pthread_rwlock_unlock(&o->broker->names);
	if (fd < 0)
		request_fail(&o->request, errno == ENXIO ? EINVAL : errno);
	else if (ftruncate(fd, length) < 0)
		request_fail(&o->request, errno);
	else
		request_return(&o->request, 0);
}

void
act_truncate(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	struct opening o = {.broker = broker, .request = *request, .how = {.flags = O_TRUNC}};
	enum walk_end end = broker_walk(request, AT_FDCWD, a[0], WALK_FOLLOW, &o.place);

	if (end == WALK_FAILED)
		request_fail(request, o.place.why);
	else if (end == WALK_ELSEWHERE || is_native(&o))
		request_continue(request);
	else
		cut(&o, (off_t)a[1]);
	auto_spot_fn(&o.place);
}
