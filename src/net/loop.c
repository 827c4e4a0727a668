// SPDX-License-Identifier: MIT
/* Watches and times. Times are looked at four times a second, and only while there are some. */
#include "net/loop.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define TICK_MS 250
#define BATCH 64

static void
unlist(struct watch *watch)
{
	if (watch->is_listed)
		epoll_ctl(watch->all->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->is_listed = false;
	watch->events = 0;
}

/* An end on both sides is told to who reads or writes; who does neither would hear it for ever. */
static void
tell(struct watch *watch, uint32_t got)
{
	int events = 0;

	if (got & (EPOLLIN | EPOLLHUP))
		events |= watch->events & UV_READABLE;
	if (got & (EPOLLOUT | EPOLLHUP))
		events |= watch->events & UV_WRITABLE;
	if (got & EPOLLERR)
		events = UV_READABLE | UV_WRITABLE | UV_DISCONNECT;
	if (events == 0 || got & EPOLLERR)
		unlist(watch);
	if (events != 0 && watch->owner != NULL)
		watch->ready(watch->owner, events);
}

static void
tell_all(struct watches *watches, const struct epoll_event *events, int count)
{
	watches->is_busy = true;
	for (int i = 0; i < count; i++) {
		struct watch *watch = events[i].data.ptr;

		if (watch->owner != NULL)
			tell(watch, events[i].events);
	}
	watches->is_busy = false;
	while (watches->freed != NULL) {
		struct watch *watch = watches->freed;

		watches->freed = watch->next;
		free(watch);
	}
}

int
watches_start(struct watches *watches)
{
	*watches = (struct watches){.epoll = epoll_create1(EPOLL_CLOEXEC)};
	return watches->epoll < 0 ? -1 : 0;
}

void
watches_run(struct watches *watches, uv_loop_t *loop)
{
	struct epoll_event events[BATCH];

	while (!watches->is_over) {
		int ms = uv_loop_alive(loop) ? uv_backend_timeout(loop) : -1;
		int count = epoll_wait(watches->epoll, events, BATCH, ms);

		uv_update_time(loop);
		tell_all(watches, events, count);
		if (uv_loop_alive(loop) && uv_backend_timeout(loop) == 0)
			uv_run(loop, UV_RUN_NOWAIT);
	}
}

struct watch *
watch_new(struct watches *watches, int fd, void *owner, void (*ready)(void *owner, int events))
{
	struct watch *watch = fd < 0 ? NULL : calloc(1, sizeof *watch);

	if (watch == NULL) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	watch->fd = fd;
	watch->owner = owner;
	watch->ready = ready;
	watch->all = watches;
	return watch;
}

void
watch_want(struct watch *watch, int events)
{
	struct epoll_event event = {.data.ptr = watch};

	if (watch == NULL || watch->events == events)
		return;
	if (events == 0) {
		unlist(watch);
		return;
	}
	event.events = (events & UV_READABLE ? (uint32_t)EPOLLIN : 0) |
		       (events & UV_WRITABLE ? (uint32_t)EPOLLOUT : 0);
	epoll_ctl(watch->all->epoll, watch->is_listed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watch->fd,
		  &event);
	watch->is_listed = true;
	watch->events = events;
}

/* Nobody else has this descriptor, so closing takes it off the list. */
struct watch *
watch_free(struct watch *watch)
{
	if (watch == NULL)
		return NULL;
	close(watch->fd);
	watch->owner = NULL;
	if (!watch->all->is_busy) {
		free(watch);
		return NULL;
	}
	watch->next = watch->all->freed;
	watch->all->freed = watch;
	return NULL;
}

/* ---- times ---- */

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
