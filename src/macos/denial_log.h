/* SPDX-License-Identifier: MIT */
/*
 * A process beside a session that follows the system log and records what Seatbelt denied. It is detached,
 * so it is not one of the session's processes, and exits when the other end of its pipe is closed.
 */
#pragma once

#include "base/error.h"

struct reporter {
	const char *state_dir;	 /* parent directory of the audit log */
	const char *id;		 /* session id */
	const char *tag;	 /* occurs in every report */
	const char *const *argv; /* prints the lines that denial_parse.h reads; NULL-terminated */
	int late_ms;		 /* how long to wait for late reports */
};

/* Returns the pipe that keeps it running, close-on-exec; -1 with errno if it could not be started. */
int denial_log_start(const struct reporter *reporter);
