// SPDX-License-Identifier: MIT
/*
 * Who answers which routed call, and what the handlers share. All threads descend from the one that
 * entered the outer layer: only such a one may read the command. Each has a umask and a working
 * folder of its own. A call without a handler is refused: a filter that routes more than the table
 * knows must not open anything.
 */
#include "linux/broker/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "linux/broker/connect.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/nest.h"
#include "linux/broker/path/lookup.h"

#define THREADS 4
#define KEPT_FREE 40
#define ONE_CALLS 4 /* descriptors that a call needs, about */
#define USUAL 1024  /* descriptors; who gives less than it may is given these */
#define NARROW 256  /* with fewer, one thread serves and keeps nothing of its callers */

int64_t
broker_now(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* ---- judging ---- */

bool
broker_is_free(const struct broker *broker, const char *path)
{
	return broker->private_tmp != NULL && path_below(path, broker->private_tmp);
}

struct verdict
broker_judge_by(const struct broker *broker, int number, const char *path)
{
	/* Landlock knows the private tmp by what it is, we by its name: that must stay its name */
	static const struct planned_rule held = {.path = "", .root = ""};
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (number > 0)
		return nest_judge(broker, number, path);
	if (!broker_is_free(broker, path)) {
		verdict = fold_decide(broker->fold, path);
		if (deep_is(path))
			vet_complete_deep(broker, path, &verdict);
		else
			vet_complete(broker, path, &verdict);
	}
	if (broker->private_tmp != NULL && path_below(broker->private_tmp, path))
		verdict.held = &held;
	return verdict;
}

struct verdict
broker_judge(const struct broker *broker, const char *path)
{
	struct verdict verdict = broker_judge_own(broker, path);

	nest_narrow(broker, path, &verdict);
	return verdict;
}

struct verdict
broker_judge_reading(const struct broker *broker, const char *path)
{
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (!broker_is_free(broker, path))
		verdict = fold_decide(broker->fold, path);
	nest_narrow(broker, path, &verdict);
	return verdict;
}

/*
 * A directory that becomes a repository brings settings along which other sessions may have read by an
 * include: for a name in it the directory is noted as well.
 */
static void
note_change(struct broker *broker, const char *path)
{
	size_t length = (size_t)(path_last(path) - path);
	auto_free char *folder = length > 1 ? strndup(path, length - 1) : NULL;
	bool is_inside = !ascii_same(path_last(path), ".git") &&
			 !ascii_same(path_last(path), ".gitmodules");

	namelock_changes(&broker->names, path, is_inside ? folder : NULL);
}

void
broker_lock(struct broker *broker, const char *path)
{
	if (!vet_is_delicate(path)) {
		namelock_share(&broker->names);
		return;
	}
	namelock_take(&broker->names);
	note_change(broker, path);
}

bool
broker_guards_own(const struct broker *broker, const char *path, unsigned rights)
{
	if (broker_is_free(broker, path))
		return false;
	return ((rights & RIGHTS_CHANGE) && path_set_covers(&broker->trees.changes, path)) ||
	       ((rights & RIGHT_READ) && path_set_covers(&broker->trees.reads, path));
}

bool
broker_guards(const struct broker *broker, const char *path, unsigned rights)
{
	/* where nobody can be asked, nothing is ours */
	if (nest_is_alone(broker))
		return false;
	return broker_guards_own(broker, path, rights) ||
	       ((rights & RIGHTS_CHANGE) && nest_any_guards(broker, path));
}

bool
broker_has_seen(const struct broker *broker, const char *path)
{
	return broker_guards_own(broker, path, RIGHT_DELETE) && nest_all_guard(broker, path);
}

bool
broker_place(int object, struct spot *ret_place)
{
	struct spot *to = ret_place;
	auto_free char *folder = NULL;
	struct stat here, there;
	char *slash;

	to->path = walk_name(object);
	folder = to->path == NULL ? NULL : strdup(to->path);
	if (folder == NULL)
		return false;
	slash = strrchr(folder, '/');
	strcpy(to->name, slash[1] == '\0' ? "." : slash + 1);
	slash[slash == folder] = '\0';
	to->folder = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return to->folder >= 0 && fstat(object, &here) == 0 &&
	       fstatat(to->folder, to->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

static bool
place_name(struct found *found, struct spot *to)
{
	auto_free char *folder = walk_folder_name(to->deep, found->folder);

	to->path = folder == NULL ? NULL : walk_join(folder, found->name);
	if (to->path == NULL)
		return false;
	strcpy(to->name, found->name);
	to->folder = found->folder;
	found->folder = -1;
	return true;
}

/* Through procfs, as by /proc/self/cwd. What is procfs's own is left to whoever asks: why says if it is there. */
static enum walk_end
walk_by_steps(const struct call *request, int base, const char *path, enum walk_follow follow,
	      struct spot *ret_place)
{
	auto_found struct found found = {.object = -1, .folder = -1};
	char text[PATH_MAX], slashes[PATH_MAX];
	size_t length = strlen(path), end = length;
	unsigned how = FIND_PLACE;

	while (end > 1 && path[end - 1] == '/')
		end--;
	memcpy(text, path, end);
	text[end] = '\0';
	strcpy(slashes, path + end);
	if (follow == WALK_NAME || (follow == WALK_KEEP && end == length))
		how |= FIND_KEEP;
	*ret_place = (struct spot){.folder = -1, .deep = request->deep};
	if (!find_stepwise(request, base, text, how, &found)) {
		ret_place->why = found.why;
		return WALK_FAILED;
	}
	/* procfs makes nothing, and says so by this word */
	ret_place->why = found.object < 0 ? ENOENT : EACCES;
	if (found.is_proc)
		return WALK_ELSEWHERE;
	if (!(found.object >= 0 ? broker_place(found.object, ret_place)
				: place_name(&found, ret_place))) {
		auto_spot_fn(ret_place);
		ret_place->folder = -1;
		ret_place->path = NULL;
		return WALK_ELSEWHERE;
	}
	if (strlen(ret_place->name) + strlen(slashes) < sizeof ret_place->name)
		strcat(ret_place->name, slashes);
	return WALK_FOUND;
}

enum walk_end
broker_walk_from(const struct call *request, int base, const char *path, enum walk_follow follow,
		 struct spot *ret_place)
{
	enum walk_end end;

	ret_place->deep = request->deep;
	end = walk(base, path, follow, ret_place);
	return end == WALK_ELSEWHERE ? walk_by_steps(request, base, path, follow, ret_place) : end;
}

enum walk_end
broker_walk(const struct call *request, int folder, uint64_t address, enum walk_follow follow,
	    struct spot *ret_place)
{
	char path[PATH_MAX];
	auto_fd int base = -1;

	*ret_place = (struct spot){.folder = -1, .deep = request->deep};
	ret_place->why = request_path(request, address, path);
	if (ret_place->why == 0 && *path == '\0')
		ret_place->why = ENOENT;
	if (ret_place->why != 0)
		return WALK_FAILED;
	if (*path != '/') {
		base = request_folder(request, folder, &ret_place->why);
		if (base < 0)
			return WALK_FAILED;
	}
	return broker_walk_from(request, base, path, follow, ret_place);
}

int
broker_descriptor_in(const char *path)
{
	static const char *const folders[] = {"/proc/self/fd/", "/proc/thread-self/fd/",
					      "/dev/fd/"};

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		size_t length = strlen(folders[i]);
		char *end;
		long number;

		if (strncmp(path, folders[i], length) != 0 || path[length] < '0' ||
		    path[length] > '9')
			continue;
		number = strtol(path + length, &end, 10);
		return *end == '\0' && number <= INT_MAX ? (int)number : -1;
	}
	return -1;
}

int
broker_descriptor_name(const struct call *request, uint64_t address)
{
	char path[PATH_MAX];

	return request_path(request, address, path) == 0 ? broker_descriptor_in(path) : -1;
}

/* ---- the table ---- */

static const struct {
	int number;
	broker_fn *answer;
} calls[] = {
#ifdef SYS_open
	{SYS_dup2, act_dup},
	{SYS_open, act_open},
	{SYS_creat, act_creat},
	{SYS_mkdir, act_mkdir},
	{SYS_mknod, act_mknod},
	{SYS_symlink, act_symlink},
	{SYS_unlink, act_unlink},
	{SYS_rmdir, act_rmdir},
	{SYS_link, act_link},
	{SYS_rename, act_rename},
	{SYS_chmod, act_chmod},
	{SYS_chown, act_chown},
	{SYS_lchown, act_lchown},
	{SYS_utime, act_utime},
	{SYS_utimes, act_utimes},
	{SYS_futimesat, act_futimesat},
#endif
#ifdef SYS_renameat
	{SYS_renameat, act_renameat},
#endif
	{SYS_openat, act_openat},
	{SYS_ioctl, act_ioctl},
	{SYS_truncate, act_truncate},
	{SYS_mkdirat, act_mkdirat},
	{SYS_mknodat, act_mknodat},
	{SYS_symlinkat, act_symlinkat},
	{SYS_unlinkat, act_unlinkat},
	{SYS_linkat, act_linkat},
	{SYS_renameat2, act_renameat2},
	{SYS_socket, act_socket},
	{SYS_socketpair, act_socketpair},
	{SYS_bind, act_bind},
	{SYS_listen, act_listen},
	{SYS_connect, act_connect},
	{SYS_sendto, act_sendto},
	{SYS_sendmsg, act_sendmsg},
	{SYS_sendmmsg, act_sendmmsg},
	{SYS_fchmod, act_fchmod},
	{SYS_fchmodat, act_fchmodat},
	{452, act_fchmodat2},
	{SYS_fchown, act_fchown},
	{SYS_fchownat, act_fchownat},
	{SYS_utimensat, act_utimensat},
	{SYS_setxattr, act_setxattr},
	{SYS_lsetxattr, act_lsetxattr},
	{SYS_fsetxattr, act_fsetxattr},
	{SYS_removexattr, act_removexattr},
	{SYS_lremovexattr, act_lremovexattr},
	{SYS_fremovexattr, act_fremovexattr},
	{463, act_setxattrat},
	{466, act_removexattrat},
	{SYS_close, act_close},
	{SYS_dup, act_dup},
	{SYS_dup3, act_dup},
	{SYS_kill, act_kill},
	{SYS_tkill, act_tkill},
	{SYS_tgkill, act_tgkill},
	{SYS_rt_sigqueueinfo, act_rt_sigqueueinfo},
	{SYS_rt_tgsigqueueinfo, act_rt_tgsigqueueinfo},
	{424, act_pidfd_send_signal},
	{SYS_fcntl, act_fcntl},
	{SYS_sched_setaffinity, act_own_first},
	{SYS_sched_setattr, act_own_first},
	{SYS_sched_setparam, act_own_first},
	{SYS_sched_setscheduler, act_own_first},
	{SYS_prlimit64, act_own_first},
	{SYS_setpriority, act_own_second},
	{SYS_ioprio_set, act_own_second},
	{SYS_setpgid, act_setpgid},
	{SYS_msgget, act_sysv},
	{SYS_semget, act_sysv},
	{SYS_shmget, act_sysv},
	{444, act_door},
	{446, act_restrict},
};

/* Are so many numbers free? Asked one by one: poll takes what is held by O_PATH for nothing. */
static bool
has_free(const struct broker *broker, int wanted)
{
	for (int i = 0; i < broker->numbers && wanted > 0; i++)
		wanted -= fcntl(i, F_GETFD) < 0;
	return wanted <= 0;
}

/*
 * Numbers are given out from below. Some are kept for the guard, which has to look into /proc to end
 * what a command left, whatever that command makes us hold. One that was given in a crowd may be held
 * for long after it: then all are counted. And lines of sandboxes that are gone are let go of only
 * when somebody looks.
 */
static bool
is_crowded(struct broker *broker)
{
	int wanted = broker->numbers - broker->last_free + ONE_CALLS;

	if (broker->last_free == 0 || fcntl(broker->last_free, F_GETFD) < 0 ||
	    has_free(broker, wanted))
		return false;
	nest_sweep(broker);
	vet_sweep(broker);
	return !has_free(broker, wanted);
}

static void
answer_known(struct broker *broker, const struct call *request)
{
	if (broker->has_caller)
		pthread_setspecific(broker->caller, (void *)(intptr_t)request->thread);
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		if (calls[i].number == request->notif.data.nr) {
			calls[i].answer(broker, request);
			return;
		}
	}
	request_fail(request, ENOSYS);
}

static void
answer_asking(struct broker *broker, struct call *request, struct nest_call *nested)
{
	request->is_late = &nested->is_late;
	request->nested = nested->depth == 0 ? NULL : nested;
	answer_known(broker, request);
	request->is_late = NULL;
	request->nested = NULL;
	nest_end(broker);
}

struct nest *
broker_answer(struct broker *broker, struct call *request, int patience)
{
	struct nest_call nested = {.disturbed = 0};
	int why;

	/* again at once where another session came between: not often, after that it has to wait */
	do {
		why = is_crowded(broker) ? EMFILE : nest_begin(broker, request, &nested);
		if (why != 0) {
			request_fail(request, why);
			return NULL;
		}
		nested.patience = patience;
		answer_asking(broker, request, &nested);
	} while (nested.is_disturbed);
	return nested.is_late ? nested.chain[0] : NULL;
}

/* ---- starting ---- */

/* The command has its limits by now, and we start nothing more that would inherit ours. */
static void
share_out(struct broker *broker)
{
	struct rlimit limit;
	rlim_t spare;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	if (limit.rlim_cur < USUAL) {
		limit.rlim_cur = limit.rlim_max < USUAL ? limit.rlim_max : USUAL;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return;
	}
	spare = limit.rlim_cur / 2 < KEPT_FREE ? limit.rlim_cur / 2 : KEPT_FREE;
	broker->is_narrow = limit.rlim_cur < NARROW;
	if (limit.rlim_cur > INT_MAX)
		return;
	broker->numbers = (int)limit.rlim_cur;
	broker->last_free = (int)(limit.rlim_cur - spare);
}

_Noreturn void
broker_serve(struct broker *broker)
{
	/* what a link could make us open of ourselves belongs to root then */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sweep_ready(&broker->sweep);
	broker->own = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	share_out(broker);
	pthread_mutex_init(&broker->deep.lock, NULL);
	broker->has_caller = pthread_key_create(&broker->caller, NULL) == 0;
	egress_start(broker);
	/* without a folder of our own nothing can be answered rightly: everything is refused */
	if (broker->own >= 0) {
		nest_make(broker);
		serving_start(broker, broker->is_narrow ? 1 : THREADS);
	}
	close(broker->listener);
	for (;;)
		pause();
}
