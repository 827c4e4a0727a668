/* SPDX-License-Identifier: MIT */
/* Monotonic time in milliseconds, for measuring intervals, and sleeping. */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <time.h>

static inline int64_t
clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline void
clock_sleep_us(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}
