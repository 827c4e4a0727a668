/* SPDX-License-Identifier: MIT */
/* What a box is made of, for sandbox.c and start.c. */
#pragma once

#include <semaphore.h>

#include "enforce/enforce.h"
#include "linux/broker/broker.h"

struct sandbox {
	struct arena arena;
	int ruleset;		/* alone, or the inner one; -1: no Landlock here */
	enum ruleset_kind kind; /* of that one */
	int outer;		/* entered by the broker before the command is started; -1: none */
	const struct sock_fprog *filter; /* NULL: no seccomp here */
	bool is_routed;			 /* the filter has a listener, which the broker gets by: */
	bool is_nested; /* or a broker around us asks, by a line that comes the same way */
	int line[2];	/* from the command to us; -1: not made */
	int abi;	/* of Landlock */
	struct broker broker;
	sem_t started, serving;
	pid_t starter; /* the thread that is the command's parent; 0: the first one */
};
