/* SPDX-License-Identifier: MIT */
/*
 * What a host can do, as plain data. Found by probing (enforce/) or read from a file, so that every
 * kernel can be planned for on any machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "policy/model/model.h"

enum fact {
	FACT_LANDLOCK_ABI, /* 0: none */
	FACT_SECCOMP_FILTER,
	FACT_SECCOMP_NOTIFY,	   /* a listener can be had, nobody else holds one */
	FACT_NOTIFY_ADDFD,	   /* 5.9 */
	FACT_NOTIFY_WAIT_KILLABLE, /* 5.19 */
	FACT_NOTIFY_SYNC,	   /* 6.6 */
	FACT_PIDFD,		   /* pidfd_open and pidfd_getfd, 5.6 */
	FACT_OPENAT2,
	FACT_CLOSE_RANGE,
	FACT_YAMA,   /* ptrace_scope; 0 also without Yama */
	FACT_CGROUP, /* our own cgroup is delegated to us: one of a session's own can be made */
	/* the next three are probed only when a plan needs them */
	FACT_CGROUP_MEMORY, /* such a cgroup can limit memory */
	FACT_CGROUP_PIDS,   /* such a cgroup can limit processes */
	FACT_SCOPE,	    /* systemd's user manager makes cgroups that limit both */
	FACT_SEATBELT,
	FACT_BROKER, /* this build has one; what it needs of the host is said above */
	FACT_INSIDE, /* a broker around us acts for our processes, and would not see our layers */
	FACT_OUTER_CORDON, /* one around us asks us before it acts for our processes; of enum nest_offer */
	FACT_TREE,	   /* what a process started can be found, however far it went */
	FACT_COUNT
};

/* What a broker around us routes. */
enum nest_offer {
	OFFER_HERE = 1,
	OFFER_CHANGES = 2,
	OFFER_SOCKETS = 4,
	OFFER_SIGNALS = 8,
	OFFER_NETWORK = 16,
	OFFER_READS = 32,
	OFFER_TERMINALS = 64,
	OFFER_DATAGRAMS = 128
};

struct facts {
	enum system system;
	char kernel[80]; /* for people only; nothing is decided by it */
	int values[FACT_COUNT];
};

/* {"system": "linux", "kernel": "...", "landlock_abi": 7, ...}; what is not named is 0. */
int facts_read(const char *file, const char *text, size_t length, struct facts *ret,
	       struct cordon_error *err);
void facts_print(const struct facts *facts, struct str *to);
