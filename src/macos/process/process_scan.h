/* SPDX-License-Identifier: MIT */
/* One scan over the user's processes, for kill_scan.c: which belong to the session. */
#pragma once

#include "macos/process/kill_scan.h"

/* The next scan finds the rest. */
#define LOOK_MAX 8192 /* for both lists together */

/* A process as it was found. */
struct scan_seen {
	pid_t pid, parent, group, session;
	uint64_t started; /* microseconds */
	char name[16];
};

/* Result of a scan, sorted by pid. */
struct process_scan {
	pid_t found[LOOK_MAX];
	uint64_t started[LOOK_MAX];
	int count;
	bool complete; /* all processes were listed, and none changed meanwhile */
	int sent;      /* signals delivered */
	int refused;   /* processes of another user, such as sudo */
};

/* Send no signals meanwhile. last: the previous scan, or NULL. */
void process_scan_all(const struct scan_criteria *criteria, const struct process_scan *last,
		      struct process_scan *look);
/* Returns false if it is gone or a zombie. */
bool process_scan_one(pid_t pid, struct scan_seen *ret);
