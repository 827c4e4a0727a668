/* SPDX-License-Identifier: MIT */
/* The parts of a sandbox, for sandbox.c and start.c. */
#pragma once

#include <semaphore.h>

#include "enforce/enforce.h"
#include "linux/broker/broker.h"
#include "linux/landlock/audit_log.h"

#define SANDBOX_LOGGED 64

struct sandbox {
	struct arena arena;
	int ruleset;		/* the only or the inner layer; -1: no Landlock */
	enum ruleset_kind kind; /* of ruleset */
	int outer;		/* entered by the broker before it starts the command; -1: none */
	const struct sock_fprog *filter; /* NULL: no seccomp */
	bool is_routed;			 /* the child sends the filter's listener over line */
	bool is_nested; /* the child sends the outer broker's query socket over line */
	int line[2];	/* from the command to the broker; -1: none */
	int shared_line; /* of a nest, in the fd table of the guard; -1: none, or it has a table of its own */
	int abi; /* Landlock ABI */
	struct broker broker;
	struct audit_log log;
	uint64_t logged[SANDBOX_LOGGED]; /* hashes of what was reported from log */
	sem_t started, serving;
	pid_t starter; /* the thread that is the command's parent; 0: the first thread */
};
