// SPDX-License-Identifier: MIT
/*
 * Changes of metadata. Landlock does not restrict them, so none continues in the kernel: the target is
 * opened by O_PATH, its canonical path is decided, and that fd is changed. A caller's fd is duplicated
 * first, because its number may mean another file a moment later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "git/protect/git_repo_cache.h"
#include "linux/broker/file/metadata.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/lookup.h"
#include "linux/broker/pty.h"
#include "linux/seccomp/syscalls.h"
#include "plan/shared_dirs.h"

const char *
metadata_own_name(int fd, char to[40])
{
	snprintf(to, 40, "/proc/self/fd/%d", fd);
	return to;
}

int
metadata_set_mode(int fd, mode_t kind, const struct metadata_change *change)
{
	char name[40];
	int rc;

	if (S_ISLNK(kind)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	/* BASELINE(6.6): by /proc/self/fd, which takes twice as long */
	rc = (int)syscall(SYS_fchmodat2, fd, "", change->mode, AT_EMPTY_PATH);
	return rc < 0 && (errno == ENOSYS || errno == EPERM)
		       ? chmod(metadata_own_name(fd, name), change->mode)
		       : rc;
}

int
metadata_set_owner(int fd, mode_t kind, const struct metadata_change *change)
{
	(void)kind;
	return fchownat(fd, "", change->uid, change->gid, AT_EMPTY_PATH);
}

int
metadata_set_times(int fd, mode_t kind, const struct metadata_change *change)
{
	(void)kind;
	return utimensat(fd, "", change->is_now ? NULL : change->times, AT_EMPTY_PATH);
}

/* ---- deciding ---- */

/* Would the owner lose access? An ACL can do that, too. */
/* The path of an object may change as often before everything is locked. */
#define TRIES 2

static bool
hides(const struct stat *at, const struct metadata_change *change)
{
	mode_t needed = S_ISDIR(at->st_mode) ? S_IRUSR | S_IXUSR : S_IRUSR;

	return (change->act == metadata_set_mode ||
		(change->list != LIST_NONE && !change->is_removal)) &&
	       (change->mode & needed) != needed;
}

/*
 * The mode bits that would be added. With an ACL the group bits are the mask and not the group's rights; a
 * default ACL counts as all new.
 */
static mode_t
new_bits(const char *path, const struct stat *at, const struct metadata_change *change)
{
	bool has_list = change->list != LIST_NONE &&
			lgetxattr(path, "system.posix_acl_access", NULL, 0) > 0;

	if (change->list == LIST_DEFAULT)
		return change->is_removal ? 0 : change->mode;
	return (change->is_removal ? at->st_mode : change->mode) & ~(has_list ? 0 : at->st_mode);
}

/*
 * setuid and setgid: a program would run with its owner's rights, outside any sandbox. On a directory
 * setgid only passes on its group.
 */
static bool
sets_setid(const struct stat *at, const struct metadata_change *change)
{
	return change->act == metadata_set_mode && !S_ISDIR(at->st_mode) &&
	       (change->mode & ~at->st_mode & (S_ISUID | S_ISGID)) != 0;
}

/* Could other users change a repository afterwards? The owner of a file in it can. */
static bool
opens_repository(const struct broker *broker, const char *path, const struct stat *at,
		 const struct metadata_change *change)
{
	mode_t bits = change->act == metadata_set_mode || change->list != LIST_NONE
			      ? new_bits(path, at, change)
			      : 0;

	if (change->act == metadata_set_owner &&
	    ((change->uid != (uid_t)-1 && change->uid != at->st_uid) ||
	     (change->gid != (gid_t)-1 && change->gid != at->st_gid)))
		bits = S_IWGRP | S_IWOTH;
	return *path == '/' && git_modes_closed_bits(broker, path, bits) != 0;
}

/*
 * A file whose path is too long, by fd: if it is open for writing it was decided at its open. Changes that
 * hide it or open it to others need a path.
 */
static bool
may_change_nameless(int flags, const struct stat *at, const struct metadata_change *change)
{
	return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY &&
	       !hides(at, change) && !sets_setid(at, change) && change->act != metadata_set_owner &&
	       !(change->act == metadata_set_mode && (change->mode & ~at->st_mode & 022));
}

/*
 * An object that never had a path is the caller's own; a removed one is not decided by its old path. If the
 * lock does not cover the path, *ret_elsewhere is set to it, and the caller frees it.
 */
static bool
may_change(const struct notif_call *request, const struct judged *what, const struct stat *at,
	   const struct metadata_change *change, char **ret_elsewhere)
{
	auto_free char *path = NULL;
	struct verdict verdict;
	int fd = what->object;

	if (lookup_is_procfs(fd))
		return false;
	/* some file systems do not count links */
	if (at->st_nlink == 0) {
		path = lookup_fd_name(fd);
		if (path == NULL)
			return !sets_setid(at, change);
		free(path);
	}
	verdict = broker_decide_object(request, what, broker_decide, &path);
	if (path != NULL && !names_lock_covers(request->names, path)) {
		*ret_elsewhere = path;
		path = NULL;
		return false;
	}
	if (path == NULL)
		return errno == ENAMETOOLONG && may_change_nameless(what->flags, at, change);
	if (!(verdict.rights & RIGHT_WRITE))
		refuse_rights(request, path, &verdict, RIGHT_WRITE);
	else if (!pty_is_sessions(request, fd, path, O_WRONLY))
		refuse_report(request, REFUSED_WRITE, path, CAUSE_TERMINAL);
	else if (S_ISDIR(at->st_mode) && plan_is_by_name(request->broker->plan, path))
		/* granted by a profile only for the files in it */
		refuse_report(request, REFUSED_WRITE, path, CAUSE_SHARED_DIR);
	else if (sets_setid(at, change))
		refuse_report(request, REFUSED_WRITE, path, CAUSE_SETUID);
	else if (opens_repository(request->broker, path, at, change))
		refuse_report(request, REFUSED_OPEN, path, CAUSE_GIT_MODE);
	else if (hides(at, change) && *path == '/' &&
		 !broker_is_private_tmp(request->broker, path) &&
		 git_refs_are_read(request, path, at->st_mode))
		refuse_report(request, REFUSED_HIDE, path, CAUSE_GIT_HIDE);
	else
		return true;
	return false;
}

/*
 * A device node belongs to the machine: a user of the device may not change other users' access. A pty
 * that was made in the session is its own.
 */
static bool
is_machines(const struct notif_call *request, const struct stat *at,
	    const struct metadata_change *change)
{
	return change->act != metadata_set_times &&
	       (S_ISCHR(at->st_mode) || S_ISBLK(at->st_mode)) && !pty_is_made(request, at);
}

/* A file that could not be read may be readable now. */
static void
tell(const struct broker *broker, int fd, const struct metadata_change *change)
{
	auto_free char *path = change->act == metadata_set_times ? NULL : lookup_fd_name(fd);

	if (path != NULL && broker_is_repo_marker(path))
		git_repo_cache_changed(broker->hooks, path, true);
}

/* Requires the names lock. Returns -1 with errno. *ret_elsewhere: as for may_change. */
static int
change_locked(const struct notif_call *request, const struct judged *what,
	      const struct metadata_change *change, char **ret_elsewhere)
{
	struct stat at;
	int rc;

	if (fstat(what->object, &at) < 0 || is_machines(request, &at, change) ||
	    !may_change(request, what, &at, change, ret_elsewhere))
		return errno = EACCES, -1;
	rc = change->act(what->object, at.st_mode, change);
	if (rc == 0)
		tell(request->broker, what->object, change);
	return rc;
}

/*
 * Takes ownership of the object and closes it before the answer: the caller's close must be the last one.
 */
static void
change_held(const struct notif_call *request, const struct judged *what,
	    const struct metadata_change *change)
{
	char *elsewhere = NULL;
	int rc = -1, why = EACCES;

	if (!notif_is_valid(request)) {
		close(what->object);
		return;
	}
	for (int i = 0; i == 0 || elsewhere != NULL; i++) {
		auto_free char *path = elsewhere;

		elsewhere = NULL;
		names_lock_read(request->names, i < TRIES ? path : NAMES_ALL);
		rc = change_locked(request, what, change, &elsewhere);
		why = errno;
		names_lock_release(request->names);
	}
	close(what->object);
	if (rc < 0)
		notif_fail(request, why);
	else
		notif_return(request, rc);
}

static void
change_number(const struct notif_call *request, int number, enum metadata_fd needed_fd,
	      const struct metadata_change *change)
{
	int why = EBADF;
	auto_fd int fd = notif_descriptor(request, number, &why);
	int flags = fd < 0 ? -1 : notif_flags(request, number, fd);

	if (fd < 0)
		notif_fail(request, why == EBADF && needed_fd == METADATA_PATH_FD ? ENOENT : why);
	else if (needed_fd == METADATA_OPEN_FD && (flags < 0 || (flags & O_PATH)))
		notif_fail(request, EBADF);
	else
		change_held(request, &(struct judged){.object = fd_take(&fd), .flags = flags},
			    change);
}

void
metadata_change_descriptor(const struct notif_call *request, int number,
			   const struct metadata_change *change)
{
	change_number(request, number, METADATA_OPEN_FD, change);
}

static bool
is_link(int fd)
{
	struct stat at;

	return fstat(fd, &at) == 0 && S_ISLNK(at.st_mode);
}

/*
 * Through procfs, or to a name that only the caller resolves; -1 with *ret_errno. A link that appeared
 * meanwhile is not followed: the call is then about the link.
 */
static int
open_by_steps(const struct notif_call *request, int base, const char *path,
	      enum lookup_follow follow, int *ret_errno)
{
	auto_lookup struct lookup entry = LOOKUP_NONE;
	enum lookup_result end = lookup(request, base, path, LOOKUP_ENTRY, follow, &entry);
	int fd;

	*ret_errno = entry.why;
	if (end != LOOKUP_FOUND)
		return -1;
	fd = openat(entry.folder, *entry.name == '\0' ? "." : entry.name,
		    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	*ret_errno = fd < 0 ? errno : ELOOP;
	if (fd < 0 || follow != LOOKUP_FOLLOW || !is_link(fd))
		return fd;
	close(fd);
	return -1;
}

static int
open_pinned(const struct notif_call *request, int base, const char *path, enum lookup_follow follow,
	    int *ret_errno)
{
	struct lookup found;
	enum lookup_result end =
		lookup_by_kernel(request, base, path, LOOKUP_OBJECT, follow, &found);

	*ret_errno = found.why;
	if (end != LOOKUP_ELSEWHERE)
		return found.object;
	return open_by_steps(request, base, path, follow, ret_errno);
}

void
metadata_change_path(const struct notif_call *request, int folder, uint64_t address,
		     enum lookup_follow follow, const struct metadata_change *change)
{
	char path[PATH_MAX];
	int why = notif_path(request, address, path);
	int number = why == 0 && follow == LOOKUP_FOLLOW ? lookup_fd_in_path(path) : -1;
	auto_fd int base = -1, fd = -1;

	if (number >= 0) {
		change_number(request, number, METADATA_PATH_FD, change);
		return;
	}
	if (why == 0 && *path == '\0')
		why = ENOENT;
	if (why == 0 && *path != '/') {
		base = notif_folder(request, folder, &why);
		why = base < 0 ? why : 0;
	}
	if (why == 0)
		fd = open_pinned(request, base, path, follow, &why);
	if (fd < 0)
		notif_fail(request, why);
	else
		change_held(request, &(struct judged){fd_take(&fd), false, path, base, follow, 0},
			    change);
}

/* The caller's working directory, meant by AT_FDCWD with an empty path. */
static void
change_folder(const struct notif_call *request, const struct metadata_change *change)
{
	int why = 0;
	auto_fd int fd = notif_folder(request, AT_FDCWD, &why);

	if (fd < 0)
		notif_fail(request, why);
	else
		change_held(request, &(struct judged){.object = fd_take(&fd)}, change);
}

/* Is the path empty, and is that allowed? NULL counts as empty for calls that accept it. */
static bool
is_empty(const struct notif_call *request, const struct metadata_at *at)
{
	char first = 'x';

	if (!(at->flags & AT_EMPTY_PATH))
		return false;
	return at->path == 0 ? at->null_is_empty
			     : notif_bytes(request, at->path, &first, 1) == 0 && first == '\0';
}

void
metadata_change_at(const struct notif_call *request, const struct metadata_at *at,
		   const struct metadata_change *change)
{
	if (at->flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		notif_fail(request, EINVAL);
	else if (!is_empty(request, at))
		metadata_change_path(request, at->folder, at->path,
				     at->flags & AT_SYMLINK_NOFOLLOW ? LOOKUP_KEEP : LOOKUP_FOLLOW,
				     change);
	else if (at->folder == AT_FDCWD)
		change_folder(request, change);
	else
		change_number(request, at->folder, at->needed_fd, change);
}
