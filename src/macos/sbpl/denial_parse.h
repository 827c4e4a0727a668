/* SPDX-License-Identifier: MIT */
/*
 * Reads Seatbelt's denials from the system log. Each deny in a session's profile carries the session's tag,
 * and only reports with that tag are taken, because any process can write to the log. The system folds and
 * drops reports, so they are hints and not a record. Pure.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

struct seatbelt_denial {
	const char *process; /* name, truncated by the system */
	pid_t pid;
	const char *operation;	/* "file-read-data", "network-outbound", ... */
	const char *subject;	/* a path, address or name; "" without one */
	int right;		/* index of the right, or -1 */
	unsigned long repeated; /* further reports folded into this one */
};

/*
 * Parses a line of `log stream --style ndjson`. Returns 1 with *ret filled, in arena; 0 for anything else,
 * another session's report, or one that every program causes; or an error.
 */
int denial_parse(struct arena *arena, const char *line, size_t length, const char *tag,
		 struct seatbelt_denial *ret, struct cordon_error *err);

#define DENIALS_ARGUMENTS 7
/* The command that prints such lines, in arena, NULL-terminated. It needs an administrator. */
int denial_parse_command(struct arena *arena, const char *tag,
			 const char *ret_argv[DENIALS_ARGUMENTS], struct cordon_error *err);
