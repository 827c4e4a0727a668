/* SPDX-License-Identifier: MIT */
/*
 * Finds and ends the descendants of this process, daemons included. The process must be their subreaper
 * (process_tree_inherit). Nothing here allocates: it runs in the guard and must work when memory is short.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_SURVIVORS 8

struct session_group;

/* Processes to leave alone: children from before the session with their descendants. */
struct tree_spare {
	pid_t pids[64];
	size_t count;
	uint64_t older; /* also spare processes started before this time; 0: none */
	/* there are no other children: process_tree_is_lone held before the session */
	bool is_lone;
	/* also spare children of other threads; orphans come to the first thread */
	bool first_only;
	/* also spare processes with at most this many seccomp filters; used with is_filtered */
	int filters;
	bool is_filtered;
	/* finds processes by the group's fingerprint where orphans cannot be inherited; NULL: not used */
	const struct session_group *group;
};

struct tree_survivor {
	pid_t pid;
	char name[16];
};

/* Result of ending a tree. */
struct tree_end {
	int ended; /* processes killed */
	int left;  /* processes alive after the deadline */
	struct tree_survivor survivors[TREE_SURVIVORS];
};

/* Turns inheriting orphans (subreaper) on or off. Returns the previous state, or -1. */
int process_tree_inherit(bool on);
/* Lists the present children of the calling process. Returns -1 if they do not fit. */
int process_tree_note_children(struct tree_spare *ret_spare);
/* Also spares children older than first, which were orphaned to this process meanwhile. */
void process_tree_exclude_older(struct tree_spare *spare, pid_t first);
/*
 * Reaps the ended threads of a child that had made this process their tracer; until then the kernel does
 * not report the child's end. Returns their number.
 */
int process_tree_reap_threads(pid_t pid);
/* Returns true if this process has one thread: then no child is started while it waits. */
bool process_tree_is_lone(void);
/*
 * Also spares children of this process started since. Processes orphaned by a dead guard are children of
 * the first thread and, with is_filtered, have one more seccomp filter. Returns false if they cannot be
 * told apart because another thread may have started some.
 */
bool process_tree_exclude_others(struct tree_spare *spare, bool is_filtered);
/* Returns true if no process is alive below this one, except spared ones and zombies. */
bool process_tree_is_empty(const struct tree_spare *spare);
/* Sends SIGTERM to all processes below this one. */
void process_tree_terminate(const struct tree_spare *spare);
/*
 * Stops and kills all processes below, reaping them, until two scans in a row find none. Gives up when none
 * has died for deadline_ms. Returns true if none is left.
 */
bool process_tree_kill(const struct tree_spare *spare, int deadline_ms, struct tree_end *ret_end);
