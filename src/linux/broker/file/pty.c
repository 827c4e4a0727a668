// SPDX-License-Identifier: MIT
/*
 * Decides whose pty is opened. The layers grant only the terminals that the command was started on. Any
 * other is opened on behalf, by a thread outside the layers, and only if it is the session's: created by
 * one of its processes (then the broker opened the master), the caller's controlling terminal, or open as
 * its fd 0 to 2. Pty numbers are reused; the O_PATH fd identifies a pty, because it loses its path when the
 * pty is gone.
 */
#include "linux/broker/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/call/procfs_view.h"
#include "linux/broker/file/open_file.h"
#include "linux/broker/nest.h"
#include "linux/broker/opener.h"
#include "plan/pty.h"

#define SLAVES_FIRST 136 /* majors of the slaves in /dev/pts */
#define SLAVES_LAST 143
#define MAKES_ONE makedev(5, 2)
#define IOCTL_FOREGROUND 0x5410 /* TIOCSPGRP */

bool
pty_is_slave(const struct stat *at)
{
	return S_ISCHR(at->st_mode) && major(at->st_rdev) >= SLAVES_FIRST &&
	       major(at->st_rdev) <= SLAVES_LAST;
}

static bool
is_maker(const struct stat *at)
{
	return S_ISCHR(at->st_mode) && at->st_rdev == MAKES_ONE;
}

/* The same pty, and still there: another one can get all its numbers, but not while it exists. */
static bool
is_same(int fd, const struct stat *wanted)
{
	struct stat at;

	return fstat(fd, &at) == 0 && at.st_dev == wanted->st_dev && at.st_ino == wanted->st_ino &&
	       at.st_rdev == wanted->st_rdev && at.st_nlink > 0;
}

/* ---- open ---- */

int
pty_open_object(const struct open_call *o, int object)
{
	return plan_own_terminals(o->request->broker->plan, TERMINALS) == 0
		       ? open_file_reopen(o, object)
		       : opener_open(o, object, open_file_reopen);
}

/* ---- created ptys ---- */

/* Frees entries of ptys that no longer exist. Requires the lock. */
static void
kill_all(struct ptys *t)
{
	struct stat at;
	size_t kept = 0;

	for (size_t i = 0; i < t->made_count; i++)
		if (fstat(t->made[i].fd_path, &at) == 0 && at.st_nlink > 0)
			t->made[kept++] = t->made[i];
		else
			close(t->made[i].fd_path);
	t->made_count = kept;
}

/* A pty that is not recorded works, but its slave cannot be opened by name. */
static void
note_made(const struct notif_call *request, int master)
{
	struct ptys *t = &request->broker->terminals;
	int fd_path = ioctl(master, IOCTL_OTHER_END, O_PATH | O_CLOEXEC);

	if (fd_path < 0)
		return;
	pthread_mutex_lock(&t->lock);
	kill_all(t);
	/* leave fds for other calls */
	if (t->made_count < PTYS_MADE && (request->broker->fd_watermark == 0 ||
					  (fd_path < request->broker->fd_watermark &&
					   t->made_count < (size_t)request->broker->numbers / 8))) {
		t->made[t->made_count].nest = nest_innermost(request);
		t->made[t->made_count++].fd_path = fd_path;
		fd_path = -1;
	}
	pthread_mutex_unlock(&t->lock);
	if (fd_path >= 0)
		close(fd_path);
}

/* Returns a spare master for an open of /dev/ptmx; -1: none. */
static int
take_spare(const struct open_call *o)
{
	struct ptys *t = &o->request->broker->terminals;
	int fd = -1;

	if ((o->how.flags & (O_ACCMODE | O_PATH)) != O_RDWR ||
	    (strcmp(o->path, MAKER) != 0 && strcmp(o->path, TERMINALS "/ptmx") != 0))
		return -1;
	pthread_mutex_lock(&t->lock);
	for (int i = 0; i < TERMINALS_SPARE && fd < 0; i++) {
		fd = t->spare[i];
		t->spare[i] = -1;
	}
	pthread_mutex_unlock(&t->lock);
	if (fd >= 0)
		fcntl(fd, F_SETFL, (int)o->how.flags & (O_APPEND | O_NONBLOCK));
	return fd;
}

bool
pty_is_made(const struct notif_call *request, const struct stat *at)
{
	struct ptys *t = &request->broker->terminals;
	bool is_own = false;

	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->made_count && !is_own; i++)
		is_own = is_same(t->made[i].fd_path, at) &&
			 nest_has_inside(request, t->made[i].nest);
	pthread_mutex_unlock(&t->lock);
	return is_own;
}

/* ---- the caller's terminals ---- */

/* An O_PATH fd gives no right; nor does one for writing allow reading. */
static bool
is_open_as(const struct notif_call *request, int number, const struct stat *at, int mode)
{
	int why = EBADF;
	auto_fd int fd = notif_descriptor(request, number, &why);
	int flags = fd < 0 ? -1 : notif_flags(request, number, fd);

	return flags >= 0 && !(flags & O_PATH) && is_same(fd, at) &&
	       ((flags & O_ACCMODE) == O_RDWR || (flags & O_ACCMODE) == mode);
}

static bool
is_callers(const struct notif_call *request, const struct stat *at, const char *path, int mode)
{
	char own[PATH_MAX];

	for (int i = 0; i < 3; i++)
		if (is_open_as(request, i, at, mode))
			return true;
	return procfs_terminal(request->thread, own) && strcmp(own, path) == 0;
}

bool
pty_is_sessions(const struct notif_call *request, int object, const char *path, int mode)
{
	struct stat at;

	if (fstat(object, &at) < 0 || !pty_is_slave(&at) ||
	    plan_own_terminals(request->broker->plan, path) == 0)
		return true;
	return pty_is_made(request, &at) || is_callers(request, &at, path, mode);
}

/* ---- one open ---- */

bool
pty_is_brokered(const struct open_call *o)
{
	if (o->found.object < 0 || !S_ISCHR(o->at.st_mode) || nest_unregistered(o->request))
		return false;
	return (is_maker(&o->at) && plan_own_terminals(o->request->broker->plan, TERMINALS) != 0) ||
	       (pty_is_slave(&o->at) && (plan_own_terminals(o->request->broker->plan, o->path) &
					 open_file_rights(o->how.flags)));
}

bool
pty_is_granted(const struct open_call *o)
{
	const struct ptys *t = &o->request->broker->terminals;

	for (size_t i = 0; i < t->known_count; i++)
		if (t->known[i] == o->at.st_rdev)
			return true;
	return false;
}

static int
refuse(const struct open_call *o)
{
	refuse_report(o->request, open_file_only_reads(o->how.flags) ? REFUSED_READ : REFUSED_WRITE,
		      o->path, CAUSE_TERMINAL);
	errno = EACCES;
	return -1;
}

int
pty_open(const struct open_call *o)
{
	int fd;

	if (pty_is_slave(&o->at))
		return pty_is_sessions(o->request, o->found.object, o->path,
				       (int)o->how.flags & O_ACCMODE)
			       ? pty_open_object(o, o->found.object)
			       : refuse(o);
	fd = take_spare(o);
	if (fd < 0)
		fd = open_file_reopen(o, o->found.object);
	if (fd >= 0)
		note_made(o->request, fd);
	return fd;
}

/* ---- the slave by its master ---- */

/* Of a pty that the session created, an O_PATH fd of the slave; -1 with errno. */
static int
find_made(const struct notif_call *request, int number)
{
	struct ptys *t = &request->broker->terminals;
	struct stat at;
	int fd = -1;

	errno = number < 0 ? ENOTTY : EACCES;
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; number >= 0 && fd < 0 && i < t->made_count; i++)
		if (fstat(t->made[i].fd_path, &at) == 0 && at.st_nlink > 0 &&
		    (int)minor(at.st_rdev) == number && nest_has_inside(request, t->made[i].nest))
			fd = fcntl(t->made[i].fd_path, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&t->lock);
	return fd;
}

/* The slave by O_PATH; -1 with errno. An O_PATH fd of a master is one of /dev/ptmx, as of every other. */
static int
open_other_end_of(const struct notif_call *request, int number)
{
	int why = EBADF;
	auto_fd int master = notif_descriptor(request, number, &why);

	if (master < 0)
		return errno = why, -1;
	return request->broker->plan->facts.values[FACT_PIDFD_GETFD]
		       ? ioctl(master, IOCTL_OTHER_END, O_PATH | O_CLOEXEC)
		       : find_made(request, notif_terminal_number(request, number));
}

static int
open_other_end(struct open_call *o, int object)
{
	unsigned missing;

	o->found.object = object;
	missing = open_file_decide(o) != 0 ? RIGHT_READ : open_file_rights(o->how.flags);
	missing &= ~o->verdict.rights;
	return missing != 0 ? refuse_rights(o->request, o->path, &o->verdict, missing)
			    : pty_open_object(o, object);
}

/* TIOCGPTPEER: the owner of a master may have the slave. */
void
sys_ioctl(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct open_call o = {.request = request,
			      .how.flags = a[2] & (O_ACCMODE | O_NOCTTY | O_NONBLOCK | O_CLOEXEC),
			      .found = {.object = -1, .folder = -1}};
	auto_fd int object = -1;
	int fd;

	if ((uint32_t)a[1] == IOCTL_FOREGROUND) {
		sys_set_foreground(request);
		return;
	}
	if ((uint32_t)a[1] != IOCTL_OTHER_END) {
		notif_fail(request, EPERM);
		return;
	}
	if (nest_unregistered(request) ||
	    plan_own_terminals(request->broker->plan, TERMINALS) == 0) {
		notif_continue(request);
		return;
	}
	object = open_other_end_of(request, (int)a[0]);
	if (object >= 0 && !notif_is_valid(request))
		return;
	fd = object < 0 ? -1 : open_other_end(&o, object);
	if (fd >= 0)
		notif_give(request, fd, (a[2] & O_CLOEXEC) != 0);
	else
		notif_fail(request, errno);
}
