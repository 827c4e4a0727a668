/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>

struct pollfd;

/* After that long without news one is at rest. */
#define TRIM_MS 1000

/* poll(2), but comes back once after TRIM_MS, with nothing, having given memory back. */
int poll_trim(struct pollfd *fds, unsigned count, int timeout_ms, bool *is_trimmed);
