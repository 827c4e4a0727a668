/* SPDX-License-Identifier: MIT */
/* poll(2) for processes that wait long: they drop clean pages to save memory. */
#pragma once

#include <stdbool.h>

struct pollfd;

/* Pages are dropped after that long without an event. */
#define TRIM_MS 1000

/* poll(2). After the first TRIM_MS without an event it drops clean pages, once. */
int poll_trim(struct pollfd *fds, unsigned count, int timeout_ms, bool *is_trimmed);
