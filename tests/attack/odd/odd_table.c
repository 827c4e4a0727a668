// SPDX-License-Identifier: MIT
/*
 * The calls as a table: every call that a filter routes (tools/calls.h) and those around them. Each
 * letter of a row is the kind of one argument. A row that is tame is harmless without a sandbox.
 */
#include "odd.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct row {
	const char *name;
	long number;
	const char *kinds;
	bool is_tame;
};

#define ROW(name, kinds)                        \
	{                                       \
#name, SYS_##name, kinds, false \
	}
#define TAME(name, kinds)                      \
	{                                      \
#name, SYS_##name, kinds, true \
	}
#define NEWER(name, number, kinds)          \
	{                                   \
#name, number, kinds, false \
	}
#define ANY (-1)

static const struct row rows[] = {
/* opening */
#ifdef SYS_open
	ROW(open, "pom"),
	ROW(creat, "pm"),
	ROW(mkdir, "pm"),
	ROW(mknod, "pMn"),
	ROW(symlink, "pp"),
	ROW(unlink, "p"),
	ROW(rmdir, "p"),
	ROW(link, "pp"),
	ROW(rename, "pp"),
	ROW(chmod, "pm"),
	ROW(chown, "puu"),
	ROW(lchown, "puu"),
	ROW(utime, "pT"),
	ROW(utimes, "pT"),
	ROW(futimesat, "dpT"),
	ROW(dup2, "ff"),
	ROW(renameat, "dpdp"),
#endif
	ROW(openat, "dpom"),
	ROW(openat, "dpom"),
	ROW(openat, "dpom"),
	ROW(openat2, "dpbz"),
	ROW(truncate, "pz"),
	ROW(mkdirat, "dpm"),
	ROW(mkdirat, "dpm"),
	ROW(mknodat, "dpMn"),
	ROW(symlinkat, "pdp"),
	ROW(unlinkat, "dpt"),
	ROW(linkat, "dpdpt"),
	ROW(renameat2, "dpdpr"),
	/* metadata */
	ROW(fchmod, "fm"),
	ROW(fchmodat, "dpm"),
	NEWER(fchmodat2, 452, "dpmt"),
	ROW(fchown, "fuu"),
	ROW(fchownat, "dpuut"),
	ROW(utimensat, "dpTt"),
	ROW(setxattr, "pxbzn"),
	ROW(lsetxattr, "pxbzn"),
	ROW(fsetxattr, "fxbzn"),
	ROW(removexattr, "px"),
	ROW(lremovexattr, "px"),
	ROW(fremovexattr, "fx"),
	NEWER(setxattrat, 463, "dptxbz"),
	NEWER(removexattrat, 466, "dptx"),
	/* descriptors */
	TAME(close, "f"),
	TAME(dup, "f"),
	TAME(dup3, "ffo"),
	ROW(fcntl, "fcn"),
	ROW(fcntl, "fci"),
	ROW(ioctl, "fCb"),
	ROW(ioctl, "fCn"),
	ROW(close_range, "ffn"),
	TAME(write, "fbz"),
	TAME(lseek, "fnn"),
	ROW(ftruncate, "fz"),
	ROW(fallocate, "fnzz"),
	ROW(copy_file_range, "fbfbzn"),
	ROW(flock, "fe"),
	TAME(pipe2, "bo"),
	TAME(eventfd2, "no"),
	/* sockets */
	ROW(socket, "FYP"),
	ROW(socket, "FYP"),
	ROW(socketpair, "FYPb"),
	ROW(bind, "fa"),
	ROW(bind, "fa"),
	ROW(listen, "fn"),
	ROW(connect, "fa"),
	ROW(connect, "fa"),
	ROW(accept4, "fbbo"),
	ROW(sendto, "fbzEa"),
	ROW(sendmsg, "fgE"),
	ROW(sendmmsg, "fgzE"),
	ROW(recvmsg, "fgE"),
	ROW(setsockopt, "fnnbz"),
	ROW(getsockopt, "fnnbb"),
	ROW(shutdown, "fn"),
	/* processes */
	TAME(kill, "is"),
	TAME(tkill, "is"),
	TAME(tgkill, "iis"),
	TAME(rt_sigqueueinfo, "isb"),
	TAME(rt_tgsigqueueinfo, "iisb"),
	TAME(pidfd_open, "in"),
	TAME(pidfd_send_signal, "fsbn"),
	ROW(pidfd_getfd, "ffn"),
	TAME(setpgid, "ii"),
	TAME(setsid, ""),
	TAME(wait4, "ibWb"),
	TAME(waitid, "eibWb"),
	TAME(prctl, "Knnn"),
	TAME(sched_setaffinity, "izb"),
	TAME(sched_yield, ""),
	ROW(sched_setscheduler, "inb"),
	ROW(setpriority, "nin"),
	ROW(ioprio_set, "nin"),
	ROW(prlimit64, "iRLb"),
	ROW(setrlimit, "RL"),
	TAME(ptrace, "qibb"),
	ROW(setresuid, "uuu"),
	ROW(setresgid, "uuu"),
	ROW(unshare, "n"),
	ROW(seccomp, "enb"),
	ROW(process_vm_readv, "ibzbzn"),
	ROW(kcmp, "iinff"),
	ROW(move_pages, "inbbbn"),
	/* paths and folders that others are relative to */
	ROW(chdir, "p"),
	ROW(fchdir, "f"),
	TAME(umask, "m"),
	ROW(chroot, "p"),
	ROW(inotify_init1, "o"),
	ROW(inotify_add_watch, "fpn"),
	ROW(name_to_handle_at, "dpbbt"),
	ROW(execveat, "dpnnB"),
	/* layers, and what is told */
	NEWER(landlock_create_ruleset, 444, "bze"),
	NEWER(landlock_create_ruleset, 444, "ezD"),
	NEWER(landlock_add_rule, 445, "fnbe"),
	NEWER(landlock_restrict_self, 446, "fe"),
	ROW(msgget, "nn"),
	ROW(semget, "nnn"),
	ROW(shmget, "nzn"),
	{"any", ANY, "......", false},
};

size_t
odd_row_count(void)
{
	return COUNT(rows);
}

const char *
odd_row_name(size_t row)
{
	return rows[row].name;
}

/* Any call at all, but those that end or stop the caller, wait, or concern the whole machine. */
static long
any_number(struct odd *odd)
{
	static const long none[] = {
#ifdef SYS_open
		SYS_pause,
		SYS_fork,
		SYS_vfork,
		SYS_arch_prctl,
		SYS_iopl,
		SYS_ioperm,
		SYS_modify_ldt,
#endif
		SYS_exit,
		SYS_exit_group,
		SYS_rt_sigreturn,
		SYS_rt_sigsuspend,
		SYS_clone,
		SYS_clone3,
		SYS_munmap,
		SYS_mmap,
		SYS_mremap,
		SYS_mprotect,
		SYS_brk,
		SYS_execve,
		SYS_reboot,
		SYS_kexec_load,
		SYS_sethostname,
		SYS_setdomainname,
		SYS_settimeofday,
		SYS_clock_settime,
		SYS_swapoff,
		SYS_swapon,
		SYS_init_module,
		SYS_delete_module,
		SYS_finit_module,
		SYS_umount2,
		SYS_mount,
		SYS_pivot_root,
		SYS_syslog,
		SYS_acct,
		SYS_sync,
		SYS_syncfs,
		SYS_kill,
		SYS_tkill,
		SYS_tgkill,
		SYS_rt_sigqueueinfo,
		SYS_rt_tgsigqueueinfo,
		SYS_set_tid_address,
		SYS_set_robust_list,
		SYS_rseq,
		SYS_madvise,
		462 /* mseal */,
		SYS_rt_sigprocmask,
		SYS_nanosleep,
		SYS_clock_nanosleep,
		SYS_futex,
		SYS_adjtimex,
		SYS_clock_adjtime,
		SYS_seccomp,
		SYS_process_madvise,
		SYS_kexec_file_load,
		SYS_shmat,
		SYS_ptrace};
	long number = odd_below(odd, 472);

	for (size_t i = 0; i < COUNT(none); i++)
		if (none[i] == number)
			return SYS_getpid;
	return number;
}

/* What reaches more than one process, or all of them, must leave the program itself alive. */
static void
soften(const struct row *row, uint64_t a[6])
{
	const char *at = strchr(row->kinds, 's');
	bool is_many = (int)a[0] <= 0 && row->number == SYS_kill;

	if (at != NULL && is_many && (int)a[1] != SIGCONT)
		a[1] = SIGURG;
	/* nor is a round over with its first call of these */
	if (at != NULL && ((pid_t)a[0] == getpid() || row->number == SYS_tkill) &&
	    (a[at - row->kinds] == SIGKILL || a[at - row->kinds] == SIGSTOP))
		a[at - row->kinds] = SIGUSR1;
	if (row->number == SYS_prctl && a[0] == PR_SET_SECCOMP)
		a[0] = PR_GET_SECCOMP;
}

long
odd_syscall(struct odd *odd, int row, long number, const uint64_t a[6])
{
	long value = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	int why = value < 0 && errno < ODD_ERRNOS ? errno : 0;

	__atomic_add_fetch(&odd->counts->calls[row], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&odd->counts->errnos[why], 1, __ATOMIC_RELAXED);
	return value;
}

void
odd_call(struct odd *odd)
{
	uint64_t a[6] = {0};
	unsigned row = odd_below(odd, COUNT(rows));
	const struct row *r = &rows[row];
	unsigned count = 0;

	if (odd->options->is_tame && !r->is_tame)
		return;
	for (const char *kind = r->kinds; *kind != '\0' && count < 6; kind++) {
		if (*kind == 'a') {
			a[count + 1] = odd_sockaddr(odd, &a[count]);
			count += 2;
		} else {
			a[count++] = *kind == '.' ? odd_argument(odd, "pfnbz"[odd_below(odd, 5)])
						  : odd_argument(odd, *kind);
		}
	}
	soften(r, a);
	odd_syscall(odd, (int)row, r->number == ANY ? any_number(odd) : r->number, a);
}

void
odd_calls(struct odd *odd, unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		odd_call(odd);
}
