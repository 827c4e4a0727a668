/* SPDX-License-Identifier: MIT */
/* Shared by the files that compute guarantees; plan_check_guarantees is the entry point. */
#pragma once

#include "plan/plan.h"

/* A requirement of a mechanism. */
enum requirement {
	NEED_SECCOMP = 1 << 0,
	NEED_BROKER = 1 << 1, /* notifications, ADDFD, pidfds, ptrace_scope below 2 */
	NEED_PIDFD = 1 << 2,
	NEED_CGROUP = 1 << 3,
	NEED_SEATBELT = 1 << 4,
	NEED_NO_PROC = 1 << 5, /* the plan does not grant /proc */
	NEED_KILLABLE = 1 << 6,
	NEED_NEVER = 1 << 7,
	NEED_NO_NET = 1 << 8, /* the plan allows no network */
	NEED_TREE = 1 << 9,
	NEED_VETTING = 1 << 10,
	NEED_BROKER_NET = 1 << 11,
	NEED_MEMORY = 1 << 12,	  /* a cgroup that limits memory */
	NEED_PROCESSES = 1 << 13, /* a cgroup that limits processes */
	NEED_SCOPE = 1 << 14,
	NEED_RUN_TREES =
		1 << 15, /* execution is denied nowhere inside a tree where it is allowed */
	NEED_RUN_ENFORCED = 1 << 16, /* no denied program in such a tree could be executed */
	NEED_RUN_LISTED = 1 << 17,   /* every such deny is enforced entry by entry */
	NEED_BROKER_SOCKETS = 1 << 18,
	NEED_NO_SOCKETS = 1 << 19, /* no unix socket can be connected */
	NEED_BROKER_SIGNALS = 1 << 20,
	NEED_MOUNTS = 1 << 21, /* the second names of files by mounts are known */
};

struct mechanism {
	enum guarantee guarantee;
	enum system system;
	int abi; /* minimum Landlock ABI */
	unsigned needs;
	const char *how;
};

/* requirements.c: requirements of the rules beyond plain trees. */
struct requirements {
	bool change;   /* something can be changed */
	bool carveout; /* a deny inside an allowed tree, or a rule for less than a tree */
	bool reads;    /* a carveout or pattern concerns reading */
	bool runs;     /* a carveout denies execution and is not enforced entry by entry */
	const struct planned_rule *by; /* the first rule about reading, else the first of all */
	bool restrict_files;
};
struct requirements requirements_find(const struct plan *plan);

/* routing.c: can this machine have a broker, or an outer one that queries this process? */
bool routing_has_broker(const struct facts *facts);
/* Sets which file, socket and network calls are supervised. */
void plan_route(struct plan *plan, const struct requirements *requirements);

/* gap_text.c: sets why the mechanism is not available, and a remedy. missing: its missing needs. */
void gap_text_explain(const struct plan *plan, const struct mechanism *mechanism, unsigned missing,
		      struct guarantee_state *to);
