// SPDX-License-Identifier: MIT
/*
 * The session's group on Linux: which kind there is, and getting the command into it. A process is
 * best born inside: to join later makes it wait for every processor (some 14 ms).
 */
#include "enforce/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "linux/cgroup.h"
#include "linux/scope.h"

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#define INTO_CGROUP 0x200000000ull

/* As the kernel has it since 5.7; its header came later than the oldest we build with. */
struct clone_into {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
		set_tid_size, cgroup;
};

/* ---- making ---- */

static const struct group no_group = {.kind = GROUP_NONE, .folder = -1, .hold = -1};

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

/* A plain cgroup costs 0.1 ms, a scope some 50: it is asked for only when there are limits. */
int
group_make(const struct facts *facts, const struct group_wish *wish, struct group *ret_group,
	   struct cordon_error *err)
{
	bool limited = wish->memory != 0 || wish->processes != 0;
	struct group group = no_group;
	int rc = 0;

	if (!is_plain(wish->id))
		return cordon_fail(err, CORDON_E_USAGE, 0, "\"%.40s\" cannot name a group",
				   wish->id);
	if (facts->values[FACT_CGROUP] && has_limits(facts, wish)) {
		if (cgroup_make(wish, group.path, &group.folder) == 0)
			group.kind = GROUP_CGROUP;
		else if (limited)
			rc = cordon_fail(err, CORDON_E_GAP, errno,
					 "cannot make a cgroup with limits");
	} else if (limited && facts->values[FACT_SCOPE]) {
		rc = scope_make(wish, &group, err);
	} else if (limited) {
		rc = cordon_fail(err, CORDON_E_GAP, 0, "no group with limits can be had here");
	}
	if (rc == 0)
		*ret_group = group;
	return rc;
}

/* ---- forking ---- */

/* How the child got on, from its first moment; 0 or an errno. Nothing: it did not live to say. */
static bool
hear(int from, int *ret_sys)
{
	ssize_t n;

	do
		n = read(from, ret_sys, sizeof *ret_sys);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof *ret_sys;
}

static bool
say(int to, int sys)
{
	return write(to, &sys, sizeof sys) == (ssize_t)sizeof sys;
}

static void
reap(pid_t child)
{
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static pid_t
clone_into(const struct group *group)
{
	struct clone_into args = {
		.flags = INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)group->folder,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

/* 0 or an errno. */
static int
join(const struct group *group)
{
	if (group->kind == GROUP_SCOPE)
		return scope_join(group);
	return cgroup_write(group->folder, "cgroup.procs", "0") < 0 ? errno : 0;
}

/*
 * One try, by either way. *ret_sys tells why there is no child; 0: it was killed before it could
 * say a word. In the child this returns 0 and nothing is left of the conversation.
 */
static pid_t
fork_once(const struct group *group, bool born_inside, int *ret_sys)
{
	int ends[2], sys = 0;
	pid_t child;

	*ret_sys = 0;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		*ret_sys = errno;
		return -1;
	}
	child = born_inside ? clone_into(group) : fork();
	*ret_sys = child < 0 ? errno : 0;
	if (child == 0) {
		sys = born_inside ? 0 : join(group);
		if (!say(ends[1], sys) || sys != 0)
			_exit(125);
	}
	close(ends[1]);
	if (child > 0 && (!hear(ends[0], &sys) || sys != 0)) {
		reap(child);
		child = -1;
		*ret_sys = sys;
	}
	close(ends[0]);
	return child;
}

/*
 * From 6.14 on, and in stable kernels since, a child that is born into another cgroup is killed on
 * the spot when the cgroup of its parent was ever ended by cgroup.kill: the kernel compares the
 * count of the one with that of the other. So the child is heard before it is believed in; also
 * where there is no such call (BASELINE(5.7)) or a filter refuses it.
 */
pid_t
group_fork(const struct group *group)
{
	pid_t child;
	int sys;

	if (group->kind == GROUP_NONE)
		return fork();
	if (group->kind == GROUP_CGROUP) {
		child = fork_once(group, true, &sys);
		if (child >= 0)
			return child;
	}
	child = fork_once(group, false, &sys);
	if (child < 0)
		errno = sys == 0 ? ECHILD : sys;
	return child;
}

/* ---- while it is there ---- */

static bool
is_there(const struct group *group)
{
	return group->kind != GROUP_NONE && group->folder >= 0;
}

bool
group_kill(const struct group *group, int deadline_ms)
{
	return !is_there(group) || cgroup_kill(group->folder, deadline_ms);
}

bool
group_is_empty(const struct group *group)
{
	return !is_there(group) || cgroup_is_empty(group->folder);
}

bool
group_hit_memory(const struct group *group)
{
	uint64_t times = 0;

	return is_there(group) &&
	       cgroup_number(group->folder, "memory.events", "oom_kill", &times) && times > 0;
}

bool
group_hit_processes(const struct group *group)
{
	uint64_t times = 0;

	return is_there(group) && cgroup_number(group->folder, "pids.events", "max", &times) &&
	       times > 0;
}

bool
group_measure(const struct group *group, struct group_usage *ret_usage)
{
	struct group_usage usage = {0};

	if (!is_there(group))
		return false;
	cgroup_number(group->folder, "memory.current", "", &usage.memory);
	usage.processes = cgroup_count(group->folder);
	*ret_usage = usage;
	return true;
}

/* ---- the end ---- */

/* rmdir, for which the kernel may say EBUSY for a moment after the last exit. */
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

int
group_remove(struct group *group)
{
	if (is_there(group) && (cgroup_clear(group->folder) < 0 || remove_path(group->path) < 0))
		return -1;
	if (group->kind != GROUP_NONE) {
		auto_fd_fn(&group->folder);
		auto_fd_fn(&group->hold);
	}
	if (group->kind == GROUP_SCOPE)
		reap(group->keeper);
	*group = no_group;
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
group_end_dead(const char *path)
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
	/* whoever lives on in it may ask, and must not end by asking */
	if ((cgroup_find_own(own) && path_below(own, path)) || !cgroup_kill(folder, 5000)) {
		errno = EBUSY;
		return -1;
	}
	return cgroup_clear(folder) < 0 ? -1 : remove_path(path);
}
