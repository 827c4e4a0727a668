// SPDX-License-Identifier: MIT
/*
 * Probes what this kernel can do, by attempts. Version numbers are not used: they say nothing about
 * backports and container filters. Attempts that would change this process run in a child.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/fd.h"
#include "enforce/enforce.h"
#include "linux/broker/nest.h"
#include "linux/cgroup/cgroup.h"
#include "linux/cgroup/systemd_scope.h"
#include "linux/landlock/audit_log.h"
#include "linux/landlock/ruleset.h"
#include "linux/seccomp/filter.h"
#include "linux/seccomp/syscalls.h"

#define NOTIFY_NEW_LISTENER (1ul << 3)
#define NOTIFY_WAIT_KILLABLE (1ul << 5)
#define NOTIFY_SYNC_WAKE_UP 1ul
#define NOTIFY_IOCTL_SET_FLAGS _IOW('!', 4, unsigned long long)
struct notify_addfd {
	unsigned long long id;
	unsigned flags, source, target, target_flags;
};
#define NOTIFY_IOCTL_ADDFD _IOW('!', 3, struct notify_addfd)

enum child_saw { SAW_LISTENER = 1, SAW_KILLABLE = 2, SAW_ADDFD = 4, SAW_SYNC = 8 };

static int
add_listener(unsigned long flags)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, NOTIFY_NEW_LISTENER | flags,
			    &program);
}

/* Runs in the child: no allocation, no locks. The filter allows everything. */
static int
try_notify(void)
{
	struct notify_addfd nothing = {.id = 1};
	int saw = 0, listener;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return 0;
	listener = add_listener(NOTIFY_WAIT_KILLABLE);
	if (listener >= 0)
		saw |= SAW_KILLABLE;
	else if (errno == EINVAL)
		listener = add_listener(0);
	if (listener < 0)
		return saw;
	saw |= SAW_LISTENER;
	/* notification id 0 does not exist: ENOENT shows that the kernel knows the ioctl */
	if (ioctl(listener, NOTIFY_IOCTL_ADDFD, &nothing) < 0 && errno == ENOENT)
		saw |= SAW_ADDFD;
	if (ioctl(listener, NOTIFY_IOCTL_SET_FLAGS, NOTIFY_SYNC_WAKE_UP) == 0)
		saw |= SAW_SYNC;
	return saw;
}

int
enforce_probe_notify(struct facts *to, struct cordon_error *err)
{
	/* no exit signal: a caller that ignores SIGCHLD could not wait, another would receive it */
	pid_t child = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	int status = 0;

	if (child < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot probe this kernel: fork");
	if (child == 0)
		_exit(try_notify());
	while (waitpid(child, &status, __WALL) < 0)
		if (errno != EINTR)
			return cordon_fail(err, CORDON_E_SYSTEM, errno,
					   "cannot probe this kernel: wait");
	/* a child that was killed saw nothing */
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	to->values[FACT_SECCOMP_NOTIFY] = (status & SAW_LISTENER) != 0;
	to->values[FACT_NOTIFY_ADDFD] = (status & SAW_ADDFD) != 0;
	to->values[FACT_NOTIFY_WAIT_KILLABLE] = (status & SAW_KILLABLE) != 0;
	to->values[FACT_NOTIFY_SYNC] = (status & SAW_SYNC) != 0;
	return 0;
}

/*
 * Finds what a plan needs, without a child if no filter is loaded yet: then no other listener can exist.
 * The kernel checks flags before the program pointer, so EFAULT shows that it knows the flags. The flag of
 * 5.19 implies fd injection, which is of 5.9.
 */
static int
probe_notify(struct facts *to, struct cordon_error *err)
{
	unsigned long flags = NOTIFY_NEW_LISTENER | NOTIFY_WAIT_KILLABLE;

	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, NULL) == 0 || errno != EFAULT)
		return enforce_probe_notify(to, err);
	to->values[FACT_SECCOMP_NOTIFY] = to->values[FACT_NOTIFY_ADDFD] = 1;
	to->values[FACT_NOTIFY_WAIT_KILLABLE] = 1;
	return 0;
}

static bool
has_filter(void)
{
	unsigned action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* ESRCH and EBADF show that the calls exist and are not filtered. */
static bool
has_pidfd(void)
{
	return syscall(SYS_pidfd_open, INT_MAX, 0) < 0 && errno == ESRCH;
}

static bool
has_pidfd_getfd(void)
{
	return syscall(SYS_pidfd_getfd, -1, -1, 0) < 0 && errno == EBADF;
}

static bool
has_openat2(void)
{
	unsigned long long how[3] = {O_PATH | O_CLOEXEC, 0, 0};
	auto_fd int root = (int)syscall(SYS_openat2, AT_FDCWD, "/", how, sizeof how);

	return root >= 0;
}

static int
yama_scope(void)
{
	auto_fd int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char digit = '0';

	return fd >= 0 && read(fd, &digit, 1) == 1 && digit >= '0' && digit <= '3' ? digit - '0'
										   : 0;
}

/* Landlock built in but not enabled also returns EOPNOTSUPP; so look for a filter. */
static bool
is_filtered(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2;
}

/* Without the file the children of a process cannot be listed. */
static bool
has_tree(void)
{
	return access("/proc/thread-self/children", R_OK) == 0;
}

/*
 * Some container filters refuse clone3 with an errno after which libc does not fall back to clone. Called
 * without arguments the kernel returns EINVAL.
 */
static bool
has_threads(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0 || syscall(SYS_clone3, NULL, 0) == 0 ||
	       errno != EPERM;
}

/* Inside another cordon the cgroup is the outer session's, and an attempt would be reported there. */
static bool
has_cgroup(bool is_in_cordon)
{
	return !is_in_cordon && cgroup_is_delegated();
}

static bool
has_audit(int abi)
{
	auto_fd int log = abi < 7 ? -1 : audit_log_open();

	return log >= 0;
}

int
enforce_probe(struct facts *ret_facts, struct cordon_error *err)
{
	struct facts facts = {.system = SYSTEM_LINUX};
	struct utsname name;
	int abi = landlock_version(NULL);
	bool is_inside = abi == 0 && errno == EOPNOTSUPP && is_filtered();
	int rc = probe_notify(&facts, err), offer = is_filtered() ? handshake_query() : 0;

	if (rc < 0)
		return rc;
	facts.values[FACT_LANDLOCK_ABI] = abi;
	facts.values[FACT_INSIDE] = is_inside;
	facts.values[FACT_OUTER_CORDON] = offer & (OFFER_KILLABLE - 1);
	if (offer & OFFER_KILLABLE)
		facts.values[FACT_NOTIFY_WAIT_KILLABLE] = 1;
	facts.values[FACT_SECCOMP_FILTER] = has_filter();
	facts.values[FACT_PIDFD] = has_pidfd();
	facts.values[FACT_PIDFD_GETFD] = has_pidfd_getfd();
	facts.values[FACT_OPENAT2] = has_openat2();
	/* a range of one fd that is not open */
	facts.values[FACT_CLOSE_RANGE] = syscall(SYS_close_range, ~0u, ~0u, 0) == 0;
	facts.values[FACT_YAMA] = yama_scope();
	facts.values[FACT_CGROUP] = has_cgroup(facts.values[FACT_OUTER_CORDON]);
	facts.values[FACT_BROKER] = has_threads();
	facts.values[FACT_AUDIT] = has_audit(abi);
	facts.values[FACT_TREE] = has_tree();
	if (uname(&name) == 0)
		snprintf(facts.kernel, sizeof facts.kernel, "%.12s %.64s", name.sysname,
			 name.release);
	*ret_facts = facts;
	return 0;
}

/* Creates a cgroup with the limit, and removes it. */
static bool
can_limit(uint64_t memory, uint64_t processes)
{
	char id[32], path[PATH_MAX];
	struct group_wish wish = {.id = id, .memory = memory, .processes = processes};
	int folder;

	snprintf(id, sizeof id, "probe-%d", (int)getpid());
	if (!cgroup_choose_path(&wish, path) || cgroup_make(path, &wish, &folder) < 0)
		return false;
	close(folder);
	return rmdir(path) == 0;
}

void
enforce_probe_limits(struct facts *facts)
{
	int *values = facts->values;

	values[FACT_CGROUP] = values[FACT_CGROUP] && can_limit(0, 0);
	values[FACT_CGROUP_MEMORY] = values[FACT_CGROUP] && can_limit(1u << 30, 0);
	values[FACT_CGROUP_PIDS] = values[FACT_CGROUP] && can_limit(0, 1000);
	values[FACT_SCOPE] = systemd_scope_can();
}

void
enforce_probe_tracking(struct facts *facts)
{
	int offer = is_filtered() ? handshake_query() : 0;
	bool is_in_cordon = (offer & (OFFER_KILLABLE - 1)) != 0;

	facts->values[FACT_CGROUP] = has_cgroup(is_in_cordon);
	facts->values[FACT_SCOPE] = !facts->values[FACT_CGROUP] && !is_in_cordon &&
				    systemd_scope_can();
}

enum system
enforce_system(void)
{
	return SYSTEM_LINUX;
}

/* The program itself is the first object. Returns 1 if it names a dynamic loader, else -1; both end the search. */
static int
find_loader(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			return 1;
	return -1;
}

void
enforce_describe_build(struct enforce_build *ret)
{
#ifdef __GLIBC__
	snprintf(ret->libc, sizeof ret->libc, "glibc %.30s", gnu_get_libc_version());
#else
	snprintf(ret->libc, sizeof ret->libc, "musl");
#endif
	ret->is_static = dl_iterate_phdr(find_loader, NULL) < 0;
	ret->filters = filter_architecture();
}
