// SPDX-License-Identifier: MIT
/*
 * The session group on Linux: chooses its kind and starts the command in it. The child is created inside
 * the cgroup (CLONE_INTO_CGROUP), because moving a process later costs some 14 ms.
 */
#include "enforce/session_group.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "linux/cgroup/cgroup.h"
#include "linux/cgroup/given_cgroup.h"
#include "linux/cgroup/systemd_scope.h"
#include "linux/seccomp/syscalls.h"

#define CLONE_INTO 0x200000000ull /* CLONE_INTO_CGROUP */

/* struct clone_args since Linux 5.7; the oldest supported headers lack its last fields. */
struct clone_into {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
		set_tid_size, cgroup;
};

/* ---- creation ---- */

static const struct session_group no_group = {
	.kind = GROUP_NONE, .folder = -1, .procs_fd = -1, .keeper_pipe = -1};

static bool
is_plain(const char *id)
{
	return *id != '\0' && strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789-") == strlen(id);
}

static bool
has_limits(const struct facts *facts, const struct group_wish *wish)
{
	return (wish->memory == 0 || facts->values[FACT_CGROUP_MEMORY]) &&
	       (wish->processes == 0 || facts->values[FACT_CGROUP_PIDS]);
}

/*
 * A plain cgroup costs 0.1 ms, a scope some 50: one is made for limits, and for a session without a
 * plan, whose command may kill supervisor and guard at once.
 */
int
session_group_select(const struct facts *facts, const struct group_wish *wish,
		     struct session_group *ret_group, struct cordon_error *err)
{
	bool limited = wish->memory != 0 || wish->processes != 0;
	struct session_group group = no_group;
	int rc = 0;

	if (!is_plain(wish->id))
		return cordon_fail(err, CORDON_E_USAGE, 0, "\"%.40s\" cannot name a group",
				   wish->id);
	if (wish->given != NULL) {
		rc = given_cgroup_select(wish, &group, err);
	} else if (facts->values[FACT_CGROUP] && has_limits(facts, wish)) {
		if (cgroup_choose_path(wish, group.path))
			group.kind = GROUP_CGROUP;
		else if (limited)
			rc = cordon_fail(err, CORDON_E_GAP, errno,
					 "there is no delegated cgroup for limits");
	} else if ((limited || wish->scope) && facts->values[FACT_SCOPE]) {
		rc = systemd_scope_make(wish, &group, err);
		if (rc < 0 && !limited) {
			group = no_group;
			rc = 0;
		}
	} else if (limited) {
		rc = cordon_fail(err, CORDON_E_GAP, 0, "no cgroup with limits is available here");
	}
	if (rc < 0)
		return rc;
	group.memory = wish->memory;
	group.processes = wish->processes;
	*ret_group = group;
	return 0;
}

int
session_group_make(struct session_group *group, struct cordon_error *err)
{
	const struct group_wish wish = {.memory = group->memory, .processes = group->processes};
	bool limited = group->memory != 0 || group->processes != 0;

	if (group->kind == GROUP_GIVEN)
		return given_cgroup_make(group, err);
	if (group->kind != GROUP_CGROUP)
		return 0;
	if (cgroup_make(group->path, &wish, &group->folder) == 0) {
		group->procs_fd = openat(group->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
		return 0;
	}
	if (limited)
		return cordon_fail(err, CORDON_E_GAP, errno, "cannot make a cgroup with limits");
	*group = no_group;
	return 0;
}

/* ---- start ---- */

static bool
is_cgroup(const struct session_group *group)
{
	return group->kind == GROUP_CGROUP || group->kind == GROUP_GIVEN;
}

/* A child joining the group. It shares the parent's memory until exec, so its writes are seen. */
struct birth {
	const struct session_group *group;
	bool joins;	  /* not created inside by clone3 */
	volatile int sys; /* errno of a failed join; -1: it died before joining */
	void (*run)(const void *);
	const void *argument;
};

static void
reap(pid_t child)
{
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Returns 0 or an errno. */
static int
join(const struct session_group *group)
{
	if (group->kind == GROUP_NONE)
		return 0;
	if (group->kind == GROUP_SCOPE)
		return systemd_scope_join(group);
	if (group->procs_fd < 0)
		return cgroup_write(group->folder, "cgroup.procs", "0") < 0 ? errno : 0;
	return write(group->procs_fd, "0", 1) == 1 ? 0 : errno;
}

static _Noreturn __attribute__((noinline)) void
begin(struct birth *birth)
{
	birth->sys = birth->joins ? join(birth->group) : 0;
	if (birth->sys == 0)
		birth->run(birth->argument);
	_exit(125);
}

/*
 * Address sanitizer handles vfork but no other call that returns twice; thread sanitizer turns vfork into
 * fork, which shares no memory.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define VFORK_IS_FORK 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define VFORK_IS_FORK 1
#endif
#ifndef VFORK_IS_FORK
#define VFORK_IS_FORK 0
#endif

/*
 * The raw system call, for which libc has no function. Like vfork it returns twice on one stack, so it must
 * be inlined into a function that lives until the second return.
 */
static inline __attribute__((always_inline)) long
call_clone3(const struct clone_into *args)
{
#if defined(__x86_64__) && !defined(HAS_SANITIZER)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_clone3), "D"(args), "S"(sizeof *args)
			 : "rcx", "r11", "memory", "cc");
	return result;
#elif defined(__aarch64__) && !defined(HAS_SANITIZER)
	register long number __asm__("x8") = SYS_clone3;
	register long first __asm__("x0") = (long)args;
	register long second __asm__("x1") = (long)sizeof *args;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(second), "r"(number) : "memory", "cc");
	return first;
#else
	(void)args;
	return -ENOSYS;
#endif
}

static __attribute__((noinline)) pid_t
bear(struct birth *birth)
{
	const struct clone_into args = {
		.flags = CLONE_INTO | CLONE_VM | CLONE_VFORK,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)birth->group->folder,
	};
	long child = call_clone3(&args);

	/* call nothing else here: it would overwrite the parent's stack */
	if (child == 0)
		begin(birth);
	return child < 0 ? -1 : (pid_t)child;
}

static pid_t
fork_and_join(struct birth *birth)
{
	pid_t child;

	birth->joins = is_cgroup(birth->group);
	child = vfork();
	if (child == 0)
		begin(birth);
	return child;
}

/* Returns the child's pid, or -1 with errno if it did not join. */
static pid_t
believe(pid_t child, const struct birth *birth)
{
	if (child < 0 || birth->sys == 0)
		return child;
	reap(child);
	errno = birth->sys > 0 ? birth->sys : ECHILD;
	return -1;
}

/* The child joins the group after its start; for a scope it queries systemd, which takes time. */
static pid_t
fork_inside(const struct birth *birth)
{
	int ends[2], sys = ECHILD;
	ssize_t n;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		sys = join(birth->group);
		if (write(ends[1], &sys, sizeof sys) == (ssize_t)sizeof sys && sys == 0)
			birth->run(birth->argument);
		_exit(125);
	}
	close(ends[1]);
	do
		n = child < 0 ? 0 : read(ends[0], &sys, sizeof sys);
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	if (child > 0 && (n != (ssize_t)sizeof sys || sys != 0)) {
		/* it may still be joining */
		if (n < 0)
			kill(child, SIGKILL);
		reap(child);
		child = -1;
		errno = sys;
	}
	return child;
}

/*
 * Since 6.14 (and in stable backports) a child created into another cgroup is killed at once if its
 * parent's cgroup was ever ended by cgroup.kill: the kernel compares kill counters of different cgroups.
 * Then, and without clone3 (BASELINE(5.7), or filtered), the child joins after its start.
 */
pid_t
session_group_spawn(const struct session_group *group, void (*run)(const void *argument),
		    const void *argument)
{
	struct birth birth = {.group = group, .sys = -1, .run = run, .argument = argument};
	pid_t child = -1;

	if (group->kind == GROUP_SCOPE || VFORK_IS_FORK)
		return fork_inside(&birth);
	if (is_cgroup(group))
		child = believe(bear(&birth), &birth);
	if (child < 0) {
		birth.sys = -1;
		child = believe(fork_and_join(&birth), &birth);
	}
	return child;
}

pid_t
session_group_fork(const struct session_group *group, void (*run)(const void *argument),
		   const void *argument)
{
	const struct birth birth = {.group = group, .run = run, .argument = argument};

	return fork_inside(&birth);
}

/* ---- use ---- */

/* May it be killed and removed here? */
static bool
is_ours(const struct session_group *group)
{
	return group->kind != GROUP_NONE && group->kind != GROUP_GIVEN;
}

/* Returns the cgroup's fd; *ret_opened is set if it was opened here. -1: no cgroup. */
static int
folder_of(const struct session_group *group, int *ret_opened)
{
	if (!is_ours(group) || group->folder >= 0)
		return is_ours(group) ? group->folder : -1;
	*ret_opened = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *ret_opened;
}

bool
session_group_kill(const struct session_group *group, int deadline_ms)
{
	auto_fd int opened = -1;
	int folder = folder_of(group, &opened);

	return folder < 0 || cgroup_kill(folder, deadline_ms);
}

bool
session_group_is_empty(const struct session_group *group)
{
	auto_fd int opened = -1;
	int folder = folder_of(group, &opened);

	return folder < 0 || cgroup_is_empty(folder);
}

static bool
has_happened(const struct session_group *group, const char *file, const char *key)
{
	auto_fd int opened = -1;
	int folder = folder_of(group, &opened);
	uint64_t times = 0;

	return folder >= 0 && cgroup_number(folder, file, key, &times) && times > 0;
}

bool
session_group_hit_memory(const struct session_group *group)
{
	return has_happened(group, "memory.events", "oom_kill");
}

bool
session_group_hit_processes(const struct session_group *group)
{
	return has_happened(group, "pids.events", "max");
}

bool
session_group_measure(const struct session_group *group, struct group_usage *ret_usage)
{
	struct group_usage usage = {0};
	auto_fd int opened = -1;
	int folder = folder_of(group, &opened);

	if (folder < 0)
		return false;
	cgroup_number(folder, "memory.current", "", &usage.memory);
	usage.processes = cgroup_count(folder);
	*ret_usage = usage;
	return true;
}

/* ---- end ---- */

/* rmdir(2); the kernel may return EBUSY shortly after the last exit. */
static int
remove_path(const char *path)
{
	int tries = 0;

	while (rmdir(path) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || ++tries > 2000)
			return -1;
		usleep(1000);
	}
	return 0;
}

void
session_group_release(struct session_group *group)
{
	if (group->kind != GROUP_NONE) {
		auto_fd_fn(&group->folder);
		auto_fd_fn(&group->procs_fd);
		auto_fd_fn(&group->keeper_pipe);
	}
	if (group->kind == GROUP_SCOPE && group->keeper > 0)
		reap(group->keeper);
	*group = no_group;
}

static int
clear_and_remove(const struct session_group *group)
{
	auto_fd int opened = -1;
	int folder = folder_of(group, &opened);

	if (folder < 0)
		return errno == ENOENT ? 0 : -1;
	return cgroup_clear(folder) < 0 ? -1 : remove_path(group->path);
}

int
session_group_remove(struct session_group *group)
{
	/* usually empty, and then rmdir needs no fd, of which none may be left */
	if (is_ours(group) && rmdir(group->path) < 0 && errno != ENOENT &&
	    clear_and_remove(group) < 0)
		return -1;
	session_group_release(group);
	return 0;
}

/* ".../cordon-ID", or ".../cordon-ID.scope/run". */
static bool
is_name_of_ours(const char *path)
{
	const char *end = strrchr(path, '/'), *start;
	size_t length;

	if (end == NULL || strstr(path, "/../") != NULL)
		return false;
	if (strcmp(end, "/" SCOPE_RUN) == 0) {
		start = memrchr(path, '/', (size_t)(end - path));
		length = start == NULL ? 0 : (size_t)(end - start);
		return length > 14 && strncmp(start, "/cordon-", 8) == 0 &&
		       strncmp(end - 6, ".scope", 6) == 0;
	}
	return strncmp(end, "/cordon-", 8) == 0 && is_plain(end + 8);
}

int
session_group_end_dead(const char *path)
{
	auto_fd int folder = -1;
	char own[PATH_MAX];
	struct statfs fs;

	if (!is_name_of_ours(path)) {
		errno = EINVAL;
		return -1;
	}
	folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstatfs(folder, &fs) < 0 || fs.f_type != CGROUP2_MAGIC) {
		errno = EINVAL;
		return -1;
	}
	/* a process inside may call this, and must not kill itself */
	if ((cgroup_find_own(own) && path_below(own, path)) || !cgroup_kill(folder, 5000)) {
		errno = EBUSY;
		return -1;
	}
	return cgroup_clear(folder) < 0 ? -1 : remove_path(path);
}
