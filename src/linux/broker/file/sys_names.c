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

#include "base/fd.h"
#include "linux/broker/decide/names.h"
#include "linux/broker/file/new_mode.h"
#include "linux/broker/git/git_check.h"

/* ---- one name ---- */

/* The operation on a name. */
struct deed {
	int (*act)(const struct lookup *place, const struct deed *deed);
	unsigned right; /* RIGHT_CREATE or RIGHT_DELETE */
	mode_t mode, umask;
	dev_t device;
	int flags;
	const char *text;
	const struct broker *broker;
	bool is_lent; /* the requested mode has setuid or setgid: never continue in the kernel */
};

static int
do_mkdir(const struct lookup *place, const struct deed *deed)
{
	return mkdirat(place->folder, place->name,
		       new_mode(deed->broker, place->folder, deed->mode, deed->umask));
}

static int
do_mknod(const struct lookup *place, const struct deed *deed)
{
	return mknodat(place->folder, place->name,
		       new_mode(deed->broker, place->folder, deed->mode, deed->umask),
		       deed->device);
}

static int
do_symlink(const struct lookup *place, const struct deed *deed)
{
	return symlinkat(deed->text, place->folder, place->name);
}

static int
do_unlink(const struct lookup *place, const struct deed *deed)
{
	return unlinkat(place->folder, place->name, deed->flags);
}

/* Inspected names may be removed: their replacement is inspected. */
static int
do_deed(const struct notif_call *request, const struct lookup *place, const struct deed *deed)
{
	struct verdict verdict = broker_decide(request, place->path);
	struct stat at;

	if (!(verdict.rights & deed->right)) {
		if (deed->act == do_mkdir && !names_is_there(place, &at))
			refuse_folder(request, place->path, &verdict);
		return names_refuse(request, place, &verdict, deed->right);
	}
	if (verdict.vetted != NULL && deed->right == RIGHT_CREATE && !names_is_there(place, &at) &&
	    !git_check_may_make(request, place->path, verdict.vetted, deed->act == do_mkdir))
		return -1;
	if (deed->act == do_symlink && !names_is_there(place, &at) &&
	    !git_symlink_may_point(request, place->path, deed->text))
		return -1;
	autorun_note_at(request->broker, place->folder, place->name, place->path);
	return deed->act(place, deed);
}

/* Whether the name exists decides the kernel's errno. */
static void
leave(const struct notif_call *request, const struct lookup *place, const struct deed *deed)
{
	struct broker *broker = request->broker;
	struct verdict verdict;
	struct stat at;

	if (broker->events >= 0 && place->folder >= 0 && *place->path == '/' &&
	    names_is_there(place, &at) == (deed->right == RIGHT_DELETE)) {
		verdict = broker_decide_own(broker, place->path);
		if (deed->act == do_mkdir)
			refuse_folder(request, place->path, &verdict);
		else
			refuse_report_by_kernel(request, place->path, &verdict, deed->right);
	}
	notif_continue(request);
}

static void
sys_on(const struct notif_call *request, int folder, uint64_t path, struct deed *deed)
{
	auto_lookup struct lookup place;
	enum lookup_result end = lookup_caller_path(request, folder, path, LOOKUP_NAME, &place);
	int rc;

	if (end == LOOKUP_FAILED)
		notif_fail(request, place.why);
	else if ((end == LOOKUP_ELSEWHERE || !broker_covers(request, place.path, deed->right)) &&
		 deed->is_lent)
		notif_fail(request, EPERM);
	else if (end == LOOKUP_ELSEWHERE || !broker_covers(request, place.path, deed->right))
		leave(request, &place, deed);
	else if (notif_is_valid(request)) {
		deed->broker = request->broker;
		if (deed->right == RIGHT_CREATE) {
			deed->umask = notif_umask(request);
			deed->umask |= git_modes_closed_bits(request->broker, place.path,
							     deed->mode & ~deed->umask);
		}
		broker_lock(request, place.path);
		rc = lookup_unchanged(&place) ? do_deed(request, &place, deed) : -1;
		names_unlock(request->names);
		names_finish(request, rc);
	}
}

void
sys_mkdir(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct deed deed = {.act = do_mkdir, .right = RIGHT_CREATE, .mode = (mode_t)a[1]};

	sys_on(request, AT_FDCWD, a[0], &deed);
}

void
sys_mkdirat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct deed deed = {.act = do_mkdir, .right = RIGHT_CREATE, .mode = (mode_t)a[2]};

	sys_on(request, (int)a[0], a[1], &deed);
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
find_name_mistake(const struct lookup *place)
{
	struct stat at;

	if (names_is_there(place, &at))
		return EEXIST;
	if (strchr(place->name, '/') != NULL)
		return ENOENT;
	return faccessat(place->folder, ".", W_OK | X_OK, AT_EACCESS) < 0 ? errno : EPERM;
}

static void
refuse_device(const struct notif_call *request, int folder, uint64_t path)
{
	auto_lookup struct lookup place;
	enum lookup_result end = lookup_caller_path(request, folder, path, LOOKUP_NAME, &place);

	if (end == LOOKUP_ELSEWHERE)
		place.why = place.why == ENOENT ? ENOENT : EEXIST;
	notif_fail(request, end == LOOKUP_FOUND ? find_name_mistake(&place) : place.why);
}

/* Device nodes and setuid files are refused under every plan. */
static void
make_node(const struct notif_call *request, int folder, const __u64 *a)
{
	struct deed deed = {.act = do_mknod,
			    .right = RIGHT_CREATE,
			    .mode = (mode_t)a[1] & ~(mode_t)(S_ISUID | S_ISGID),
			    .device = (dev_t)a[2],
			    .is_lent = (a[1] & (S_ISUID | S_ISGID)) != 0};

	if (find_kind_mistake(deed.mode) != 0)
		notif_fail(request, find_kind_mistake(deed.mode));
	else if (S_ISCHR(deed.mode) || S_ISBLK(deed.mode))
		refuse_device(request, folder, a[0]);
	else
		sys_on(request, folder, a[0], &deed);
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
	struct deed deed = {.act = do_symlink, .right = RIGHT_CREATE, .text = target};
	int why = notif_path(request, text, target);

	if (why != 0)
		notif_fail(request, why);
	else
		sys_on(request, folder, path, &deed);
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
	struct deed deed = {.act = do_unlink, .right = RIGHT_DELETE, .flags = flags};

	sys_on(request, folder, path, &deed);
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
