// SPDX-License-Identifier: MIT
/* Times are looked at four times a second, and only while there are some. */
#include "net/loop.h"

#define TICK_MS 250

static void
look_at_times(uv_timer_t *tick)
{
	struct clockwork *clockwork = tick->data;
	struct timed *ring = &clockwork->list, *late = NULL;
	uint64_t now = uv_now(tick->loop);

	if (ring->next == ring) {
		uv_timer_stop(tick);
		return;
	}
	/* what one of them does may free another: begun anew after each */
	do {
		late = NULL;
		for (struct timed *one = ring->next; one != ring && late == NULL; one = one->next)
			late = one->at <= now ? one : NULL;
		if (late != NULL) {
			timed_clear(late);
			late->expire(late);
		}
	} while (late != NULL);
}

int
clockwork_start(struct clockwork *clockwork, uv_loop_t *loop)
{
	clockwork->list.next = clockwork->list.previous = &clockwork->list;
	clockwork->tick.data = clockwork;
	if (uv_timer_init(loop, &clockwork->tick) < 0)
		return -1;
	clockwork->tick.data = clockwork;
	return 0;
}

void
timed_clear(struct timed *timed)
{
	if (timed->next == NULL)
		return;
	timed->next->previous = timed->previous;
	timed->previous->next = timed->next;
	timed->next = timed->previous = NULL;
}

void
timed_set(struct clockwork *clockwork, struct timed *timed, uint64_t ms,
	  void (*expire)(struct timed *timed))
{
	struct timed *ring = &clockwork->list;

	timed_clear(timed);
	timed->at = uv_now(clockwork->tick.loop) + ms;
	timed->expire = expire;
	timed->previous = ring->previous;
	timed->next = ring;
	ring->previous->next = timed;
	ring->previous = timed;
	if (!uv_is_active((uv_handle_t *)&clockwork->tick))
		uv_timer_start(&clockwork->tick, look_at_times, TICK_MS, TICK_MS);
}
