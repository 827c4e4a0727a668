/* SPDX-License-Identifier: MIT */
/*
 * How long nothing has moved. Time alone says little where there is so much to do that we hardly run: so
 * rounds are counted as well.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct standstill {
	int64_t since;
	int rounds;
};

/* After every round. */
static inline void
standstill_note(struct standstill *still, bool has_moved)
{
	if (still->rounds++ == 0 || has_moved)
		*still = (struct standstill){clock_ms(), 1};
}

/* Has nothing moved for more than so many rounds, and for ms? */
static inline bool
standstill_lasts(const struct standstill *still, int rounds, int ms)
{
	return still->rounds > rounds && clock_ms() - still->since >= ms;
}
