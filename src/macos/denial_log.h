/* SPDX-License-Identifier: MIT */
/*
 * A process beside a session that follows the system's log and writes down what Seatbelt refused the
 * session. It belongs to nobody, so that it is none of what the session started; it goes when whoever
 * holds its life line has closed it, or is gone.
 */
#pragma once

#include "base/error.h"

struct reporter {
	const char *state_dir;	 /* where the audit log is */
	const char *id;		 /* the session's */
	const char *tag;	 /* stands in every report */
	const char *const *argv; /* prints the lines that denial_parse.h reads; ends with NULL */
	int late_ms;		 /* how long what was refused last may take to be told */
};

/* The life line, which closes at exec; or -1 with errno, and there is no reporter. */
int denial_log_start(const struct reporter *reporter);
