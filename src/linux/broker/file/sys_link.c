// SPDX-License-Identifier: MIT
/*
 * Hard links. The second name must not give a right that the first does not, in any plan of the caller, so
 * that a file denied under one name cannot be changed under another.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/decide/names.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/nest.h"
#include "linux/broker/socket/sys_socket.h"

static bool
may_link_by(const struct notif_call *request, int plan, const char *from, const char *to)
{
	struct verdict old = broker_decide_by(request, plan, from),
		       new = broker_decide_by(request, plan, to);

	return (new.rights &RIGHT_CREATE) && old.vetted == NULL && new.vetted == NULL &&
	       ((new.rights & ~old.rights) & (RIGHT_READ | RIGHT_WRITE | RIGHT_EXECUTE)) == 0;
}

/* Do all plans give the second name at most the rights of the first? */
static bool
may_link(const struct notif_call *request, const char *from, const char *to)
{
	for (int i = 0; i <= nest_depth(request); i++)
		if (!may_link_by(request, i, from, to))
			return false;
	return !nest_unregistered(request) && nest_is_complete(request);
}

static bool
may_name(const struct notif_call *request, const char *path, struct verdict *ret_verdict)
{
	*ret_verdict = broker_decide(request, path);
	return (ret_verdict->rights & RIGHT_CREATE) && ret_verdict->vetted == NULL &&
	       nest_is_complete(request);
}

/* Reports which of the two names is the reason. Between file systems the call fails in any case. */
static int
refuse_link(const struct notif_call *request, const char *from, dev_t device,
	    const struct lookup *to)
{
	struct verdict verdict = broker_decide_own(request->broker, to->path);
	struct stat at;

	if (fstat(to->folder, &at) == 0 && at.st_dev != device) {
		errno = names_is_there(to, &at) ? EEXIST : EXDEV;
		return -1;
	}
	if (!(verdict.rights & RIGHT_CREATE) || may_link_by(request, 0, from, to->path))
		return names_refuse(request, to, &verdict, RIGHT_CREATE);
	refuse_report(request, REFUSED_LINK, from, CAUSE_HARD_LINK);
	errno = names_is_there(to, &at) ? EEXIST : EACCES;
	return -1;
}

/* Links an fd: the only call that names an unnamed file. */
static int
link_descriptor(const struct notif_call *request, int fd, const struct lookup *to)
{
	auto_free char *path = NULL;
	struct verdict verdict;
	char name[40];
	struct stat at;

	if (fstat(fd, &at) < 0)
		return -1;
	path = at.st_nlink == 0 ? NULL : lookup_fd_name(fd);
	if (at.st_nlink == 0 && !may_name(request, to->path, &verdict))
		return names_refuse(request, to, &verdict, RIGHT_CREATE);
	if (at.st_nlink > 0 && path == NULL)
		return names_refuse(request, to, NULL, RIGHT_CREATE);
	if (at.st_nlink > 0 && !may_link(request, path, to->path))
		return refuse_link(request, path, at.st_dev, to);
	if (at.st_nlink > 0 && !unix_may_move(request, fd, "", path, to->path))
		return names_refuse(request, to, NULL, RIGHT_CREATE);
	if (at.st_nlink > 0)
		autorun_note_path(request->broker, path, &at);
	autorun_note_at(request->broker, to->folder, to->name, to->path);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, name, to->folder, to->name, AT_SYMLINK_FOLLOW);
}

static void
link_from_descriptor(const struct notif_call *request, int number, int to_folder, uint64_t to_path)
{
	auto_lookup struct lookup to;
	enum lookup_result end = lookup_caller_path(request, to_folder, to_path, LOOKUP_NAME, &to);
	auto_fd int fd = -1;
	int rc, why = EBADF;

	if (end == LOOKUP_FAILED) {
		notif_fail(request, to.why);
	} else if (end == LOOKUP_ELSEWHERE || !broker_covers(request, to.path, RIGHT_CREATE)) {
		notif_continue(request);
	} else {
		fd = notif_descriptor(request, number, &why);
		if (fd < 0 || !notif_is_valid(request)) {
			notif_fail(request, why);
			return;
		}
		/* the path of the fd is not known yet */
		names_lock_write(request->names, NAMES_ALL, NULL);
		names_lock_changes(&request->broker->names, to.path, NULL);
		if (!broker_is_repo_marker(to.path))
			names_lock_keep_cache(&request->broker->names);
		rc = lookup_unchanged(&to) ? link_descriptor(request, fd, &to) : -1;
		why = errno;
		names_lock_release(request->names);
		/* close first: the caller's close must be the last one */
		close(fd_take(&fd));
		errno = why;
		names_finish(request, rc);
	}
}

/* A file can be changed by its second name: both are noted. */
static int
link_names(struct broker *broker, const struct lookup *from, const struct lookup *to)
{
	autorun_note_at(broker, from->folder, from->name, from->path);
	autorun_note_at(broker, to->folder, to->name, to->path);
	return linkat(from->folder, from->name, to->folder, to->name, 0);
}

static void
make_link(const struct notif_call *request, const int folders[2], const uint64_t paths[2],
	  int flags)
{
	auto_lookup struct lookup from = LOOKUP_NONE, to = LOOKUP_NONE;
	enum lookup_result ends[2];
	struct stat at;
	int rc;

	ends[0] = lookup_caller_path(request, folders[0], paths[0],
				     flags & AT_SYMLINK_FOLLOW ? LOOKUP_FOLLOW : LOOKUP_NAME,
				     &from);
	ends[1] = lookup_caller_path(request, folders[1], paths[1], LOOKUP_NAME, &to);

	if (ends[0] == LOOKUP_FAILED || ends[1] == LOOKUP_FAILED)
		notif_fail(request, ends[0] == LOOKUP_FAILED ? from.why : to.why);
	else if (ends[0] == LOOKUP_ELSEWHERE || ends[1] == LOOKUP_ELSEWHERE ||
		 (!broker_covers(request, to.path, RIGHT_CREATE) &&
		  !broker_covers(request, from.path, RIGHTS_CHANGE)))
		notif_continue(request);
	else if (notif_is_valid(request)) {
		broker_lock_two(request, from.path, to.path);
		names_lock_changes(&request->broker->names, to.path, NULL);
		if (!broker_is_repo_marker(to.path))
			names_lock_keep_cache(&request->broker->names);
		/* trailing slashes follow a link here, unlike in the other calls */
		if (!lookup_unchanged(&from) || !lookup_unchanged(&to) ||
		    fstatat(from.folder, *from.name == '\0' ? "." : from.name, &at,
			    AT_SYMLINK_NOFOLLOW) < 0)
			rc = -1;
		else if (!S_ISDIR(at.st_mode) && !may_link(request, from.path, to.path))
			rc = refuse_link(request, from.path, at.st_dev, &to);
		else if (!S_ISDIR(at.st_mode) &&
			 (!git_symlink_may_be(request, to.path, from.folder, from.name) ||
			  !unix_may_move(request, from.folder, from.name, from.path, to.path)))
			rc = names_refuse(request, &to, NULL, RIGHT_CREATE);
		else
			rc = link_names(request->broker, &from, &to);
		names_lock_release(request->names);
		names_finish(request, rc);
	}
}

void
sys_link(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	make_link(request, (const int[]){AT_FDCWD, AT_FDCWD}, (const uint64_t[]){a[0], a[1]}, 0);
}

/* Does the fd itself get a name? */
static bool
links_itself(const struct notif_call *request, uint64_t path, int flags)
{
	char first = 'x';

	return (flags & AT_EMPTY_PATH) && notif_bytes(request, path, &first, 1) == 0 &&
	       first == '\0';
}

void
sys_linkat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	int flags = (int)a[4];
	bool itself = links_itself(request, a[1], flags);
	int number = itself			 ? (int)a[0]
		     : flags & AT_SYMLINK_FOLLOW ? lookup_caller_fd(request, a[1])
						 : -1;

	if (flags & ~(AT_EMPTY_PATH | AT_SYMLINK_FOLLOW))
		notif_fail(request, EINVAL);
	else if (number >= 0)
		link_from_descriptor(request, number, (int)a[2], a[3]);
	else if (itself)
		/* a directory has one name only */
		notif_fail(request, number == AT_FDCWD ? EPERM : EBADF);
	else
		make_link(request, (const int[]){(int)a[0], (int)a[2]},
			  (const uint64_t[]){a[1], a[3]}, flags);
}
