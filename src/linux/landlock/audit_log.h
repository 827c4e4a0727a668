/* SPDX-License-Identifier: MIT */
/* Receives what Landlock denies a session, from the kernel's audit log. */
#pragma once

#include "linux/landlock/audit_record.h"

#define AUDIT_LOG_DOMAINS 2 /* of both layers */

struct audit_log {
	int fd; /* -1: the log is not read */
	uint64_t domains
		[AUDIT_LOG_DOMAINS]; /* of this session, as far as they have been seen; 0: none */
	struct audit_access access;  /* the last one */
};

/* Returns a socket that receives audit records, or -1 if auditing is off or this process may not read them. */
int audit_log_open(void);
/*
 * Reads to the next access that a layer of the command or of this process denied; false: there is none. Waits
 * a moment for each record until that time in ms, then takes only what has arrived.
 */
bool audit_log_next(struct audit_log *log, pid_t command, int64_t until);
