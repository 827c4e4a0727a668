/* SPDX-License-Identifier: MIT */
/*
 * A group of processes that the system itself keeps together: a cgroup of the session's own. It
 * carries limits over all processes, and holds them even when supervisor and guard die at once.
 * A group is plain data that survives fork; only session_group_select allocates.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/plan.h"

enum group_kind {
	GROUP_NONE,	/* nothing to be had here: subreapers alone */
	GROUP_CGROUP,	/* below our own cgroup, or beside it, where that is delegated to us */
	GROUP_SCOPE,	/* made for us by systemd's user manager */
	TRACKED_BY_MARK /* known by their profile or environment (macOS); path is the mark's */
};

/* Has the ids of all sessions a process was started in, where that is the only mark there is. */
#define GROUP_MARKER "CORDON_TRACK"

struct session_group {
	enum group_kind kind;
	int folder;	     /* the cgroup's; -1: not opened by us */
	int procs_fd;	     /* where a process writes itself in, also from a box; -1: none */
	char path[PATH_MAX]; /* its absolute path; "" : none */
	uint64_t memory, processes; /* the limits it is to have; 0: none */
	/* of a scope: a process that keeps it there until this descriptor is closed */
	int hold;
	pid_t keeper;
};

struct group_wish {
	const char *id;		    /* the session's; part of the name */
	uint64_t memory, processes; /* limits; 0: none */
	bool scope;		    /* also without limits, where no cgroup is delegated */
};

struct group_usage {
	uint64_t memory; /* bytes; 0: this group cannot tell */
	int processes;
};

/*
 * Decides which kind this host can give, and where: from here on its path is known to all who may
 * have to end it. A limit that cannot be had is an error (the plan's promise said it can be kept, or
 * the caller accepted the gap and passes no limit). A scope is made already and has a child of ours
 * in it, which session_group_release reaps; it goes by itself when we die.
 */
int session_group_select(const struct facts *facts, const struct group_wish *wish,
			 struct session_group *ret_group, struct cordon_error *err);
/*
 * Makes it, in the process that will end it. Without limits it becomes GROUP_NONE where none can be
 * had, whatever the facts said: the subreapers do not need it. A limit that cannot be set is an
 * error.
 */
int session_group_make(struct session_group *group, struct cordon_error *err);
/*
 * Starts a process inside, which calls run(argument); that never returns. As with vfork it shares
 * our memory, and this returns when it has called exec or ended: run keeps to what may be done
 * then, and blocked signals stay blocked until its own are restored. Where the kernel or systemd
 * does not let it be born inside it joins before run is called. -1 with errno when it could not get
 * inside: then nothing ran.
 */
pid_t session_group_spawn(const struct session_group *group, void (*run)(const void *argument),
			  const void *argument);
/* The same with memory of its own, for a process that stays as it is. */
pid_t session_group_fork(const struct session_group *group, void (*run)(const void *argument),
			 const void *argument);
/* From here on the path is enough, and that there be no group is fine. */
/* Ends everything inside, frozen first, and waits; true when it is empty. Repeatable. */
bool session_group_kill(const struct session_group *group, int deadline_ms);
bool session_group_is_empty(const struct session_group *group);
/* Was the memory or process limit hit inside? To be asked before session_group_remove. */
bool session_group_hit_memory(const struct session_group *group);
bool session_group_hit_processes(const struct session_group *group);
bool session_group_measure(const struct session_group *group, struct group_usage *ret_usage);
/*
 * Removes it, depth first, with the cgroups the command made in it; closes. 0, or -1 with errno
 * when something is left (EBUSY: processes). Repeatable.
 */
int session_group_remove(struct session_group *group);
/* Leaves it to whoever else has it: only closes what is ours. Repeatable. */
void session_group_release(struct session_group *group);
/*
 * Of a session whose supervisor and guard are both gone: ends what is in it, removes it. A path
 * that is not one of ours is refused (EINVAL); one that is gone already is fine.
 */
int session_group_end_dead(const char *path);
