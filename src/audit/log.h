/* SPDX-License-Identifier: MIT */
/*
 * Appends to the audit log: one JSON line per event in STATE/audit/shell-YYYY-MM-DD.log, mode 0600. Each line
 * is one write, so sessions can append at the same time. log_files.h has the bounds, log_read.h reads it.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

/* line has no newline. On failure nothing was written and err has the reason; the session continues. */
int log_append(const char *state_dir, const char *line, struct cordon_error *err);
/* log_time: "2026-01-31T12:00:00Z". log_session_id: a session's id, 16 random hexadecimal digits. */
void log_time(char *to, size_t size);
void log_date(uint64_t seconds, char *to, size_t size);
int log_session_id(char to[17], struct cordon_error *err);
