/* SPDX-License-Identifier: MIT */
/*
 * The audit log: one JSON line per event in STATE/audit/shell-YYYY-MM-DD.log, mode 0600. Lines are
 * appended whole, so any number of sessions can write at once.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

/* line ends without a newline. An error says why nothing was written; the session goes on. */
int audit_append(const char *state_dir, const char *line, struct cordon_error *err);
/* "2026-01-31T12:00:00Z", and a session's id: 16 hexadecimal digits from the system's randomness. */
void audit_time(char *to, size_t size);
void audit_date(uint64_t seconds, char *to, size_t size);
int audit_id(char to[17], struct cordon_error *err);
