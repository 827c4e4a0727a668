// SPDX-License-Identifier: MIT
/*
 * The filters in the kernel: every refused call is made twice in children, free and under the
 * filter, as root and as an ordinary user. The arguments are such that a free call does no harm and
 * fails, if at all, in another way than the refusal. Then real programs: what they fall back to
 * has to work.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "base/array.h"
#include "child.h"
#include "linux/seccomp/filter.h"
#include "tap.h"

#define HIGH_BITS 0xdeadbeef00000000ul
#define NOBODYS_PID 0x3ffffff
#define NO_PATH (long)"/nonexistent/cordon"
#define BAD_POINTER 8
#define LISTENER 8 /* SECCOMP_FILTER_FLAG_NEW_LISTENER */
#define ANY (-1)   /* free: as refused already, or depends on the kernel; nothing to compare with */

struct notif_call {
	const char *name;
	long number;
	long args[6];
	int confined; /* errno, or 0 */
	int root;     /* free, as root */
	int user;     /* free, as a user */
	int absent;   /* a kernel built without it says this instead; 0: ENOSYS */
};

#define CALL(name) #name, SYS_##name
/* Newer than the oldest headers we build with, and numbered alike everywhere. */
#define NEWER(name, number) #name, number

static const struct notif_call refused[] = {
	{CALL(mount), {NO_PATH, NO_PATH, NO_PATH}, EPERM, ENOENT, ENOENT, 0},
	{CALL(umount2), {NO_PATH}, EPERM, ENOENT, ENOENT, 0},
	{CALL(pivot_root), {NO_PATH, NO_PATH}, EPERM, ENOENT, ANY, 0},
	{CALL(chroot), {NO_PATH}, EPERM, ENOENT, ENOENT, 0},
	{CALL(setns), {-1}, EPERM, EBADF, EBADF, 0},
	{NEWER(open_tree, 428), {AT_FDCWD, NO_PATH}, EPERM, ENOENT, ENOENT, 0},
	{NEWER(move_mount, 429), {-1, NO_PATH, -1, NO_PATH}, EPERM, ENOENT, ANY, 0},
	{NEWER(fsopen, 430), {NO_PATH}, EPERM, ENODEV, ANY, 0},
	{NEWER(fsconfig, 431), {-1}, EPERM, EINVAL, EINVAL, 0},
	{NEWER(fsmount, 432), {-1}, EPERM, EBADF, ANY, 0},
	{NEWER(fspick, 433), {AT_FDCWD, NO_PATH}, EPERM, ENOENT, ANY, 0},
	{NEWER(mount_setattr, 442), {-1, NO_PATH, ~0}, EPERM, EINVAL, EINVAL, 0},
	{NEWER(open_tree_attr, 467), {AT_FDCWD, NO_PATH}, EPERM, ENOENT, ENOENT, 0},

	{NEWER(process_madvise, 440), {-1, 0, 0, 0, ~0}, EPERM, EINVAL, EINVAL, 0},
	{CALL(kcmp), {NOBODYS_PID, NOBODYS_PID}, EPERM, ESRCH, ESRCH, 0},
	{CALL(keyctl), {9999}, EPERM, EOPNOTSUPP, EOPNOTSUPP, 0},
	{CALL(add_key), {BAD_POINTER}, EPERM, EFAULT, EFAULT, 0},
	{CALL(request_key), {BAD_POINTER}, EPERM, EFAULT, EFAULT, 0},
	{CALL(bpf), {9999, 0, 0}, EPERM, EINVAL, ANY, 0},
	{CALL(perf_event_open), {0, 0, -1, -1, ~0}, EPERM, EINVAL, EINVAL, 0},
	{CALL(userfaultfd), {~0}, EPERM, EINVAL, ANY, 0},
	{CALL(open_by_handle_at), {AT_FDCWD, BAD_POINTER}, EPERM, EFAULT, ANY, 0},
	{CALL(fanotify_init), {~0}, EPERM, EINVAL, ANY, 0},
	{CALL(fanotify_mark), {-1, 1, 1, AT_FDCWD, NO_PATH}, EPERM, EBADF, EBADF, 0},

	{CALL(swapon), {NO_PATH}, EPERM, ENOENT, ANY, 0},
	{CALL(swapoff), {NO_PATH}, EPERM, ENOENT, ANY, 0},
	{CALL(acct), {NO_PATH}, EPERM, ENOENT, ANY, 0},
	{CALL(quotactl), {0xffff00, NO_PATH}, EPERM, ENOENT, ENOENT, 0},
	{CALL(reboot), {0}, EPERM, EINVAL, ANY, 0},
	{CALL(kexec_load), {0, 9999, 0, ~0}, EPERM, EINVAL, ANY, 0},
	{CALL(delete_module), {NO_PATH}, EPERM, ENOENT, ANY, 0},
	{CALL(finit_module), {-1, NO_PATH, ~0}, EPERM, EINVAL, ANY, 0},
	{CALL(sethostname), {0, -1}, EPERM, EINVAL, ANY, 0},
	{CALL(setdomainname), {0, -1}, EPERM, EINVAL, ANY, 0},
	{CALL(settimeofday), {BAD_POINTER}, EPERM, EFAULT, EFAULT, 0},
	{CALL(clock_settime), {99}, EPERM, EINVAL, EINVAL, 0},
	{CALL(syslog), {99}, EPERM, EINVAL, ANY, 0},
	{CALL(vhangup), {0}, EPERM, 0, ANY, 0},

	{NEWER(io_uring_setup, 425), {0, BAD_POINTER}, ENOSYS, EFAULT, EFAULT, 0},
	{NEWER(io_uring_enter, 426), {-1, 0, 0, ~0}, ENOSYS, EINVAL, EINVAL, 0},
	{NEWER(io_uring_register, 427), {-1, ~0}, ENOSYS, EINVAL, EINVAL, 0},
	{NEWER(clone3, 435), {0, 0}, ENOSYS, EINVAL, EINVAL, 0},
	{NEWER(file_setattr, 469), {AT_FDCWD, NO_PATH, 0, 0}, ENOSYS, EINVAL, EINVAL, 0},
	{CALL(mq_open), {BAD_POINTER}, EACCES, EFAULT, EFAULT, 0},
	{CALL(mq_unlink), {BAD_POINTER}, EACCES, EFAULT, EFAULT, 0},

	/* not threads without shared handlers; not without a known flag */
	{CALL(clone), {0x10010000}, EPERM, EINVAL, EINVAL, 0},
	{CALL(unshare), {0x10000001}, EPERM, EINVAL, EINVAL, 0},
	{CALL(unshare), {0x00000081}, EPERM, EINVAL, EINVAL, 0},

	{CALL(setpriority), {2, NOBODYS_PID, 0}, EPERM, ESRCH, ESRCH, 0},
	{CALL(ioprio_set), {3, NOBODYS_PID, 2 << 13}, EPERM, ESRCH, ESRCH, 0},
	{CALL(shmat), {-1, 0, 0}, ENOSYS, EINVAL, EINVAL, 0},
	{CALL(move_pages), {NOBODYS_PID}, EPERM, ESRCH, ESRCH, 0},
	{CALL(migrate_pages), {NOBODYS_PID}, EPERM, ESRCH, ESRCH, 0},
	{CALL(shmget), {0x7c0d0001, 4096, 0}, ENOSYS, ENOENT, ENOENT, 0},
	{CALL(semget), {0x7c0d0001, 1, 0}, ENOSYS, ENOENT, ENOENT, 0},
	{CALL(msgget), {0x7c0d0001, 0}, ENOSYS, ENOENT, ENOENT, 0},

	{CALL(socket), {16, 3, 15}, EPROTONOSUPPORT, 0, 0, 0},
	{CALL(socket), {17, 3, 0}, EAFNOSUPPORT, 0, EPERM, EAFNOSUPPORT},
	{CALL(socket), {38, 5, 0}, EAFNOSUPPORT, 0, 0, EAFNOSUPPORT},
	{CALL(socket), {40, 1, 0}, EAFNOSUPPORT, 0, 0, EAFNOSUPPORT},
	{CALL(socketpair), {2, 1, 0, BAD_POINTER}, EOPNOTSUPP, EFAULT, EFAULT, 0},

	{CALL(ioctl), {-1, 0x540c}, EPERM, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x5412}, EPERM, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, (long)(HIGH_BITS | 0x5412)}, EPERM, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x541c}, EPERM, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x5423}, EPERM, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x40086602}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, (long)(HIGH_BITS | 0x40046602)}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x401c5820}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x40087602}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x40086604}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x40806685}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x800c6613}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x41009432}, EOPNOTSUPP, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x5000940e}, EOPNOTSUPP, EBADF, EBADF, 0},

#ifdef __x86_64__
	{CALL(iopl), {9}, EPERM, EINVAL, EINVAL, 0},
	{CALL(ioperm), {-1, 1, 1}, EPERM, EINVAL, EINVAL, 0},
	{"x32 getpid", 0x40000000 | SYS_getpid, {0}, -SIGSYS, ANY, ANY, 0},
	{"x32 socket", 0x40000000 | SYS_socket, {2, 1, 0}, -SIGSYS, ANY, ANY, 0},
#endif
};

/* Calls about another process by its number: refused, or routed where there is a broker. */
static const struct notif_call refused_by_number[] = {
	{CALL(prlimit64), {1, 7, BAD_POINTER}, EPERM, EFAULT, EFAULT, 0},
	{CALL(setpriority), {0, NOBODYS_PID, 0}, EPERM, ESRCH, ESRCH, 0},
	{CALL(ioprio_set), {1, NOBODYS_PID, 2 << 13}, EPERM, ESRCH, ESRCH, 0},
	{CALL(sched_setscheduler), {NOBODYS_PID, 0, BAD_POINTER}, EPERM, EFAULT, EFAULT, 0},
	{CALL(sched_setparam), {NOBODYS_PID, BAD_POINTER}, EPERM, EFAULT, EFAULT, 0},
	{CALL(sched_setattr), {NOBODYS_PID, BAD_POINTER}, EPERM, EFAULT, EFAULT, 0},
};

/* Only without network. */
static const struct notif_call refused_none[] = {
	/* the broker would refuse it and tell of it; here there is none, and no socket either */
	{CALL(socket), {2, 1, 0}, ENOSYS, 0, 0, 0},
	{CALL(socket), {2, 2, 0}, ENOSYS, 0, 0, 0},
	{CALL(socket), {10, 1, 0}, ENOSYS, 0, 0, EAFNOSUPPORT},
	{CALL(socket), {(long)(HIGH_BITS | 2), 2, 0}, ENOSYS, 0, 0, 0},
	{CALL(socket), {1, 2, 0}, EACCES, 0, 0, 0},
	{CALL(socket), {1, 3, 0}, EACCES, 0, 0, 0},
	{CALL(socketpair), {1, 2, 0, BAD_POINTER}, ENOSYS, EFAULT, EFAULT, 0},
};

/* As free under every filter. */
static const struct notif_call kept[] = {
	{CALL(socket), {1, 1, 0}, 0, 0, 0, 0},
	{CALL(socket), {1, 02004005, 0}, 0, 0, 0, 0},
	{CALL(socket), {16, 3, 0}, 0, 0, 0, 0},
	{CALL(socketpair), {1, 1, 0, BAD_POINTER}, EFAULT, EFAULT, EFAULT, 0},
	{CALL(ioctl), {-1, 0x5401}, EBADF, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x80086601}, EBADF, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x40049409}, EBADF, EBADF, EBADF, 0},
	{CALL(ioctl), {-1, 0x801c581f}, EBADF, EBADF, EBADF, 0},
	{CALL(clone), {SIGCHLD}, 0, 0, 0, 0},
	{CALL(unshare), {0x400}, 0, 0, 0, 0},
	{CALL(sched_setaffinity), {0, 8, BAD_POINTER}, EFAULT, EFAULT, EFAULT, 0},
	{CALL(process_vm_readv), {NOBODYS_PID}, 0, 0, 0, 0},
	{CALL(process_vm_writev), {NOBODYS_PID}, 0, 0, 0, 0},
	{CALL(adjtimex), {BAD_POINTER}, EFAULT, EFAULT, EFAULT, 0},
	{CALL(clock_adjtime), {0, BAD_POINTER}, EFAULT, EFAULT, EFAULT, 0},
	{CALL(prlimit64), {NOBODYS_PID, 7, 0, 0}, ESRCH, ESRCH, ESRCH, 0},
	{CALL(setpriority), {0, 0, 19}, 0, 0, 0, 0},
	{CALL(ptrace), {0}, 0, 0, 0, 0},
	{CALL(seccomp), {9999}, EINVAL, EINVAL, EINVAL, 0},
	{CALL(personality), {0x0040000}, 0, 0, 0, 0},
	{"a number above all tables", 10000, {0}, ENOSYS, ENOSYS, ENOSYS, 0},
	{"no number", -1, {0}, ENOSYS, ENOSYS, ENOSYS, 0},
};

/* ---- one call ---- */

struct trial {
	const struct notif_call *call;
	const struct sock_fprog *filter; /* NULL: free */
};

static void
go_under(const struct sock_fprog *filter)
{
	struct cordon_error err;

	if (filter == NULL)
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || filter_load(filter, &err) != 0)
		_exit(CHILD_BROKEN);
}

static int
make_call(const void *argument)
{
	const struct trial *trial = argument;
	const long *args = trial->call->args;

	go_under(trial->filter);
	return syscall(trial->call->number, args[0], args[1], args[2], args[3], args[4], args[5]) <
			       0
		       ? errno
		       : 0;
}

static void
complain(const struct notif_call *call, enum who who, const char *how, int got, int expected)
{
	printf("# %s(%#lx, %#lx, %#lx) %s as %s: %d, expected %d\n", call->name,
	       (unsigned long)call->args[0], (unsigned long)call->args[1],
	       (unsigned long)call->args[2], how, who == AS_ROOT ? "root" : "user", got, expected);
	tap.failed_checks++;
}

/* Without network the one that asks about names: then more is refused. */
static const struct sock_fprog *
filter_for(bool network)
{
	return network ? filter_choose((struct seccomp_filter_kind){FILTER_ALL_NETWORK,
								    FILTER_NAMES_SEEN, FILTER_FREE,
								    FILTER_NO_SYSTEM_V})
		       : filter_choose((
				 struct seccomp_filter_kind){FILTER_NO_NETWORK, FILTER_NAMES_ROUTED,
							     FILTER_FREE, FILTER_NO_SYSTEM_V});
}

static void
try_call(const struct notif_call *call, enum who who, bool network)
{
	struct trial trial = {call, NULL};
	int free_expected = who == AS_ROOT ? call->root : call->user;
	int absent = call->absent == 0 ? ENOSYS : call->absent;
	int got = child_run(who, make_call, &trial);

	if (got == absent && call->confined != absent)
		printf("# not on this kernel: %s\n", call->name);
	else if (free_expected != ANY && got != free_expected && got != absent)
		complain(call, who, "free", got, free_expected);
	trial.filter = filter_for(network);
	got = child_run(who, make_call, &trial);
	if (got != call->confined)
		complain(call, who, network ? "with network" : "without network", got,
			 call->confined);
}

static void
try_calls(const struct notif_call *calls, size_t count, bool network)
{
	for (size_t i = 0; i < count; i++) {
		try_call(&calls[i], AS_USER, network);
		if (child_can_be_root())
			try_call(&calls[i], AS_ROOT, network);
	}
}

static void
refused_calls_fail_under_the_filter_and_only_there(void)
{
	try_calls(refused, COUNT(refused), false);
	try_calls(refused, COUNT(refused), true);
}

/* Without a listener, what is routed ends with ENOSYS. */
static void
calls_about_another_process_are_refused_or_supervised(void)
{
	try_calls(refused_by_number, COUNT(refused_by_number), true);
	for (size_t i = 0; i < COUNT(refused_by_number); i++) {
		struct notif_call routed = refused_by_number[i];

		routed.confined = ENOSYS;
		try_calls(&routed, 1, false);
	}
}

static void
without_network_there_are_only_local_streams(void)
{
	try_calls(refused_none, COUNT(refused_none), false);
}

static void
allowed_calls_have_the_results_of_a_bare_run(void)
{
	try_calls(kept, COUNT(kept), false);
	try_calls(kept, COUNT(kept), true);
}

static int
make_internet_socket(const void *filter)
{
	go_under(filter);
	return syscall(SYS_socket, 2, 1, 0) < 0 || syscall(SYS_socket, 2, 2, 0) < 0 ? errno : 0;
}

static void
with_network_there_are_internet_sockets(void)
{
	check_int(child_run(AS_USER, make_internet_socket, filter_for(true)), 0);
}

/* Where a broker refuses in the filter's place, nobody answers here: that is no way to a socket. */
static void
without_network_there_are_none_with_or_without_a_broker(void)
{
	static const struct {
		enum filter_names names;
		enum filter_guard guard;
		int expected;
	} cases[] = {
		{FILTER_NAMES_SEEN, FILTER_FREE, EACCES},
		{FILTER_NAMES_CLOSED, FILTER_FREE, EACCES},
		{FILTER_NAMES_SEEN, FILTER_CHANGES, ENOSYS},
		{FILTER_NAMES_SEEN, FILTER_READS, ENOSYS},
		{FILTER_NAMES_ROUTED, FILTER_FREE, ENOSYS},
		{FILTER_NAMES_ROUTED, FILTER_CHANGES, ENOSYS},
		{FILTER_NAMES_AND_SIGNALS, FILTER_CHANGES, ENOSYS},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_int(child_run(AS_USER, make_internet_socket,
				    filter_choose((struct seccomp_filter_kind){
					    FILTER_NO_NETWORK, cases[i].names, cases[i].guard,
					    FILTER_NO_SYSTEM_V})),
			  cases[i].expected);
}

/* The listener is gone as when the broker was killed. */
static int
make_socket_after_the_broker(const void *filter)
{
	struct cordon_error err;
	int listener;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    filter_load_routed(filter, &listener, &err) != 0 || close(listener) != 0)
		return CHILD_BROKEN;
	return make_internet_socket(NULL);
}

/* Of two filters that route the later one's listener is asked, and may let the kernel go on. */
static int
make_listener(void)
{
	struct sock_filter code[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
	struct sock_fprog program = {COUNT(code), code};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, HIGH_BITS | LISTENER, &program) < 0
		       ? errno
		       : 0;
}

static int
take_the_place_of_the_broker(const void *filter)
{
	int made = filter == NULL ? 0 : make_socket_after_the_broker(filter);

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || made == CHILD_BROKEN)
		return CHILD_BROKEN;
	return make_listener();
}

static void
a_dead_broker_is_no_way_to_a_socket(void)
{
	const struct sock_fprog *filter = filter_choose((struct seccomp_filter_kind){
		FILTER_NO_NETWORK, FILTER_NAMES_SEEN, FILTER_CHANGES, FILTER_NO_SYSTEM_V});

	check_int(child_run(AS_USER, make_socket_after_the_broker, filter), ENOSYS);
	check_int(child_run(AS_USER, take_the_place_of_the_broker, NULL), 0);
	check_int(child_run(AS_USER, take_the_place_of_the_broker, filter), EBUSY);
}

#ifdef __x86_64__
static int
call_as_i386(const void *filter)
{
	long result = 20; /* getpid there */

	go_under(filter);
	__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
	return result > 0 ? 0 : CHILD_BROKEN;
}

static void
calls_of_another_architecture_die(void)
{
	int got = child_run(AS_USER, call_as_i386, NULL);

	if (got != 0) {
		printf("# not on this kernel: calls of i386\n");
		return;
	}
	check_int(child_run(AS_USER, call_as_i386, filter_for(false)), -SIGSYS);
	check_int(child_run(AS_USER, call_as_i386, filter_for(true)), -SIGSYS);
}
#endif

static void
loading_without_a_filter_is_refused(void)
{
	struct cordon_error err = {0};

	check_int(filter_load(NULL, &err), -CORDON_E_GAP);
	check(err.text[0] != '\0');
}

/* ---- a real terminal ---- */

/* 0 when a byte was pushed into the input and can be read, else the errno of pushing. */
static int
push_input(const void *filter)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char name[64], byte = 0;
	int pushed;

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
	    ptsname_r(master, name, sizeof name) != 0)
		return CHILD_BROKEN;
	slave = open(name, O_RDWR | O_NONBLOCK);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0)
		return CHILD_BROKEN;
	go_under(filter);
	pushed = syscall(SYS_ioctl, slave, HIGH_BITS | TIOCSTI, "\n") == 0 ? 0 : errno;
	return (read(slave, &byte, 1) == 1) == (pushed == 0) ? pushed : CHILD_BROKEN;
}

static void
tiocsti_is_refused(void)
{
	int got = child_run(AS_USER, push_input, NULL);

	if (got != 0)
		printf("# this kernel refuses it by itself: %d\n", got);
	check_int(child_run(AS_USER, push_input, filter_for(false)), EPERM);
	check_int(child_run(AS_USER, push_input, filter_for(true)), EPERM);
}

/* ---- real programs ---- */

struct program {
	const struct sock_fprog *filter;
	const char *script;
};

static int
run_script(const void *argument)
{
	const struct program *program = argument;
	int sink = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (sink < 0 || dup2(sink, 0) < 0 || dup2(sink, 1) < 0 || dup2(sink, 2) < 0 ||
	    chdir("/") != 0)
		return CHILD_BROKEN;
	go_under(program->filter);
	execl("/bin/sh", "sh", "-c", program->script, (char *)NULL);
	return CHILD_BROKEN;
}

#define NO_NAMESPACES 9

static const struct {
	const char *name;
	const char *needs; /* programs */
	const char *script;
	int none, all; /* exit status under each filter; free it is 0 */
} programs[] = {
	{"node reads files and starts programs without io_uring", "node",
	 "UV_USE_IO_URING=1 node -e 'const fs = require(\"fs\");"
	 "fs.promises.readFile(\"/proc/version\").then(t => { if (!t.length) process.exit(3);"
	 "require(\"child_process\").execSync(\"true\") })'",
	 0, 0},
	{"python starts threads, processes and event loops", "python3",
	 "python3 -c 'import asyncio, subprocess, socket, concurrent.futures as f;"
	 "asyncio.run(asyncio.sleep(0)); subprocess.run([\"true\"], check=True); socket.socketpair();"
	 "assert list(f.ThreadPoolExecutor(2).map(abs, [-1])) == [1]'",
	 0, 0},
	{"python says PermissionError without network", "python3",
	 "python3 -c '\nimport socket, sys\ntry: socket.socket()\nexcept PermissionError: sys.exit(7)'",
	 7, 0},
	{"interfaces can be listed", "python3", "python3 -c 'import socket; socket.if_nameindex()'",
	 0, 0},
	{"gdb runs a child of its own", "gdb",
	 "gdb -q -batch -ex run --args true | grep -q 'exited normally'", 0, 0},
	{"strace follows its children", "strace", "strace -f -o /dev/null sh -c 'true; true'", 0,
	 0},
	{"strace shows strings of its child", "strace",
	 "strace -e execve true 2>&1 | grep -q 'execve(\"/.*true\"'", 0, 0},
	{"nice and taskset work on what they start", "taskset",
	 "nice -n 5 taskset -c 0 ionice -c 3 true", 0, 0},
	{"new user namespaces are refused", "unshare",
	 "unshare -U true || exit 9" /* NO_NAMESPACES */, NO_NAMESPACES, NO_NAMESPACES},
};

static bool
is_installed(const char *program)
{
	char script[128];
	struct program which = {NULL, script};

	snprintf(script, sizeof script, "command -v %s", program);
	return child_run(AS_USER, run_script, &which) == 0;
}

static void
run_program(size_t i)
{
	struct program program = {NULL, programs[i].script};
	int bare;

	if (!is_installed(programs[i].needs)) {
		printf("ok %d - %s # SKIP no %s\n", ++tap.cases, programs[i].name,
		       programs[i].needs);
		return;
	}
	bare = child_run(AS_USER, run_script, &program);
	if (bare == NO_NAMESPACES) {
		printf("ok %d - %s # SKIP no user namespaces without a filter either\n",
		       ++tap.cases, programs[i].name);
		return;
	}
	tap.failed_checks = 0;
	check_int(bare, 0);
	program.filter = filter_choose((struct seccomp_filter_kind){
		FILTER_NO_NETWORK, FILTER_NAMES_SEEN, FILTER_FREE, FILTER_NO_SYSTEM_V});
	check_int(child_run(AS_USER, run_script, &program), programs[i].none);
	program.filter = filter_for(true);
	check_int(child_run(AS_USER, run_script, &program), programs[i].all);
	tap.cases++;
	tap.failed_cases += tap.failed_checks != 0;
	printf("%sok %d - %s\n", tap.failed_checks != 0 ? "not " : "", tap.cases, programs[i].name);
}

/* With arguments, a launcher for trying by hand: none|all PROGRAM ARGUMENT... */
static int
launch(char **argv)
{
	bool all = strcmp(argv[1], "all") == 0;

	go_under(filter_choose(
		(struct seccomp_filter_kind){all ? FILTER_ALL_NETWORK : FILTER_NO_NETWORK,
					     FILTER_NAMES_SEEN, FILTER_FREE, FILTER_NO_SYSTEM_V}));
	execvp(argv[2], argv + 2);
	return 127;
}

int
main(int argc, char **argv)
{
	if (argc > 2)
		return launch(argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	run(refused_calls_fail_under_the_filter_and_only_there);
	run(calls_about_another_process_are_refused_or_supervised);
	run(without_network_there_are_only_local_streams);
	run(with_network_there_are_internet_sockets);
	run(without_network_there_are_none_with_or_without_a_broker);
	run(a_dead_broker_is_no_way_to_a_socket);
	run(allowed_calls_have_the_results_of_a_bare_run);
#ifdef __x86_64__
	run(calls_of_another_architecture_die);
#endif
	run(loading_without_a_filter_is_refused);
	run(tiocsti_is_refused);
	for (size_t i = 0; i < COUNT(programs); i++)
		run_program(i);
	return tap_end();
}
