// SPDX-License-Identifier: MIT
/*
 * Opens and creates files once the path is resolved. An existing file is reopened through its O_PATH fd, a
 * new one is created with O_EXCL: only the decided file is opened. Invalid requests fail with the kernel's
 * errors in the kernel's order.
 */
#include "linux/broker/file/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/call/procfs_view.h"
#include "linux/broker/file/new_mode.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/opener.h"
#include "linux/broker/pty.h"
#include "linux/seccomp/syscalls.h"
#include "plan/shared_dirs.h"

#define NO_MAGIC_LINKS 0x02
#define NO_SYMLINKS 0x04

unsigned
open_file_rights(uint64_t flags)
{
	unsigned mode = (unsigned)flags & O_ACCMODE, rights = 0;

	if (mode != O_WRONLY)
		rights |= RIGHT_READ;
	if (mode != O_RDONLY || (flags & O_TRUNC))
		rights |= RIGHT_WRITE;
	return rights;
}

bool
open_file_only_reads(uint64_t flags)
{
	return !(open_file_rights(flags) & RIGHT_WRITE) && !(flags & (O_CREAT | OPEN_TMPFILE));
}

static bool
is_nameless(uint64_t flags)
{
	return (flags & OPEN_TMPFILE) && (flags & O_DIRECTORY);
}

/* ---- new files ---- */

/* Opens a name without following a link. */
static int
open_name(const struct open_call *o, int folder, const char *name, uint64_t flags)
{
	struct opening_how how = {flags | O_CLOEXEC | O_NOCTTY, o->how.mode & OPENING_MODE,
				  NO_SYMLINKS};
	mode_t mask = o->umask | git_modes_closed_bits(o->request->broker, o->path,
						       (mode_t)o->how.mode & ~o->umask);

	how.mode = new_mode(o->request->broker, folder, (mode_t)how.mode, mask);
	return (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
}

bool
open_file_is_shared(const struct open_call *o)
{
	if (!(open_file_rights(o->how.flags) & RIGHT_READ) || o->found.is_proc)
		return false;
	return is_nameless(o->how.flags) ? shared_dirs_is_one(o->path)
					 : shared_dirs_have_entry(o->path) &&
						   (o->found.object < 0 || S_ISREG(o->at.st_mode));
}

static int
do_open(const struct open_call *o, int opened, opener_fn *open)
{
	return open_file_is_shared(o) ? opener_open(o, opened, open) : open(o, opened);
}

static int
open_new(const struct open_call *o, int folder)
{
	return open_name(o, folder, o->found.name, o->how.flags | O_CREAT | O_EXCL);
}

static int
make_file(const struct open_call *o)
{
	/* procfs fails with this errno on creation */
	if (o->found.is_proc) {
		errno = ENOENT;
		return -1;
	}
	if (!(o->verdict.rights & RIGHT_CREATE))
		return refuse_rights(o->request, o->path, &o->verdict, RIGHT_CREATE);
	return do_open(o, o->found.folder, open_new);
}

/*
 * tmpfile(3) uses one directory, whatever TMPDIR is. An unnamed file that O_EXCL keeps unnamed is the same
 * in any directory.
 */
bool
open_file_is_anywhere(const struct open_call *o)
{
	return is_nameless(o->how.flags) && (o->how.flags & O_EXCL) &&
	       o->request->broker->private_tmp != NULL && strcmp(o->path, P_tmpdir) == 0;
}

static int
open_nameless(const struct open_call *o, int object)
{
	char folder[40];

	snprintf(folder, sizeof folder, "/proc/self/fd/%d", object);
	return open(folder, ((int)o->how.flags & ~O_NOFOLLOW) | O_CLOEXEC,
		    new_mode(o->request->broker, object, (mode_t)o->how.mode & OPENING_MODE,
			     o->umask));
}

/* An unnamed file: decided like a new name in that directory. */
static int
make_nameless(const struct open_call *o)
{
	auto_free char *name = lookup_join(o->path, "\001");
	struct verdict verdict;

	if (name == NULL)
		return -1;
	verdict = broker_decide(o->request, name);
	if (!(verdict.rights & RIGHT_CREATE))
		return open_file_is_anywhere(o)
			       ? open_name(o, AT_FDCWD, o->request->broker->private_tmp,
					   o->how.flags)
			       : refuse_rights(o->request, o->path, &verdict, RIGHT_CREATE);
	return do_open(o, o->found.object, open_nameless);
}

/* ---- existing files ---- */

/*
 * O_NOFOLLOW is visible on the fd, and /proc/self/fd paths are links. So the path is opened once more, and
 * the result must be the decided object. Outside the layers only the decided path is opened: the original
 * one may lead anywhere by now.
 */
static int
open_again(const struct open_call *o, int flags)
{
	struct opening_how how = {(uint64_t)flags, 0, NO_MAGIC_LINKS};
	bool is_shared = open_file_is_shared(o);
	int fd = (int)syscall(SYS_openat2, is_shared ? -1 : o->base, is_shared ? o->path : o->way,
			      &how, sizeof how);
	struct stat at;

	if (fd < 0 ||
	    (fstat(fd, &at) == 0 && at.st_ino == o->at.st_ino && at.st_dev == o->at.st_dev))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/*
 * By the broker's own fd, so exactly the decided object is opened. Never makes a controlling terminal,
 * never blocks.
 */
int
open_file_reopen(const struct open_call *o, int object)
{
	const int kept = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME;
	const int ours = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int flags = (int)o->how.flags & ~(O_CREAT | O_EXCL), fd;
	char name[16];

	snprintf(name, sizeof name, "%d", object);
	/* not with O_TRUNC: a difference would be noticed too late */
	if ((flags & O_NOFOLLOW) && !(flags & O_TRUNC) && !o->found.by_steps &&
	    (S_ISREG(o->at.st_mode) || S_ISDIR(o->at.st_mode)))
		fd = open_again(o, flags | ours);
	else
		fd = openat(o->request->broker->own, name, (flags & ~O_NOFOLLOW) | ours);
	if (fd >= 0 && !(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags & kept);
	return fd;
}

static bool
is_own_terminal(const struct open_call *o)
{
	return S_ISCHR(o->at.st_mode) && o->at.st_rdev == makedev(5, 0);
}

/* /dev/tty is another device for each session. */
static int
open_terminal(const struct open_call *o)
{
	char path[PATH_MAX];
	auto_fd int object = -1;

	errno = ENXIO;
	if (!procfs_terminal(o->request->thread, path))
		return -1;
	object = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return object < 0 ? -1 : pty_open_object(o, object);
}

/* The kernel's error where no right would help; 0: none. */
static int
find_mistake(const struct open_call *o)
{
	uint64_t flags = o->how.flags;
	bool creates = (flags & O_CREAT) != 0;

	if (creates && (flags & O_EXCL))
		return EEXIST;
	if (S_ISLNK(o->at.st_mode))
		return flags & O_DIRECTORY ? ENOTDIR : ELOOP;
	if (S_ISDIR(o->at.st_mode))
		return creates || (open_file_rights(flags) & RIGHT_WRITE) ? EISDIR : 0;
	return flags & O_DIRECTORY ? ENOTDIR : 0;
}

static bool
must_wait(const struct open_call *o)
{
	return !(o->how.flags & O_NONBLOCK) && S_ISFIFO(o->at.st_mode) &&
	       (o->how.flags & O_ACCMODE) != O_RDWR;
}

/* Another thread waits; errno is EINPROGRESS. */
static int
wait_for_object(const struct open_call *o)
{
	int flags = (int)o->how.flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW);

	blocking_open_start(o->request, o->found.object, flags);
	errno = EINPROGRESS;
	return -1;
}

static int
open_found(const struct open_call *o)
{
	unsigned needed = open_file_rights(o->how.flags);
	int fd;

	if (is_nameless(o->how.flags) && S_ISDIR(o->at.st_mode))
		return make_nameless(o);
	errno = find_mistake(o);
	if (errno != 0)
		return -1;
	if ((o->verdict.rights & needed) != needed)
		return refuse_rights(o->request, o->path, &o->verdict, needed & ~o->verdict.rights);
	if (must_wait(o))
		return wait_for_object(o);
	if (is_own_terminal(o))
		return open_terminal(o);
	if (pty_is_brokered(o))
		return pty_open(o);
	fd = do_open(o, o->found.object, open_file_reopen);
	/* the file has a lease */
	if (fd < 0 && errno == EWOULDBLOCK && S_ISREG(o->at.st_mode) &&
	    !(o->how.flags & O_NONBLOCK))
		return wait_for_object(o);
	return fd;
}

/* ---- git files ---- */

static bool
find_place(const struct open_call *o, struct lookup *to)
{
	if (o->found.object >= 0)
		return lookup_object_parent(o->found.object, to);
	strcpy(to->name, o->found.name);
	to->path = strdup(o->path);
	to->folder = fcntl(o->found.folder, F_DUPFD_CLOEXEC, 0);
	return to->folder >= 0 && to->path != NULL;
}

int
open_file_stage(struct open_call *o)
{
	auto_lookup struct lookup at = LOOKUP_NONE;
	struct git_staging_call vetted = {.request = o->request,
					  .entry = &at,
					  .flags = o->how.flags,
					  .mode = (mode_t)o->how.mode & 0777 & ~o->umask};

	errno = EACCES;
	/* the file that replaces it is new */
	if (!(o->verdict.rights & RIGHT_CREATE) || !find_place(o, &at))
		return -1;
	switch (git_staging_open(o->request, o->verdict.vetted, &vetted)) {
	case VET_REFUSED:
		return -1;
	case VET_STAGED:
		o->number = vetted.number;
		return vetted.fd;
	default:
		return 0;
	}
}

int
open_file_decide(struct open_call *o)
{
	const struct judged what = {.object = o->found.object,
				    .is_proc = o->found.is_proc,
				    .way = o->way,
				    .base = o->base,
				    .follow = o->how.flags & O_NOFOLLOW ? LOOKUP_KEEP
									: LOOKUP_FOLLOW};
	auto_free char *folder = NULL;

	free(o->path);
	o->path = NULL;
	if (o->found.object >= 0) {
		o->verdict = broker_decide_object(
			o->request, &what,
			open_file_only_reads(o->how.flags) ? broker_decide_reading : broker_decide,
			&o->path);
		if (o->path == NULL)
			return errno;
		return fstat(o->found.object, &o->at) < 0 ? errno : 0;
	}
	folder = lookup_dir_name(o->request->deep, o->found.folder);
	if (folder == NULL)
		return errno == ENAMETOOLONG ? errno : ENOENT;
	o->path = lookup_join(folder, o->found.name);
	if (o->path == NULL)
		return ENOMEM;
	o->verdict = broker_decide(o->request, o->path);
	return 0;
}

int
open_file_execute(struct open_call *o)
{
	int vetted = o->actor == OPEN_STAGE ? open_file_stage(o) : 0;

	if (vetted != 0)
		return vetted;
	if (o->found.object < 0) {
		/* it may exist: creating it with O_EXCL shows */
		autorun_note_at(o->request->broker, o->found.folder, o->found.name, o->path);
		return make_file(o);
	}
	if (!open_file_only_reads(o->how.flags))
		autorun_note_path(o->request->broker, o->path, &o->at);
	return open_found(o);
}
