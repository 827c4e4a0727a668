/* SPDX-License-Identifier: MIT */
/*
 * The filter's decisions, as data: one verdict for every system call known to this version. Shared by the
 * program that writes the filters and the test that simulates them. A system call without a verdict does
 * not build; a number above LAST_CALL gets ENOSYS.
 */
#pragma once

#include <errno.h>
#include <stdint.h>

/* The newest reviewed system call. Later ones get ENOSYS. */
#define LAST_CALL 471

/* A final verdict, or a list of tests of the arguments (arguments.h). */
enum verdict {
	ALLOW,
	KILL,
	NOT_THERE,    /* ENOSYS: programs fall back to older calls */
	NOT_YOURS,    /* EPERM: as for a user without the privilege */
	NO_ACCESS,    /* EACCES */
	NO_FAMILY,    /* EAFNOSUPPORT */
	NO_PROTOCOL,  /* EPROTONOSUPPORT */
	NO_TYPE,      /* ESOCKTNOSUPPORT */
	NO_OPERATION, /* EOPNOTSUPP */
	NOT_VALID,    /* EINVAL */
	TAKEN,	      /* EBUSY: there is a listener already */
	DONE,	      /* return 0 and do nothing */
	ROUTE,	      /* notify the broker */
	ENDS,
	TEST_CLONE = ENDS,
	TEST_UNSHARE,
	TEST_SELF,
	TEST_PLACES,
	TEST_LIMIT,
	TEST_LIMIT_OTHER,
	TEST_LIMIT_ROUTED,
	TEST_LIMIT_NUMBER,
	TEST_LIMIT_OWN,
	TEST_DOOR,
	TEST_DOOR_ONLY,
	TEST_LISTENER,
	TEST_NICE,
	TEST_NICE_ROUTED,
	TEST_IONICE,
	TEST_IONICE_ROUTED,
	TEST_IOCTL,
	TEST_IOCTL_EXT,
	TEST_IOCTL_BTRFS,
	TEST_IOCTL_XFS,
	TEST_IOCTL_CONSOLE,
	TEST_SOCKET_NONE,
	TEST_SOCKET_TOLD,
	TEST_SOCKET_TOLD_STREAM,
	TEST_SOCKET_NONE_CLOSED,
	TEST_SOCKET_ALL,
	TEST_SOCKET_ALL_STREAM,
	TEST_SOCKET_ALL_CLOSED,
	TEST_SOCKET_BROKERED,
	TEST_SOCKET_BROKERED_STREAM,
	TEST_SOCKET_DATAGRAMS,
	TEST_SOCKET_COPIED,
	TEST_PAIR,
	TEST_PAIR_STREAM,
	TEST_PAIR_ROUTED,
	TEST_STREAM,
	TEST_STREAM_TOLD,
	TEST_NETLINK,
	TEST_SEND,
	TEST_SEND_MESSAGE,
	TEST_SEND_TO,
	TEST_SEND_ROUTED,
	TEST_SEND_MESSAGE_ROUTED,
	TEST_SOCKET_OPTION,
	TEST_TCP_OPTION,
	TEST_SOCKET_OPTION_GROUPS,
	TEST_IP_GROUPS,
	TEST_IPV6_GROUPS,
	TEST_OPEN,
	TEST_OPENAT,
	TEST_OPEN_CHANGE,
	TEST_OPENAT_CHANGE,
	TEST_OPENAT_CHANGE_ARM,
	TEST_OPEN_ANY,
	TEST_OPENAT_ANY,
	TEST_PRCTL,
	TEST_ALLOCATE,
	TEST_RENAME,
	TEST_RENAME_ROUTED,
	TEST_DESK,
	TEST_LEASE,
	TEST_OWNER,
	TEST_IOCTL_OWNER,
	TEST_IOCTL_ROUTED,
	VERDICTS
};

/* The errno of a final verdict; 0 for the others. */
static const uint16_t end_errno[ENDS] = {
	[NOT_THERE] = ENOSYS,
	[NOT_YOURS] = EPERM,
	[NO_ACCESS] = EACCES,
	[NO_FAMILY] = EAFNOSUPPORT,
	[NO_PROTOCOL] = EPROTONOSUPPORT,
	[NO_TYPE] = ESOCKTNOSUPPORT,
	[NO_OPERATION] = EOPNOTSUPP,
	[NOT_VALID] = EINVAL,
	[TAKEN] = EBUSY,
};

/* Names separated by blanks. Every name must exist on one of the architectures. */
struct group {
	enum verdict verdict;
	const char *calls;
};

#define SYSTEM_V \
	"msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget"

static const struct group groups[] = {
	/* Own fds, memory and threads; Landlock restricts files. */
	{ALLOW,
	 "accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown "
	 "clock_getres clock_gettime clock_nanosleep close close_range connect copy_file_range creat "
	 "dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait "
	 "eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 "
	 "fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr file_getattr "
	 "flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex "
	 "futex_requeue futex_wait futex_waitv futex_wake futimesat get_mempolicy get_robust_list "
	 "get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups "
	 "getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid "
	 "getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid "
	 "getxattr getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel "
	 "io_destroy io_getevents io_pgetevents io_setup io_submit ioprio_get landlock_add_rule "
	 "landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen "
	 "listmount listns listxattr listxattrat llistxattr lremovexattr lseek lsetxattr "
	 "lsm_get_self_attr lsm_list_modules lsm_set_self_attr lstat madvise map_shadow_stack mbind "
	 "membarrier memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock mlock2 "
	 "mlockall mmap modify_ldt mprotect mremap mseal msync munlock munlockall munmap "
	 "name_to_handle_at nanosleep newfstatat pause personality pipe pipe2 "
	 "pkey_alloc pkey_free pkey_mprotect poll ppoll prctl pread64 preadv preadv2 pselect6 pwrite64 "
	 "pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg "
	 "remap_file_pages removexattr removexattrat rename renameat restart_syscall rmdir "
	 "rseq rseq_slice_yield rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend "
	 "rt_sigtimedwait sched_get_priority_max sched_get_priority_min sched_getaffinity "
	 "sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_yield seccomp "
	 "select sendfile sendmmsg sendmsg sendto set_mempolicy set_mempolicy_home_node "
	 "set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setitimer "
	 "setpgid setregid setresgid setresuid setreuid setsid setsockopt setuid setxattr "
	 "setxattrat shutdown sigaltstack signalfd signalfd4 splice stat statfs statmount statx symlink "
	 "symlinkat sync sync_file_range syncfs sysfs sysinfo tee time timer_create timer_delete "
	 "timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime "
	 "times truncate umask uname unlink unlinkat ustat utime utimensat utimes vfork vmsplice wait4 "
	 "waitid write writev"},
	{TEST_ALLOCATE, "fallocate"},
	/* Other processes: restricted by Landlock's signal scope and its ptrace rule. */
	{ALLOW, "kill pidfd_getfd pidfd_open pidfd_send_signal process_mrelease "
		"process_vm_readv process_vm_writev ptrace "
		"rt_sigqueueinfo rt_tgsigqueueinfo tgkill tkill"},
	/* Called by the kernel's trampolines in a traced function: denying them would kill the process. */
	{ALLOW, "uprobe uretprobe"},
	/*
	 * The ids of System V objects can be guessed, and a filter cannot tell objects of the session from
	 * others: all are denied. mmap provides shared memory. ENOSYS and not EACCES: EACCES means that a
	 * key is taken, and PostgreSQL would try the next key without end.
	 */
	{NOT_THERE, SYSTEM_V},
	/*
	 * Names of POSIX message queues are outside every file system; by fd they are no more than a pipe.
	 */
	{NO_ACCESS, "mq_open mq_unlink"},
	{ALLOW, "mq_getsetattr mq_notify mq_timedreceive mq_timedsend"},

	/* see socket_rules */
	{ALLOW, "socket socketpair"},
	{TEST_RENAME, "renameat2"},
	{TEST_LEASE, "fcntl"},
	{TEST_IOCTL, "ioctl"},
	{TEST_CLONE, "clone"},
	{TEST_UNSHARE, "unshare"},
	{TEST_LIMIT, "prlimit64"},
	{TEST_LIMIT_OWN, "setrlimit"},
	{TEST_NICE, "setpriority"},
	{TEST_IONICE, "ioprio_set"},
	{TEST_SELF, "migrate_pages move_pages sched_setattr sched_setparam sched_setscheduler"},
	/*
	 * Programs pin threads by tid, and OpenMP stops without that; a filter cannot tell whose tid it is.
	 * A broker can.
	 */
	{ALLOW, "sched_setaffinity"},

	/* Its flags are in memory, where a filter cannot read them; every libc falls back to clone. */
	{NOT_THERE, "clone3"},
	/* Files and sockets without the system calls that are filtered. */
	{NOT_THERE, "io_uring_enter io_uring_register io_uring_setup"},
	/* Changes attributes through an fd opened for reading. */
	{NOT_THERE, "file_setattr"},
	/* Landlock checks nothing when a file is opened with access mode 3. */
	{TEST_OPEN, "open"},
	{TEST_OPENAT, "openat"},
	/* A nested cordon needs it for its own broker, if this one has none. */
	{ALLOW, "openat2"},
	/* Removed from the kernel, or never in it. */
	{NOT_THERE, "_sysctl afs_syscall create_module epoll_ctl_old epoll_wait_old "
		    "get_kernel_syms getpmsg lookup_dcookie nfsservctl putpmsg query_module "
		    "security tuxcall uselib vserver"},
	/* Kernel objects and pages of other processes. */
	{NOT_YOURS, "kcmp process_madvise"},
	/* Mounts and other ways to change the file tree. */
	{NOT_YOURS, "chroot fsconfig fsmount fsopen fspick mount mount_setattr move_mount "
		    "open_tree open_tree_attr pivot_root setns umount2"},
	/* Files without a path. */
	{NOT_YOURS, "fanotify_init fanotify_mark open_by_handle_at"},
	/* Kernel subsystems that builds and tests do not need, with many past vulnerabilities. */
	{NOT_YOURS, "add_key bpf keyctl perf_event_open request_key userfaultfd"},
	/* Without CAP_SYS_TIME, which no command has, these only read the clock. */
	{ALLOW, "adjtimex clock_adjtime"},
	/* The machine. */
	{NOT_YOURS, "acct clock_settime delete_module finit_module "
		    "init_module ioperm iopl kexec_file_load kexec_load quotactl quotactl_fd "
		    "reboot setdomainname sethostname settimeofday swapoff swapon syslog "
		    "vhangup"},
};

/*
 * Socket calls, by network (none, all, or decided by the broker for localhost and domains) and by what
 * decides about unix socket names (Landlock, the broker, or nothing). The broker connects and binds, and
 * without datagrams there are no sockets that can send unconnected. Where nothing decides, only socketpairs
 * are allowed. Where Landlock has no signal scope the broker also decides about signals. Without network a
 * broker, if there is one, denies in place of the filter, to report it.
 *
 * With datagrams every send with an address is supervised; sendmsg and sendmmsg have the address in memory,
 * so those on stream sockets are supervised, too: a filter cannot tell sockets apart.
 */
enum network { NETWORK_NONE, NETWORK_ALL, NETWORK_BROKERED, NETWORK_DATAGRAMS, NETWORKS };
enum names {
	NAMES_SEEN,
	NAMES_ROUTED,
	NAMES_CLOSED,
	NAMES_AND_SIGNALS,
	NAMES_COPIED,
	NAMES_COPIED_AND_SIGNALS,
	NAMES
};
#define NAMES_COLUMNS NAMES_AND_SIGNALS /* it and the following: same column as NAMES_ROUTED */

#define SAME(verdict)                     \
	{                                 \
		verdict, verdict, verdict \
	}

static const struct socket_rule {
	enum verdict verdicts[NETWORKS][NAMES_COLUMNS];
	const char *calls;
} socket_rules[] = {
	{{{TEST_SOCKET_NONE, TEST_SOCKET_TOLD_STREAM, TEST_SOCKET_NONE_CLOSED},
	  {TEST_SOCKET_ALL, TEST_SOCKET_ALL_STREAM, TEST_SOCKET_ALL_CLOSED},
	  {TEST_SOCKET_BROKERED, TEST_SOCKET_BROKERED_STREAM, NO_ACCESS},
	  {TEST_SOCKET_DATAGRAMS, TEST_SOCKET_DATAGRAMS, NO_ACCESS}},
	 "socket"},
	{{{TEST_PAIR, TEST_PAIR_ROUTED, TEST_PAIR_STREAM},
	  {TEST_PAIR, TEST_PAIR_ROUTED, TEST_PAIR_STREAM},
	  {TEST_PAIR, TEST_PAIR_ROUTED, NO_ACCESS},
	  {TEST_PAIR, TEST_PAIR, NO_ACCESS}},
	 "socketpair"},
	{{{ALLOW, ROUTE, ALLOW}, {ALLOW, ROUTE, ALLOW}, SAME(ROUTE), SAME(ROUTE)}, "connect bind"},
	/* without bind the kernel chooses a port on all addresses */
	{{SAME(ALLOW), SAME(ALLOW), SAME(ROUTE), SAME(ROUTE)}, "listen"},
	/* TCP fast open connects by sending */
	{{SAME(ALLOW), SAME(ALLOW), SAME(TEST_SEND), SAME(TEST_SEND_TO)}, "sendto"},
	{{SAME(ALLOW), SAME(ALLOW), SAME(TEST_SEND), SAME(TEST_SEND_ROUTED)}, "sendmmsg"},
	{{SAME(ALLOW), SAME(ALLOW), SAME(TEST_SEND_MESSAGE), SAME(TEST_SEND_MESSAGE_ROUTED)},
	 "sendmsg"},
	{{SAME(ALLOW), SAME(ALLOW), SAME(TEST_SOCKET_OPTION), SAME(TEST_SOCKET_OPTION_GROUPS)},
	 "setsockopt"},
	/* the broker cannot read an undumpable process */
	{{{ALLOW, TEST_PRCTL, ALLOW},
	  {ALLOW, TEST_PRCTL, ALLOW},
	  SAME(TEST_PRCTL),
	  SAME(TEST_PRCTL)},
	 "prctl"},
};

/* Where the broker cannot duplicate the caller's sockets, it makes them, and has to see what becomes of them. */
static const struct group copied_rules[] = {
	{TEST_SOCKET_COPIED, "socket"},
	{ROUTE, "listen"},
};

/* Every way to signal another process: by a system call, or by becoming the owner of an fd. */
static const struct group signal_rules[] = {
	{ROUTE, "kill pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo tgkill tkill"},
	{TEST_OWNER, "fcntl"},
	{TEST_IOCTL_OWNER, "ioctl"},
};

#define BOTH(verdict) verdict, verdict

/*
 * Supervised in a plan with a broker: everything that creates, changes or removes names, and all metadata,
 * which Landlock does not restrict. The flags of openat2 are in memory.
 */
enum guard { GUARD_NONE, GUARD_CHANGES, GUARD_READS, GUARDS };

static const struct routed {
	enum verdict changes; /* where only changes are brokered */
	enum verdict reads;   /* where reads are brokered, too */
	const char *calls;
} routed[] = {
	{TEST_OPEN_CHANGE, TEST_OPEN_ANY, "open"},
	{TEST_OPENAT_CHANGE, TEST_OPENAT_ANY, "openat"},
	/*
	 * Its flags are in memory and may change after they were read, so no call could continue in the
	 * kernel; and an O_PATH fd cannot be injected. Programs work without it.
	 */
	{BOTH(NOT_THERE), "openat2"},
	{BOTH(ROUTE), "creat truncate"},
	{BOTH(TEST_RENAME_ROUTED), "renameat2"},
	{BOTH(ROUTE), "rename renameat link linkat unlink unlinkat rmdir mkdir mkdirat "
		      "symlink symlinkat mknod mknodat bind"},
	{BOTH(ROUTE), "chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes "
		      "futimesat utimensat setxattr lsetxattr fsetxattr removexattr lremovexattr "
		      "fremovexattr setxattrat removexattrat"},
	/* closing a staged git file installs it */
	{BOTH(TEST_DESK), "close dup dup2 dup3"},
	/* the broker cannot read an undumpable process */
	{BOTH(TEST_PRCTL), "prctl"},
	/* TIOCGPTPEER opens a pty without its name */
	{BOTH(TEST_IOCTL_ROUTED), "ioctl"},
};

/* Whether System V objects are granted. */
enum system_v { SYSTEM_V_NONE, SYSTEM_V_ALL, SYSTEM_VS };

/*
 * Denied calls that go to the broker to be reported: without these there is no System V IPC. If the broker
 * is gone the kernel returns ENOSYS.
 */
static const char told[] = "msgget semget shmget";

/*
 * With any supervision: the broker must know which processes added a layer. Where reads are brokered it
 * could leave no open to them, so only a cordon, which registers, may add layers. Affinity, priority and
 * limits of another process, by pid: only of the session. The broker must stay the listener: of two filters
 * with a listener the newer one is notified, and the kernel refuses a second listener only while the first
 * exists.
 */
static const struct routed layers[] = {
	{TEST_DOOR, TEST_DOOR_ONLY, "landlock_create_ruleset"},
	{BOTH(ALLOW), "landlock_add_rule"},
	{BOTH(ROUTE), "landlock_restrict_self"},
	{BOTH(TEST_PLACES), "sched_setaffinity sched_setattr sched_setparam sched_setscheduler"},
	{BOTH(TEST_LIMIT_ROUTED), "prlimit64"},
	{BOTH(TEST_NICE_ROUTED), "setpriority"},
	{BOTH(TEST_IONICE_ROUTED), "ioprio_set"},
	/* process groups of others, which the kernel stops, continues and hangs up */
	{BOTH(ROUTE), "setpgid"},
	{BOTH(TEST_IOCTL_ROUTED), "ioctl"},
	{BOTH(TEST_LISTENER), "seccomp"},
};

/* System calls that an old libseccomp does not know. */
static const struct newer {
	const char *name;
	int number;
	int x86_only;
} newer[] = {
	{"uretprobe", 335, 1},	       {"uprobe", 336, 1},
	{"epoll_pwait2", 441, 0},      {"mount_setattr", 442, 0},
	{"quotactl_fd", 443, 0},       {"landlock_create_ruleset", 444, 0},
	{"landlock_add_rule", 445, 0}, {"landlock_restrict_self", 446, 0},
	{"memfd_secret", 447, 0},      {"process_mrelease", 448, 0},
	{"futex_waitv", 449, 0},       {"set_mempolicy_home_node", 450, 0},
	{"cachestat", 451, 0},	       {"fchmodat2", 452, 0},
	{"map_shadow_stack", 453, 0},  {"futex_wake", 454, 0},
	{"futex_wait", 455, 0},	       {"futex_requeue", 456, 0},
	{"statmount", 457, 0},	       {"listmount", 458, 0},
	{"lsm_get_self_attr", 459, 0}, {"lsm_set_self_attr", 460, 0},
	{"lsm_list_modules", 461, 0},  {"mseal", 462, 0},
	{"setxattrat", 463, 0},	       {"getxattrat", 464, 0},
	{"listxattrat", 465, 0},       {"removexattrat", 466, 0},
	{"open_tree_attr", 467, 0},    {"file_getattr", 468, 0},
	{"file_setattr", 469, 0},      {"listns", 470, 0},
	{"rseq_slice_yield", 471, 0},
};
