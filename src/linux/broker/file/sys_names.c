// SPDX-License-Identifier: MIT
/*
 * Creates and removes names on behalf. Each call becomes a directory and name, a decision, and the same
 * call on the open directory. A refusal has the kernel's errno: an existing name cannot be created, a
 * missing one cannot be removed, and only then rights matter.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/broker/decide/names.h"
#include "linux/broker/file/new_mode.h"
#include "linux/broker/git/git_check.h"

/* ---- one name ---- */

/* The operation on a name. */
struct name_change {
	int (*act)(const struct lookup *entry, const struct name_change *change);
	unsigned right; /* RIGHT_CREATE or RIGHT_DELETE */
	mode_t mode, umask;
	int flags;
	const char *text;
	const struct broker *broker;
	bool has_setid; /* the requested mode has setuid or setgid: never continue in the kernel */
};

static int
do_mkdir(const struct lookup *entry, const struct name_change *change)
{
	return mkdirat(entry->folder, entry->name,
		       new_mode(change->broker, entry->folder, change->mode, change->umask));
}

static int
do_mknod(const struct lookup *entry, const struct name_change *change)
{
	return mknodat(entry->folder, entry->name,
		       new_mode(change->broker, entry->folder, change->mode, change->umask), 0);
}

static int
do_symlink(const struct lookup *entry, const struct name_change *change)
{
	return symlinkat(change->text, entry->folder, entry->name);
}

static int
do_unlink(const struct lookup *entry, const struct name_change *change)
{
	return unlinkat(entry->folder, entry->name, change->flags);
}

/* Inspected names may be removed: their replacement is inspected. */
static int
do_change(const struct notif_call *request, const struct lookup *entry,
	  const struct name_change *change)
{
	struct verdict verdict = broker_decide(request, entry->path);
	struct stat at;

	if (!(verdict.rights & change->right)) {
		if (change->act == do_mkdir && !names_is_there(entry, &at))
			refuse_folder(request, entry->path, &verdict);
		return names_refuse(request, entry, &verdict, change->right);
	}
	if (verdict.vetted != NULL && change->right == RIGHT_CREATE &&
	    !names_is_there(entry, &at) &&
	    !git_check_may_make(request, entry->path, verdict.vetted, change->act == do_mkdir))
		return -1;
	if (change->act == do_symlink && !names_is_there(entry, &at) &&
	    !git_symlink_may_point(request, entry->path, change->text))
		return -1;
	autorun_note_at(request->broker, entry->folder, entry->name, entry->path);
	return change->act(entry, change);
}

/* Whether the name exists decides the kernel's errno. */
static void
leave(const struct notif_call *request, const struct lookup *entry,
      const struct name_change *change)
{
	struct broker *broker = request->broker;
	struct verdict verdict;
	struct stat at;

	if (broker->events >= 0 && entry->folder >= 0 && *entry->path == '/' &&
	    names_is_there(entry, &at) == (change->right == RIGHT_DELETE)) {
		verdict = broker_decide_own(broker, entry->path);
		if (change->act == do_mkdir)
			refuse_folder(request, entry->path, &verdict);
		else
			refuse_report_by_kernel(request, entry->path, &verdict, change->right);
	}
	notif_continue(request);
}

static void
sys_on(const struct notif_call *request, int folder, uint64_t path, struct name_change *change)
{
	auto_lookup struct lookup entry;
	enum lookup_result end = lookup_caller_path(request, folder, path, LOOKUP_NAME, &entry);
	int rc;

	if (end == LOOKUP_FAILED)
		notif_fail(request, entry.why);
	else if ((end == LOOKUP_ELSEWHERE || !broker_covers(request, entry.path, change->right)) &&
		 change->has_setid)
		notif_fail(request, EPERM);
	else if (end == LOOKUP_ELSEWHERE || !broker_covers(request, entry.path, change->right))
		leave(request, &entry, change);
	else if (notif_is_valid(request)) {
		change->broker = request->broker;
		if (change->right == RIGHT_CREATE) {
			change->umask = notif_umask(request);
			change->umask |= git_modes_closed_bits(request->broker, entry.path,
							       change->mode & ~change->umask);
		}
		broker_lock(request, entry.path);
		rc = lookup_unchanged(&entry) ? do_change(request, &entry, change) : -1;
		names_lock_release(request->names);
		names_finish(request, rc);
	}
}

void
sys_mkdir(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct name_change change = {.act = do_mkdir, .right = RIGHT_CREATE, .mode = (mode_t)a[1]};

	sys_on(request, AT_FDCWD, a[0], &change);
}

void
sys_mkdirat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct name_change change = {.act = do_mkdir, .right = RIGHT_CREATE, .mode = (mode_t)a[2]};

	sys_on(request, (int)a[0], a[1], &change);
}

/* The kernel's error for a node type, before it looks at the path; 0: none. */
static int
find_kind_mistake(mode_t mode)
{
	switch (mode & S_IFMT) {
	case 0:
	case S_IFREG:
	case S_IFIFO:
	case S_IFSOCK:
	case S_IFCHR:
	case S_IFBLK:
		return 0;
	case S_IFDIR:
		return EPERM;
	default:
		return EINVAL;
	}
}

/* An invalid new name fails before rights are checked. */
static int
find_name_mistake(const struct lookup *entry)
{
	struct stat at;

	if (names_is_there(entry, &at))
		return EEXIST;
	if (strchr(entry->name, '/') != NULL)
		return ENOENT;
	return faccessat(entry->folder, ".", W_OK | X_OK, AT_EACCESS) < 0 ? errno : EPERM;
}

static void
refuse_device(const struct notif_call *request, int folder, uint64_t path)
{
	auto_lookup struct lookup entry;
	enum lookup_result end = lookup_caller_path(request, folder, path, LOOKUP_NAME, &entry);

	if (end == LOOKUP_ELSEWHERE)
		entry.why = entry.why == ENOENT ? ENOENT : EEXIST;
	notif_fail(request, end == LOOKUP_FOUND ? find_name_mistake(&entry) : entry.why);
}

/* Device nodes and setuid files are refused under every plan. */
static void
make_node(const struct notif_call *request, int folder, const __u64 *a)
{
	struct name_change change = {.act = do_mknod,
				     .right = RIGHT_CREATE,
				     .mode = (mode_t)a[1] & ~(mode_t)(S_ISUID | S_ISGID),
				     .has_setid = (a[1] & (S_ISUID | S_ISGID)) != 0};

	if (find_kind_mistake(change.mode) != 0)
		notif_fail(request, find_kind_mistake(change.mode));
	else if (S_ISCHR(change.mode) || S_ISBLK(change.mode))
		refuse_device(request, folder, a[0]);
	else
		sys_on(request, folder, a[0], &change);
}

void
sys_mknod(const struct notif_call *request)
{
	make_node(request, AT_FDCWD, request->notif.data.args);
}

void
sys_mknodat(const struct notif_call *request)
{
	make_node(request, (int)request->notif.data.args[0], request->notif.data.args + 1);
}

static void
make_link_text(const struct notif_call *request, uint64_t text, int folder, uint64_t path)
{
	char target[PATH_MAX];
	struct name_change change = {.act = do_symlink, .right = RIGHT_CREATE, .text = target};
	int why = notif_path(request, text, target);

	if (why != 0)
		notif_fail(request, why);
	else
		sys_on(request, folder, path, &change);
}

void
sys_symlink(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	make_link_text(request, a[0], AT_FDCWD, a[1]);
}

void
sys_symlinkat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	make_link_text(request, a[0], (int)a[1], a[2]);
}

static void
remove_name(const struct notif_call *request, int folder, uint64_t path, int flags)
{
	struct name_change change = {.act = do_unlink, .right = RIGHT_DELETE, .flags = flags};

	sys_on(request, folder, path, &change);
}

void
sys_unlink(const struct notif_call *request)
{
	remove_name(request, AT_FDCWD, request->notif.data.args[0], 0);
}

void
sys_rmdir(const struct notif_call *request)
{
	remove_name(request, AT_FDCWD, request->notif.data.args[0], AT_REMOVEDIR);
}

void
sys_unlinkat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	if ((int)a[2] & ~AT_REMOVEDIR)
		notif_fail(request, EINVAL);
	else
		remove_name(request, (int)a[0], a[1], (int)a[2]);
}
