/* SPDX-License-Identifier: MIT */
/*
 * Finding and ending what a process started, however far it went. The calling process must have
 * been made the heir of its orphans first. Nothing here allocates: it runs in the guard, which may
 * be all that is left of a session.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_SURVIVORS 8

struct session_group;

/* Children that were there before the session: left alone, with all that is theirs. */
struct tree_spare {
	pid_t pids[64];
	size_t count;
	uint64_t older;	 /* and whatever started before this; 0: nothing */
	bool is_lone;	 /* there can be no others: process_tree_is_lone, before the session */
	bool first_only; /* and all but the first thread's children, to which orphans come */
	int filters;	 /* and what has no more seccomp filters than this; with is_filtered */
	bool is_filtered;
	/* where orphans come to nobody: by whose mark they are found; NULL: not at all */
	const struct session_group *group;
};

struct tree_survivor {
	pid_t pid;
	char name[16];
};

/* What the end found. */
struct tree_end {
	int ended; /* how many were killed */
	int left;  /* how many would not die before the deadline */
	struct tree_survivor survivors[TREE_SURVIVORS];
};

/* Orphans below this process come to it from now on, or no more; what held before, or -1. */
int process_tree_inherit(bool on);
/* The calling process's own children of this moment. More than fit: -1. */
int process_tree_note_children(struct tree_spare *ret_spare);
/* Spares what is older than first, too: what those children left to us meanwhile. */
void process_tree_exclude_older(struct tree_spare *spare, pid_t first);
/*
 * Waits for those threads of a child that made this process their tracer and have ended: until then
 * the child's own end is not reported. How many there were.
 */
int process_tree_reap_threads(pid_t pid);
/* Has this process one thread only? Then no child is started while it waits. */
bool process_tree_is_lone(void);
/*
 * Spares other children of this process as well, started since. What a dead guard left has come to the
 * first thread, and with is_filtered has a filter more than we have. False: which are ours cannot be
 * told, because another thread may have started some.
 */
bool process_tree_exclude_others(struct tree_spare *spare, bool is_filtered);
/* Is anything alive below this process that is not spared? Zombies are not. */
bool process_tree_is_empty(const struct tree_spare *spare);
/* SIGTERM to everything below. */
void process_tree_terminate(const struct tree_spare *spare);
/*
 * Stops, then kills everything below, until two looks in a row found nothing, reaping meanwhile;
 * gives up when nothing has died for deadline_ms. True when nothing is left.
 */
bool process_tree_kill(const struct tree_spare *spare, int deadline_ms, struct tree_end *ret_end);
