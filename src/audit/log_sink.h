/* SPDX-License-Identifier: MIT */
/* Sends events to the system's log as well: to systemd's journal, or to the socket of syslog. */
#pragma once

#include "audit/event.h"

enum log_sink { LOG_SINK_JOURNAL, LOG_SINK_SYSLOG };

/*
 * Sends one line. Waits a second at most for a reader that is slow. On failure nothing was sent; the session
 * continues.
 */
int log_sink_send(enum log_sink sink, const struct event *event, const struct str *line,
		  struct cordon_error *err);
