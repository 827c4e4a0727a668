/* SPDX-License-Identifier: MIT */
/* One look at the user's processes: which of them are ours. For kill_scan.c, which ends them. */
#pragma once

#include "macos/process/kill_scan.h"

/* More than these are found by the next look. */
#define LOOK_MAX 8192 /* of both lists together */

/* A process as it was seen. */
struct scan_seen {
	pid_t pid, parent, group, session;
	uint64_t started; /* microseconds */
	char name[16];
};

/* What one look saw, by number. */
struct process_scan {
	pid_t found[LOOK_MAX];
	uint64_t started[LOOK_MAX];
	int count;
	bool complete; /* everything was listed, and nobody changed while being looked at */
	int sent;      /* signals that were taken */
	int refused;   /* another user's: sudo's, say */
};

/* Nobody is signalled meanwhile. last: the look before, or NULL. */
void process_scan_all(const struct scan_mark *mark, const struct process_scan *last,
		      struct process_scan *look);
/* False for what is gone or a zombie. */
bool process_scan_one(pid_t pid, struct scan_seen *ret);
