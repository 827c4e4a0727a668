/* SPDX-License-Identifier: MIT */
/*
 * Properties of a host as plain data. Probed (enforce/) or read from a file, so that a plan for any
 * kernel can be made on any machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "policy/model/model.h"

enum fact {
	FACT_LANDLOCK_ABI, /* 0: no Landlock */
	FACT_SECCOMP_FILTER,
	FACT_SECCOMP_NOTIFY,	   /* a listener can be created: no other process of ours has one */
	FACT_NOTIFY_ADDFD,	   /* 5.9 */
	FACT_NOTIFY_WAIT_KILLABLE, /* 5.19 */
	FACT_NOTIFY_SYNC,	   /* 6.6 */
	FACT_PIDFD,		   /* 5.3 */
	FACT_PIDFD_GETFD,	   /* 5.6; container runtimes refuse it */
	FACT_OPENAT2,
	FACT_CLOSE_RANGE,
	FACT_YAMA,   /* ptrace_scope; 0 without Yama */
	FACT_CGROUP, /* our cgroup is delegated to us, so that we can create a session cgroup */
	/* the next three are probed only if a plan needs them */
	FACT_CGROUP_MEMORY, /* a session cgroup can limit memory */
	FACT_CGROUP_PIDS,   /* a session cgroup can limit processes */
	FACT_SCOPE,	    /* systemd's user manager creates cgroups that limit both */
	FACT_SEATBELT,
	FACT_BROKER,	   /* this build contains the broker; what it needs is in the facts above */
	FACT_INSIDE,	   /* an outer broker acts for our processes and does not know our layers */
	FACT_OUTER_CORDON, /* an outer cordon queries us first; bits of enum nest_offer */
	FACT_AUDIT, /* this process may read what Landlock denies from the audit log; ABI 7 */
	FACT_TREE,  /* every descendant of a process can be found */
	FACT_COUNT
};

/* System calls that the outer broker supervises. */
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
	char kernel[80]; /* for people only; nothing depends on it */
	int values[FACT_COUNT];
};

/* Reads {"system": "linux", "kernel": "...", "landlock_abi": 7, ...}; missing facts are 0. */
int facts_read(const char *file, const char *text, size_t length, struct facts *ret,
	       struct cordon_error *err);
void facts_print(const struct facts *facts, struct str *to);
/* What a fact means, for people; NULL for facts that no text lists. */
const char *facts_words(enum fact fact);
