// SPDX-License-Identifier: MIT
/*
 * The table of routed calls and their handlers, and the start of the broker. All threads descend from the one
 * that entered the outer layer: only such a one may read the command. A call without a handler is refused.
 */
#include "linux/broker/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "linux/broker/connect.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/nest.h"
#include "linux/broker/path/lookup.h"

#define THREADS 4
#define KEPT_FREE 40
#define ONE_CALLS 4 /* descriptors that a call needs, about */
#define USUAL 1024  /* descriptors; who gives less than it may is given these */
#define NARROW 256  /* with fewer, one thread serves and keeps nothing of its callers */

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
answer_known(struct broker *broker, const struct notif_call *request)
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
answer_asking(struct broker *broker, struct notif_call *request, struct nest_call *nested)
{
	request->is_late = &nested->is_late;
	request->nested = nested->depth == 0 ? NULL : nested;
	answer_known(broker, request);
	request->is_late = NULL;
	request->nested = NULL;
	nest_end(broker);
}

struct nest *
broker_answer(struct broker *broker, struct notif_call *request, int patience)
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
