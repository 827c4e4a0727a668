/* SPDX-License-Identifier: MIT */
/*
 * Detects that nothing moved for a while. Rounds are counted as well as time: on a loaded machine
 * time passes while we hardly run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct standstill {
	int64_t since;
	int rounds;
};

/* Call this after every round. */
static inline void
standstill_note(struct standstill *still, bool has_moved)
{
	if (still->rounds++ == 0 || has_moved)
		*still = (struct standstill){clock_ms(), 1};
}

/* Has nothing moved for more than rounds rounds and for ms milliseconds? */
static inline bool
standstill_lasts(const struct standstill *still, int rounds, int ms)
{
	return still->rounds > rounds && clock_ms() - still->since >= ms;
}
