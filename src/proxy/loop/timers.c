// SPDX-License-Identifier: MIT
/* Timers of the event loop. Deadlines are checked four times a second, and only while one is set. */
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
timers_start(struct timers *timers)
{
	timers->list.next = timers->list.previous = &timers->list;
	timers->now = monotonic_ms();
	timers->tick = timers->now;
}

int
timers_wait(const struct timers *timers)
{
	if (timers->list.next == &timers->list)
		return -1;
	return timers->tick > timers->now ? (int)(timers->tick - timers->now) : 0;
}

bool
timers_read(struct timers *timers)
{
	timers->now = monotonic_ms();
	if (timers->now < timers->tick)
		return false;
	timers->tick = timers->now + TICK_MS;
	return true;
}

/* A callback may free other timers, so the search starts again after each call. */
void
timers_expire(struct timers *timers)
{
	struct timer *ring = &timers->list, *late;

	do {
		late = NULL;
		for (struct timer *one = ring->next; one != ring && late == NULL; one = one->next)
			late = one->at <= timers->now ? one : NULL;
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
timer_set(struct timers *timers, struct timer *timed, uint64_t ms,
	  void (*expire)(struct timer *timed))
{
	struct timer *ring = &timers->list;

	timer_clear(timed);
	timed->at = timers->now + ms;
	timed->expire = expire;
	timed->previous = ring->previous;
	timed->next = ring;
	ring->previous->next = timed;
	ring->previous = timed;
}
