// SPDX-License-Identifier: MIT
/*
 * The table of supervised system calls with their handlers, and the start of the broker. All threads
 * descend from the one that entered the outer layer, because only such threads may read the command. A call
 * without a handler is refused.
 */
#include "linux/broker/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/broker/connect.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/nest.h"

#define THREADS 4
#define KEPT_FREE 40
#define ONE_CALLS 4 /* fds that one call needs, about */
#define USUAL 1024  /* fds; the limit is raised to this if it is lower */
#define LOW_FDS 256 /* below it one thread serves and caches no fds */

static const struct {
	int number;
	broker_fn *answer;
} calls[] = {
#ifdef SYS_open
	{SYS_dup2, sys_dup},
	{SYS_open, sys_open},
	{SYS_creat, sys_creat},
	{SYS_mkdir, sys_mkdir},
	{SYS_mknod, sys_mknod},
	{SYS_symlink, sys_symlink},
	{SYS_unlink, sys_unlink},
	{SYS_rmdir, sys_rmdir},
	{SYS_link, sys_link},
	{SYS_rename, sys_rename},
	{SYS_chmod, sys_chmod},
	{SYS_chown, sys_chown},
	{SYS_lchown, sys_lchown},
	{SYS_utime, sys_utime},
	{SYS_utimes, sys_utimes},
	{SYS_futimesat, sys_futimesat},
#endif
#ifdef SYS_renameat
	{SYS_renameat, sys_renameat},
#endif
	{SYS_openat, sys_openat},
	{SYS_ioctl, sys_ioctl},
	{SYS_truncate, sys_truncate},
	{SYS_mkdirat, sys_mkdirat},
	{SYS_mknodat, sys_mknodat},
	{SYS_symlinkat, sys_symlinkat},
	{SYS_unlinkat, sys_unlinkat},
	{SYS_linkat, sys_linkat},
	{SYS_renameat2, sys_renameat2},
	{SYS_socket, sys_socket},
	{SYS_socketpair, sys_socketpair},
	{SYS_bind, sys_bind},
	{SYS_listen, sys_listen},
	{SYS_connect, sys_connect},
	{SYS_sendto, sys_sendto},
	{SYS_sendmsg, sys_sendmsg},
	{SYS_sendmmsg, sys_sendmmsg},
	{SYS_fchmod, sys_fchmod},
	{SYS_fchmodat, sys_fchmodat},
	{452, sys_fchmodat2},
	{SYS_fchown, sys_fchown},
	{SYS_fchownat, sys_fchownat},
	{SYS_utimensat, sys_utimensat},
	{SYS_setxattr, sys_setxattr},
	{SYS_lsetxattr, sys_lsetxattr},
	{SYS_fsetxattr, sys_fsetxattr},
	{SYS_removexattr, sys_removexattr},
	{SYS_lremovexattr, sys_lremovexattr},
	{SYS_fremovexattr, sys_fremovexattr},
	{463, sys_setxattrat},
	{466, sys_removexattrat},
	{SYS_close, sys_close},
	{SYS_dup, sys_dup},
	{SYS_dup3, sys_dup},
	{SYS_kill, sys_kill},
	{SYS_tkill, sys_tkill},
	{SYS_tgkill, sys_tgkill},
	{SYS_rt_sigqueueinfo, sys_rt_sigqueueinfo},
	{SYS_rt_tgsigqueueinfo, sys_rt_tgsigqueueinfo},
	{424, sys_pidfd_send_signal},
	{SYS_fcntl, sys_fcntl},
	{SYS_sched_setaffinity, sys_own_process_first},
	{SYS_sched_setattr, sys_own_process_first},
	{SYS_sched_setparam, sys_own_process_first},
	{SYS_sched_setscheduler, sys_own_process_first},
	{SYS_prlimit64, sys_own_process_first},
	{SYS_setpriority, sys_own_process_second},
	{SYS_ioprio_set, sys_own_process_second},
	{SYS_setpgid, sys_setpgid},
	{SYS_msgget, sys_sysv},
	{SYS_semget, sys_sysv},
	{SYS_shmget, sys_sysv},
	{444, sys_nest_handshake},
	{446, sys_landlock_restrict_self},
};

/* Are so many fd numbers free? Uses fcntl: poll(2) fails for O_PATH fds. */
static bool
has_free(const struct broker *broker, int wanted)
{
	for (int i = 0; i < broker->numbers && wanted > 0; i++)
		wanted -= fcntl(i, F_GETFD) < 0;
	return wanted <= 0;
}

/*
 * fd numbers are assigned from the lowest. Some are reserved for the guard, which needs /proc to end
 * leftover processes, whatever the command makes the broker open. A high number may stay open long after
 * many calls at once: then all are counted. Sockets of ended nests are closed only here.
 */
static bool
fds_exhausted(struct broker *broker)
{
	int wanted = broker->numbers - broker->fd_watermark + ONE_CALLS;

	if (broker->fd_watermark == 0 || fcntl(broker->fd_watermark, F_GETFD) < 0 ||
	    has_free(broker, wanted))
		return false;
	nest_close_dead(broker);
	git_staging_drop_dead(broker);
	return !has_free(broker, wanted);
}

static void
answer_known(const struct notif_call *request)
{
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		if (calls[i].number == request->notif.data.nr) {
			calls[i].answer(request);
			return;
		}
	}
	notif_fail(request, ENOSYS);
}

/* Retries at once if another session changed names meanwhile; after a few retries it has to wait. */
static struct nest *
answer(struct notif_call *request, struct nest_call *nested)
{
	int why;

	do {
		why = fds_exhausted(request->broker) ? EMFILE : nest_begin(request, nested);
		if (why != 0) {
			notif_fail(request, why);
			return NULL;
		}
		request->nested = nested->depth == 0 ? NULL : nested;
		answer_known(request);
		request->nested = NULL;
		nest_end(nested);
	} while (nested->is_disturbed);
	return nested->is_late ? nested->chain[0] : NULL;
}

struct nest *
broker_answer(struct notif_call *request, int timeout_ms)
{
	struct names_use names = {.names = &request->broker->names};
	struct nest_call nested = {.timeout_ms = timeout_ms};
	struct nest *late;

	if (request->broker->trace != NULL && trace_call(request))
		return NULL;
	request->names = &names;
	late = answer(request, &nested);
	request->names = NULL;
	return late;
}

void
broker_begin(struct broker *broker)
{
	pthread_condattr_t clock;

	broker->listener = broker->egress.line = broker->events = -1;
	memset(broker->terminals.spare, -1, sizeof broker->terminals.spare);
	broker->started = broker_now();
	names_lock_start(&broker->names);
	pthread_mutex_init(&broker->sockets, NULL);
	pthread_mutex_init(&broker->own_servers.still, NULL);
	pthread_mutex_init(&broker->own_servers.lock, NULL);
	pthread_mutex_init(&broker->copies.lock, NULL);
	pthread_mutex_init(&broker->terminals.lock, NULL);
	pthread_mutex_init(&broker->deep.lock, NULL);
	pthread_mutex_init(&broker->small, NULL);
	opener_begin(&broker->opener);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&broker->answered, &clock);
	pthread_condattr_destroy(&clock);
}

/* The command has its own limits by now, and no further process can inherit the broker's. */
static void
reserve_fds(struct broker *broker)
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
	broker->low_fds = limit.rlim_cur < LOW_FDS;
	if (limit.rlim_cur > INT_MAX)
		return;
	broker->numbers = (int)limit.rlim_cur;
	broker->fd_watermark = (int)(limit.rlim_cur - spare);
}

_Noreturn void
broker_serve(struct broker *broker)
{
	/* undumpable: files of the broker in /proc then belong to root */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	broker->deep.has_own_folder = broker->has_own_fs;
	if (!broker->has_own_fs)
		umask(0);
	kill_all_ready(&broker->kill_all);
	broker->own = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	reserve_fds(broker);
	proxy_client_start(broker);
	/* without /proc/self/fd no call can be answered correctly: refuse all */
	if (broker->own >= 0) {
		nest_make(broker);
		pool_start(broker, broker->low_fds ? 1 : THREADS);
	}
	close(broker->listener);
	for (;;)
		pause();
}
