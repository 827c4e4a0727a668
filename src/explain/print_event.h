/* SPDX-License-Identifier: MIT */
/* Prints events of the log for people. */
#pragma once

#include "audit/log_read.h"

/* Prints one line with a newline: local time, session, what happened. Untrusted text is escaped. */
void print_event(const struct log_event *event, struct str *to);
/* Prints how a session ended, as "exit status 2, 1.204 s, 3 refused". */
void print_event_end(const struct log_event *event, struct str *to);
