/* SPDX-License-Identifier: MIT */
/*
 * What Seatbelt refused, as the system's log tells it. Each deny of a session's profile carries the
 * session's tag, and only reports with that tag are taken: the log is everybody's. Reports are folded
 * and may be dropped by the system, so they are news, never a record. Pure: reads lines.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

struct denial {
	const char *process; /* its name, cut short by the system */
	pid_t pid;
	const char *operation;	/* "file-read-data", "network-outbound", ... */
	const char *subject;	/* a path, an address, a name; "" when there is none */
	int right;		/* number of the right it stands for, or -1 */
	unsigned long repeated; /* further reports that were folded into this one */
};

/*
 * One line of `log stream --style ndjson`. 1 with *ret filled, in arena; 0 when it is something else,
 * another session's, or one of those that every program causes; or an error.
 */
int denial_read(struct arena *arena, const char *line, size_t length, const char *tag,
		struct denial *ret, struct cordon_error *err);

#define DENIALS_ARGUMENTS 7
/* The command that prints such lines, in arena: its arguments, NULL-terminated. It needs an admin. */
int denials_command(struct arena *arena, const char *tag, const char *ret_argv[DENIALS_ARGUMENTS],
		    struct cordon_error *err);
