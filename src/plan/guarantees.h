/* SPDX-License-Identifier: MIT */
/* What the files share that find out which promises a plan keeps; plan_check_guarantees is their door. */
#pragma once

#include "plan/plan.h"

/* What a way of keeping a promise cannot do without. */
enum requirement {
	NEED_SECCOMP = 1 << 0,
	NEED_BROKER = 1 << 1, /* notification, injection, descriptors of others, no Yama 2 or 3 */
	NEED_PIDFD = 1 << 2,
	NEED_CGROUP = 1 << 3,
	NEED_SEATBELT = 1 << 4,
	NEED_NO_PROC = 1 << 5, /* the plan itself keeps /proc closed */
	NEED_KILLABLE = 1 << 6,
	NEED_NEVER = 1 << 7,
	NEED_NO_NET = 1 << 8, /* the plan allows no network at all */
	NEED_TREE = 1 << 9,
	NEED_VETTING = 1 << 10,
	NEED_BROKER_NET = 1 << 11,
	NEED_MEMORY = 1 << 12,	  /* a cgroup that limits it */
	NEED_PROCESSES = 1 << 13, /* likewise */
	NEED_SCOPE = 1 << 14,
	NEED_RUN_TREES = 1 << 15,  /* nothing is denied to be run inside what may be */
	NEED_RUN_HELD = 1 << 16,   /* or nothing of it that could be executed is there */
	NEED_RUN_LISTED = 1 << 17, /* or only where every other program is granted by itself */
	NEED_BROKER_SOCKETS = 1 << 18,
	NEED_NO_SOCKETS = 1 << 19, /* no unix socket can be connected at all */
	NEED_BROKER_SIGNALS = 1 << 20,
	NEED_MOUNTS = 1 << 21, /* it is known which files have other names by mounts */
};

struct mechanism {
	enum guarantee guarantee;
	enum system system;
	int abi; /* Landlock, at least */
	unsigned needs;
	const char *how;
};

/* requirements.c: what the rules ask for beyond plain trees. */
struct requirements {
	bool change;   /* something can be changed at all */
	bool carveout; /* a deny inside an allowed tree, or a rule for less than a tree */
	bool reads;    /* one of these, or a pattern, is about reading */
	bool runs;     /* or denies running, and is not held entry by entry */
	const struct planned_rule *by; /* the first about reading, else the first of all */
	bool restrict_files;
};
struct requirements requirements_find(const struct plan *plan);

/* routing.c: can this machine have a broker, or one around us that asks us? */
bool routing_has_broker(const struct facts *facts);
/* What of files, sockets and addresses is asked of it. */
void plan_route(struct plan *plan, const struct requirements *demand);

/* gap_text.c: why the way cannot be gone, and what would help. missing: of its needs. */
void gap_text_explain(const struct plan *plan, const struct mechanism *way, unsigned missing,
		      struct promise *to);
