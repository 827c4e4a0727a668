// SPDX-License-Identifier: MIT
/* Deadlines are checked four times a second, and only while there are some. */
#include "proxy/loop/timers.h"

#include <time.h>

#define TICK_MS 250

static uint64_t
monotonic_ms(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1000ull * (uint64_t)now.tv_sec + (uint64_t)now.tv_nsec / 1000000;
}

void
timers_start(struct timers *clockwork)
{
	clockwork->list.next = clockwork->list.previous = &clockwork->list;
	clockwork->now = monotonic_ms();
	clockwork->tick = clockwork->now;
}

int
timers_wait(const struct timers *clockwork)
{
	if (clockwork->list.next == &clockwork->list)
		return -1;
	return clockwork->tick > clockwork->now ? (int)(clockwork->tick - clockwork->now) : 0;
}

bool
timers_read(struct timers *clockwork)
{
	clockwork->now = monotonic_ms();
	if (clockwork->now < clockwork->tick)
		return false;
	clockwork->tick = clockwork->now + TICK_MS;
	return true;
}

/* A callback may free another deadline, so the search begins anew after each. */
void
timers_expire(struct timers *clockwork)
{
	struct timer *ring = &clockwork->list, *late;

	do {
		late = NULL;
		for (struct timer *one = ring->next; one != ring && late == NULL; one = one->next)
			late = one->at <= clockwork->now ? one : NULL;
		if (late != NULL) {
			timer_clear(late);
			late->expire(late);
		}
	} while (late != NULL);
}

void
timer_clear(struct timer *timed)
{
	if (timed->next == NULL)
		return;
	timed->next->previous = timed->previous;
	timed->previous->next = timed->next;
	timed->next = timed->previous = NULL;
}

void
timer_set(struct timers *clockwork, struct timer *timed, uint64_t ms,
	  void (*expire)(struct timer *timed))
{
	struct timer *ring = &clockwork->list;

	timer_clear(timed);
	timed->at = clockwork->now + ms;
	timed->expire = expire;
	timed->previous = ring->previous;
	timed->next = ring;
	ring->previous->next = timed;
	ring->previous = timed;
}
