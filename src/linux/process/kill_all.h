/* SPDX-License-Identifier: MIT */
/*
 * Kills a whole session with one signal. Scanning hardly catches processes that fork faster than they are
 * scanned. kill(-1) signals every process that the caller may signal, under the lock that fork needs; under
 * a Landlock layer with signal scoping that is exactly the session. Without such a layer, or if its effect
 * could not be verified, nothing is sent, and process_tree.h finds the processes one by one.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct kill_all {
	/* a process that the thread could signal before it entered the layer; 0: none */
	pid_t outsider;
	pid_t thread; /* the thread, after it could no longer; 0: none */
	int signal;   /* signal to send */
	int state;    /* state of that signal, see kill_all.c */
};

/* Called by the thread that will enter the layer, after it has dropped privileges. */
void kill_all_begin(struct kill_all *kill_all);
/* Called by the same thread under the layer; the thread must live as long as the process. */
void kill_all_ready(struct kill_all *kill_all);
/* Called by another thread: signals every process in the layer. Returns false if that is not certain. */
bool kill_all_send(struct kill_all *kill_all, int signal);
