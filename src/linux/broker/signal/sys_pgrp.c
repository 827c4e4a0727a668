// SPDX-License-Identifier: MIT
/*
 * Process groups. The kernel signals whole groups: it stops one that reads from its terminal in the
 * background, and sends SIGHUP to a stopped one that becomes orphaned. So a process may join only a group
 * created in the session, and give the foreground only to such a group. The group in which the command was
 * started counts as one, because shells return to it.
 *
 * A group is recognised by its members. One with a process of the session was created in it, since no other
 * can be joined; and while that process is in it no other group has the number.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "linux/broker/nest.h"
#include "linux/process/proc_stat.h"

enum members {
	NO_MEMBERS, /* empty, or /proc cannot be read */
	OURS,	    /* at least one process of the session */
	OTHERS	    /* other processes only */
};

/* Scans all processes, if the group leader has exited. */
static enum members
find_members(const struct notif_call *request, pid_t group)
{
	enum members found = NO_MEMBERS;
	DIR *proc = opendir("/proc");
	const struct dirent *entry;

	while (proc != NULL && found != OURS && (entry = readdir(proc)) != NULL) {
		pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);

		if (process > 0 && getpgid(process) == group)
			found = broker_may_signal(request, process) ? OURS : OTHERS;
	}
	if (proc != NULL)
		closedir(proc);
	return found;
}

static enum members
members_of(const struct notif_call *request, pid_t group)
{
	/* a guard that leads the command's terminal is in a group of its own */
	if (group == nest_group(request) && group != getpgrp())
		return OURS;
	if (getpgid(group) == group && broker_may_signal(request, group))
		return OURS;
	return find_members(request, group);
}

/*
 * Does the launcher, which is in the group as long as the guard lives, have a parent in its session and
 * outside the group, as a shell with job control is? Then no other process can make the group orphaned.
 */
static bool
is_never_orphaned(pid_t group)
{
	pid_t launcher = getppid();
	struct proc_stat at;

	return getpgid(launcher) == group && proc_stat_read(launcher, &at) && at.parent > 1 &&
	       getsid(at.parent) == getsid(launcher) && getpgid(at.parent) != group;
}

/*
 * Is the launcher the only process of the group that is not of the session, as the first process of a terminal
 * is? Then a SIGHUP to the group reaches no process outside but the launcher, which ends the session in order.
 */
static bool
is_shared_with_launcher(const struct notif_call *request, pid_t group)
{
	pid_t launcher = getppid();
	DIR *proc = getsid(launcher) == launcher ? opendir("/proc") : NULL;
	const struct dirent *entry;
	bool is_alone = proc != NULL;

	while (is_alone && (entry = readdir(proc)) != NULL) {
		pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);

		is_alone = process <= 0 || process == launcher || getpgid(process) != group ||
			   broker_may_signal(request, process);
	}
	if (proc != NULL)
		closedir(proc);
	return is_alone;
}

static bool
is_elsewhere(void *group, pid_t parent, pid_t child)
{
	(void)parent;
	return getpgid(child) != *(pid_t *)group;
}

/*
 * The command's first group may be shared with processes outside. If a parent leaves it while its child
 * stays, only the parent prevents that the group is orphaned; when that child exits, the kernel sends
 * SIGHUP to the whole group. So a process may leave only without a child in the group and with one thread,
 * which cannot fork while it waits here, and return only if its parent is not of the session.
 */
static bool
keeps_shared(const struct notif_call *request, pid_t process, pid_t group)
{
	pid_t shared = nest_group(request), now = getpgid(process);
	struct proc_stat at;

	if (is_never_orphaned(shared) || is_shared_with_launcher(request, shared))
		return true;
	if (!proc_stat_read(process, &at))
		return false;
	if (group == shared && now != shared)
		return !broker_may_signal(request, at.parent);
	return now != shared || group == shared ||
	       (at.threads == 1 && proc_children(process, 1, is_elsewhere, &shared) == 0);
}

/* Continues in the kernel, which knows pids only and requires the caller's own child. */
void
sys_setpgid(const struct notif_call *request)
{
	pid_t process = (pid_t)request->notif.data.args[0];
	pid_t group = (pid_t)request->notif.data.args[1];

	if (process == 0)
		process = notif_process(request);
	if (group == 0)
		group = process;
	if (group < 0 || ((group == process || members_of(request, group) == OURS) &&
			  keeps_shared(request, process, group)))
		notif_continue(request);
	else
		notif_fail(request, EPERM);
}

/*
 * TIOCSPGRP. It must continue in the kernel, because only the caller's session can do it, so the kernel
 * reads the number again. A thread that changes it meanwhile gives the foreground to another group of the
 * same terminal, which signals no process; taking the foreground from other groups is checked, and does not
 * depend on the number.
 */
void
sys_set_foreground(const struct notif_call *request)
{
	pid_t group = 0, front = proc_foreground(request->thread);
	int why = notif_bytes(request, request->notif.data.args[2], &group, sizeof group);

	if (why == 0 && group > 0 && members_of(request, group) != OURS)
		why = EPERM;
	if (why == 0 && front > 0 && members_of(request, front) == OTHERS)
		why = EPERM;
	if (why != 0)
		notif_fail(request, why);
	else
		notif_continue(request);
}
