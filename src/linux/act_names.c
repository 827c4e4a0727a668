// SPDX-License-Identifier: MIT
/*
 * Making, removing and moving names on behalf. Each call becomes one or two places, a question to
 * the plan, and the same call on held folders. What the plan refuses is said as the kernel would:
 * a name that is there cannot be made, one that is not cannot be removed, and only then is it a
 * matter of rights.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "linux/broker.h"

#define EXCHANGE 2u
/* More entries than this are not looked at: then it is another device, and mv copies. */
#define TREE_MAX 20000

static bool
is_there(const struct spot *place, struct stat *ret_stat)
{
	return fstatat(place->folder, *place->name == '\0' ? "." : place->name, ret_stat,
		       AT_SYMLINK_NOFOLLOW) == 0;
}

static void
finish(const struct call *request, int rc)
{
	if (rc < 0)
		request_fail(request, errno);
	else
		request_return(request, rc);
}

/* ---- one name ---- */

/* What is done to a place, once it may be. */
struct deed {
	int (*act)(const struct spot *place, const struct deed *deed);
	unsigned right; /* RIGHT_CREATE or RIGHT_DELETE */
	mode_t mode;
	dev_t device;
	int flags;
	const char *text;
};

static int
do_mkdir(const struct spot *place, const struct deed *deed)
{
	return mkdirat(place->folder, place->name, deed->mode);
}

static int
do_mknod(const struct spot *place, const struct deed *deed)
{
	return mknodat(place->folder, place->name, deed->mode, deed->device);
}

static int
do_symlink(const struct spot *place, const struct deed *deed)
{
	return symlinkat(deed->text, place->folder, place->name);
}

static int
do_unlink(const struct spot *place, const struct deed *deed)
{
	return unlinkat(place->folder, place->name, deed->flags);
}

static int
refuse(const struct spot *place, unsigned right)
{
	struct stat at;
	bool there = is_there(place, &at);

	errno = right == RIGHT_CREATE ? (there ? EEXIST : EACCES) : (there ? EACCES : ENOENT);
	return -1;
}

static void
act_on(struct broker *broker, const struct call *request, int folder, uint64_t path,
       const struct deed *deed)
{
	auto_spot struct spot place;
	enum walk_end end = broker_walk(request, folder, path, WALK_NAME, &place);
	int rc;

	if (end == WALK_FAILED)
		request_fail(request, place.why);
	else if (end == WALK_ELSEWHERE || !broker_guards(broker, place.path, deed->right))
		request_continue(request);
	else if (request_is_valid(request)) {
		if (deed->right == RIGHT_CREATE)
			umask(request_umask(request));
		pthread_rwlock_rdlock(&broker->names);
		rc = broker_judge(broker, place.path).rights & deed->right
			     ? deed->act(&place, deed)
			     : refuse(&place, deed->right);
		pthread_rwlock_unlock(&broker->names);
		finish(request, rc);
	}
}

void
act_mkdir(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	struct deed deed = {.act = do_mkdir, .right = RIGHT_CREATE, .mode = (mode_t)a[1]};

	act_on(broker, request, AT_FDCWD, a[0], &deed);
}

void
act_mkdirat(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	struct deed deed = {.act = do_mkdir, .right = RIGHT_CREATE, .mode = (mode_t)a[2]};

	act_on(broker, request, (int)a[0], a[1], &deed);
}

/* Devices are for nobody, whatever the plan says. */
static void
make_node(struct broker *broker, const struct call *request, int folder, const __u64 *a)
{
	struct deed deed = {.act = do_mknod,
			    .right = RIGHT_CREATE,
			    .mode = (mode_t)a[1],
			    .device = (dev_t)a[2]};

	if (S_ISCHR(deed.mode) || S_ISBLK(deed.mode))
		request_fail(request, EPERM);
	else
		act_on(broker, request, folder, a[0], &deed);
}

void
act_mknod(struct broker *broker, const struct call *request)
{
	make_node(broker, request, AT_FDCWD, request->notif.data.args);
}

void
act_mknodat(struct broker *broker, const struct call *request)
{
	make_node(broker, request, (int)request->notif.data.args[0], request->notif.data.args + 1);
}

static void
make_link_text(struct broker *broker, const struct call *request, uint64_t text, int folder,
	       uint64_t path)
{
	char target[PATH_MAX];
	struct deed deed = {.act = do_symlink, .right = RIGHT_CREATE, .text = target};
	int why = request_path(request, text, target);

	if (why != 0)
		request_fail(request, why);
	else
		act_on(broker, request, folder, path, &deed);
}

void
act_symlink(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	make_link_text(broker, request, a[0], AT_FDCWD, a[1]);
}

void
act_symlinkat(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	make_link_text(broker, request, a[0], (int)a[1], a[2]);
}

static void
remove_name(struct broker *broker, const struct call *request, int folder, uint64_t path, int flags)
{
	struct deed deed = {.act = do_unlink, .right = RIGHT_DELETE, .flags = flags};

	act_on(broker, request, folder, path, &deed);
}

void
act_unlink(struct broker *broker, const struct call *request)
{
	remove_name(broker, request, AT_FDCWD, request->notif.data.args[0], 0);
}

void
act_rmdir(struct broker *broker, const struct call *request)
{
	remove_name(broker, request, AT_FDCWD, request->notif.data.args[0], AT_REMOVEDIR);
}

void
act_unlinkat(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	remove_name(broker, request, (int)a[0], a[1], (int)a[2]);
}

/* ---- moving ---- */

struct move {
	struct broker *broker;
	struct spot from, to;
	struct stat from_stat, to_stat;
	bool is_replacing;
	unsigned flags;
	int left; /* entries that may still be looked at */
};

static inline void
auto_move_fn(const struct move *move)
{
	auto_spot_fn(&move->from);
	auto_spot_fn(&move->to);
}
#define auto_move __attribute__((cleanup(auto_move_fn)))

static bool
has_rights(const struct move *move, const struct spot *place, unsigned rights)
{
	return (broker_judge(move->broker, place->path).rights & rights) == rights;
}

static int compare_trees(struct move *move, int folder, const char *from, const char *to);

/* 0 when what lies there has the same rights at its new place, else an errno. */
static int
compare_entry(struct move *move, int folder, const char *from, const char *to, const char *name)
{
	char old[PATH_MAX], new[PATH_MAX];
	auto_fd int inner = -1;

	if (move->left-- <= 0)
		return EXDEV;
	if (snprintf(old, sizeof old, "%s/%s", from, name) >= PATH_MAX ||
	    snprintf(new, sizeof new, "%s/%s", to, name) >= PATH_MAX)
		return ENAMETOOLONG;
	if (broker_judge(move->broker, old).rights != broker_judge(move->broker, new).rights)
		return EACCES;
	inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inner < 0)
		return errno == ENOTDIR || errno == ELOOP ? 0 : EXDEV;
	return compare_trees(move, inner, old, new);
}

/*
 * A folder takes all that is in it along: past a deny that was for its old place, or under a name
 * that must not be made. What has other rights at the new place does not go there.
 */
static int
compare_trees(struct move *move, int folder, const char *from, const char *to)
{
	int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	int why = 0;

	if (dir == NULL) {
		if (copy >= 0)
			close(copy);
		return EXDEV;
	}
	rewinddir(dir);
	while (why == 0 && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			why = compare_entry(move, folder, from, to, entry->d_name);
	closedir(dir);
	return why;
}

static int
check_folder(struct move *move, const struct spot *from, const struct spot *to)
{
	auto_fd int fd = -1;

	if (broker_judge(move->broker, from->path).held != NULL)
		return EACCES;
	fd = openat(from->folder, from->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	move->left = TREE_MAX;
	return fd < 0 ? EXDEV : compare_trees(move, fd, from->path, to->path);
}

/* 0, or why it may not be. */
static int
check_move(struct move *move)
{
	unsigned both = RIGHT_CREATE | RIGHT_DELETE;
	bool swaps = (move->flags & EXCHANGE) != 0;
	int why = 0;

	if (!has_rights(move, &move->from, swaps ? both : RIGHT_DELETE) ||
	    !has_rights(move, &move->to, move->is_replacing ? both : RIGHT_CREATE))
		return EACCES;
	if (S_ISDIR(move->from_stat.st_mode))
		why = check_folder(move, &move->from, &move->to);
	if (why == 0 && swaps && S_ISDIR(move->to_stat.st_mode))
		why = check_folder(move, &move->to, &move->from);
	return why;
}

static int
do_move(struct move *move)
{
	int why;

	if (!is_there(&move->from, &move->from_stat))
		return -1;
	move->is_replacing = is_there(&move->to, &move->to_stat);
	/* "." and its like: the kernel has the right word for it */
	why = move->from.is_folder_itself || move->to.is_folder_itself ? 0 : check_move(move);
	if (why != 0) {
		errno = why;
		return -1;
	}
	return (int)syscall(SYS_renameat2, move->from.folder, move->from.name, move->to.folder,
			    move->to.name, move->flags);
}

static void
move_name(struct broker *broker, const struct call *request, const int folders[2],
	  const uint64_t paths[2], unsigned flags)
{
	auto_move struct move move = {.broker = broker,
				      .flags = flags,
				      .from = {.folder = -1},
				      .to = {.folder = -1}};
	enum walk_end ends[2];
	int rc;

	ends[0] = broker_walk(request, folders[0], paths[0], WALK_NAME, &move.from);
	ends[1] = broker_walk(request, folders[1], paths[1], WALK_NAME, &move.to);

	if (ends[0] == WALK_FAILED || ends[1] == WALK_FAILED)
		request_fail(request, ends[0] == WALK_FAILED ? move.from.why : move.to.why);
	else if (ends[0] == WALK_ELSEWHERE || ends[1] == WALK_ELSEWHERE ||
		 (!broker_guards(broker, move.from.path, RIGHT_DELETE) &&
		  !broker_guards(broker, move.to.path, RIGHT_CREATE)))
		request_continue(request);
	else if (request_is_valid(request)) {
		pthread_rwlock_wrlock(&broker->names);
		rc = do_move(&move);
		pthread_rwlock_unlock(&broker->names);
		finish(request, rc);
	}
}

void
act_rename(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	move_name(broker, request, (const int[]){AT_FDCWD, AT_FDCWD},
		  (const uint64_t[]){a[0], a[1]}, 0);
}

void
act_renameat(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	move_name(broker, request, (const int[]){(int)a[0], (int)a[2]},
		  (const uint64_t[]){a[1], a[3]}, 0);
}

void
act_renameat2(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	move_name(broker, request, (const int[]){(int)a[0], (int)a[2]},
		  (const uint64_t[]){a[1], a[3]}, (unsigned)a[4]);
}

/* ---- hard links ---- */

/* A second name must not give what the first did not. */
static bool
may_link(const struct broker *broker, const char *from, const char *to)
{
	unsigned of_old = broker_judge(broker, from).rights,
		 of_new = broker_judge(broker, to).rights;

	return (of_new & RIGHT_CREATE) &&
	       ((of_new & ~of_old) & (RIGHT_READ | RIGHT_WRITE | RIGHT_EXECUTE)) == 0;
}

/* From a descriptor: the one way to give a nameless file a name. */
static int
link_descriptor(const struct broker *broker, int fd, const struct spot *to)
{
	char path[PATH_MAX], name[40];
	struct stat at;

	if (fstat(fd, &at) < 0)
		return -1;
	if (at.st_nlink == 0 ? !(broker_judge(broker, to->path).rights & RIGHT_CREATE)
			     : !walk_name(fd, path) || !may_link(broker, path, to->path))
		return refuse(to, RIGHT_CREATE);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, name, to->folder, to->name, AT_SYMLINK_FOLLOW);
}

static void
link_from_descriptor(struct broker *broker, const struct call *request, int number, int to_folder,
		     uint64_t to_path)
{
	auto_spot struct spot to;
	enum walk_end end = broker_walk(request, to_folder, to_path, WALK_NAME, &to);
	auto_fd int fd = -1;
	int rc, why = EBADF;

	if (end == WALK_FAILED) {
		request_fail(request, to.why);
	} else if (end == WALK_ELSEWHERE || !broker_guards(broker, to.path, RIGHT_CREATE)) {
		request_continue(request);
	} else {
		fd = request_descriptor(request, number, &why);
		if (fd < 0 || !request_is_valid(request)) {
			request_fail(request, why);
			return;
		}
		pthread_rwlock_wrlock(&broker->names);
		rc = link_descriptor(broker, fd, &to);
		pthread_rwlock_unlock(&broker->names);
		finish(request, rc);
	}
}

static void
make_link(struct broker *broker, const struct call *request, const int folders[2],
	  const uint64_t paths[2], int flags)
{
	auto_spot struct spot from = {.folder = -1}, to = {.folder = -1};
	enum walk_end ends[2];
	struct stat at;
	int rc;

	ends[0] = broker_walk(request, folders[0], paths[0],
			      flags & AT_SYMLINK_FOLLOW ? WALK_FOLLOW : WALK_NAME, &from);
	ends[1] = broker_walk(request, folders[1], paths[1], WALK_NAME, &to);

	if (ends[0] == WALK_FAILED || ends[1] == WALK_FAILED)
		request_fail(request, ends[0] == WALK_FAILED ? from.why : to.why);
	else if (ends[0] == WALK_ELSEWHERE || ends[1] == WALK_ELSEWHERE ||
		 (!broker_guards(broker, to.path, RIGHT_CREATE) &&
		  !broker_guards(broker, from.path, RIGHTS_CHANGE)))
		request_continue(request);
	else if (request_is_valid(request)) {
		pthread_rwlock_wrlock(&broker->names);
		if (!is_there(&from, &at))
			rc = -1;
		else if (!S_ISDIR(at.st_mode) && !may_link(broker, from.path, to.path))
			rc = refuse(&to, RIGHT_CREATE);
		else
			rc = linkat(from.folder, from.name, to.folder, to.name, 0);
		pthread_rwlock_unlock(&broker->names);
		finish(request, rc);
	}
}

void
act_link(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;

	make_link(broker, request, (const int[]){AT_FDCWD, AT_FDCWD},
		  (const uint64_t[]){a[0], a[1]}, 0);
}

void
act_linkat(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	int flags = (int)a[4], number = -1;
	char first = 'x';

	if ((flags & AT_EMPTY_PATH) && request_bytes(request, a[1], &first, 1) == 0 &&
	    first == '\0')
		number = (int)a[0];
	else if (flags & AT_SYMLINK_FOLLOW)
		number = broker_descriptor_name(request, a[1]);
	if (number >= 0)
		link_from_descriptor(broker, request, number, (int)a[2], a[3]);
	else
		make_link(broker, request, (const int[]){(int)a[0], (int)a[2]},
			  (const uint64_t[]){a[1], a[3]}, flags);
}
