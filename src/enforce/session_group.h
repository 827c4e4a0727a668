/* SPDX-License-Identifier: MIT */
/*
 * A session's group of processes as the system tracks it: a cgroup on Linux. It carries the limits over all
 * processes and keeps them together even if supervisor and guard die at once. The struct is plain data that
 * survives fork; only session_group_select allocates.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/plan.h"

enum group_kind {
	GROUP_NONE,	/* not available: subreapers alone */
	GROUP_CGROUP,	/* a delegated cgroup below or beside our own */
	GROUP_SCOPE,	/* a scope made by systemd's user manager */
	GROUP_GIVEN,	/* a cgroup of the invoker: joined; never limited, killed or removed */
	TRACKED_BY_MARK /* macOS: found by profile or environment; path is the fingerprint file's */
};

/* Environment variable with the ids of all sessions around a process, where that is the only mark. */
#define GROUP_MARKER "CORDON_TRACK"

struct session_group {
	enum group_kind kind;
	int folder;	     /* of the cgroup; -1: not opened here */
	int procs_fd;	     /* cgroup.procs, writable also from inside the sandbox; -1: none */
	char path[PATH_MAX]; /* absolute path; "": none */
	uint64_t memory, processes; /* limits to set; 0: none */
	/* scope: write end of a pipe; the keeper process stays in the scope until it is closed */
	int keeper_pipe;
	pid_t keeper;
};

/* By what the invoker itself finds the processes of a session. */
struct invoker_ids {
	const char *cgroup;	 /* Linux: absolute path of a cgroup that they join; NULL: none */
	const char *fingerprint; /* macOS: UUID of the two paths of an editor; NULL: none */
};

struct group_wish {
	const char *id;		    /* session id; part of the name */
	uint64_t memory, processes; /* limits; 0: none */
	bool scope;		    /* also without limits, where no cgroup is delegated */
	const char *given;	    /* cgroup of the invoker instead; NULL: none */
};

struct group_usage {
	uint64_t memory; /* bytes; 0: unknown */
	int processes;
};

/*
 * Decides which kind of group this host provides and its path, which is then known to every process that
 * may have to end it. Fails if a limit cannot be set: the plan said that it can, or the caller accepted the
 * gap and passes no limit. A scope is created here with a child of this process in it, which
 * session_group_release reaps; the child exits if this process dies.
 */
int session_group_select(const struct facts *facts, const struct group_wish *wish,
			 struct session_group *ret_group, struct cordon_error *err);
/*
 * Creates the group, in the process that will end it. Without limits a failure makes it GROUP_NONE, because
 * subreapers do not need the group. A limit that cannot be set is an error.
 */
int session_group_make(struct session_group *group, struct cordon_error *err);
/*
 * Starts a process in the group that calls run(argument), which never returns. As with vfork the memory is
 * shared and the caller waits until exec or exit, so run must respect the rules of vfork; blocked signals
 * stay blocked until run restores its own mask. If clone3 cannot place the process in the cgroup, it joins
 * before run. Returns -1 with errno if it could not join: then run was not called.
 */
pid_t session_group_spawn(const struct session_group *group, void (*run)(const void *argument),
			  const void *argument);
/* The same with a copy of the memory, for a process that does not exec. */
pid_t session_group_fork(const struct session_group *group, void (*run)(const void *argument),
			 const void *argument);
/* The functions below need the path only, and succeed if the group does not exist. */
/* Freezes and kills all processes in it and waits. Returns true if it is empty. Repeatable. */
bool session_group_kill(const struct session_group *group, int deadline_ms);
bool session_group_is_empty(const struct session_group *group);
/* Was the memory or process limit reached? Call it before session_group_remove. */
bool session_group_hit_memory(const struct session_group *group);
bool session_group_hit_processes(const struct session_group *group);
bool session_group_measure(const struct session_group *group, struct group_usage *ret_usage);
/*
 * Removes the group with all cgroups below it and closes the fds. Returns 0, or -1 with errno (EBUSY:
 * processes are left). Repeatable.
 */
int session_group_remove(struct session_group *group);
/* Closes our fds and leaves the group to other processes. Repeatable. */
void session_group_release(struct session_group *group);
/*
 * For a session whose supervisor and guard are gone: kills its processes and removes the group. Refuses a
 * path that is not a session group (EINVAL); succeeds if it is gone.
 */
int session_group_end_dead(const char *path);
