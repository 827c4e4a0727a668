// SPDX-License-Identifier: MIT
/*
 * Watches by libuv alone, each a handle of its loop: for every system libuv knows. libuv does not tell
 * everywhere that a connection broke when nothing else is waited for, so those are looked at once in a
 * while. Handles are freed a moment after their descriptor is closed.
 */
#include "base/compat.h"

#include <stdlib.h>
#include <unistd.h>

#include "net/loop.h"

#define LOOK_MS 1000
#define ALL_THREE (UV_READABLE | UV_WRITABLE | UV_DISCONNECT)

struct polled {
	struct watch watch;
	uv_poll_t poll;
	struct polled *next,
		*previous; /* among those that wait for nothing; NULL: not one of them */
};

static struct polled *
polled_of(struct watch *watch)
{
	return (struct polled *)(void *)watch;
}

/* ---- who waits for nothing ---- */

static void
leave_ring(struct polled *polled)
{
	struct watches *all = polled->watch.all;

	if (polled->next == NULL)
		return;
	polled->next->previous = polled->previous;
	polled->previous->next = polled->next;
	all->quiet = polled->next == polled ? NULL : polled->next;
	polled->next = polled->previous = NULL;
}

static bool
is_broken(int fd)
{
	socklen_t size = sizeof(int);
	int why = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why != 0;
}

static struct polled *
find_broken(const struct watches *watches)
{
	struct polled *first = watches->quiet, *one = first;

	do {
		if (one != NULL && is_broken(one->watch.fd))
			return one;
		one = one == NULL ? NULL : one->next;
	} while (one != first);
	return NULL;
}

/* What one of them does may free another: begun anew after each. */
static void
look_at_quiet(uv_timer_t *timer)
{
	struct watches *watches = timer->data;
	struct polled *broken;

	while ((broken = find_broken(watches)) != NULL) {
		leave_ring(broken);
		broken->watch.events = 0;
		broken->watch.ready(broken->watch.owner, ALL_THREE);
	}
	if (watches->quiet == NULL)
		uv_timer_stop(timer);
}

static void
enter_ring(struct polled *polled)
{
	struct watches *all = polled->watch.all;
	struct polled *ring = all->quiet;

	polled->next = ring == NULL ? polled : ring;
	polled->previous = ring == NULL ? polled : ring->previous;
	polled->next->previous = polled->previous->next = polled;
	all->quiet = polled;
	if (!uv_is_active((uv_handle_t *)&all->look))
		uv_timer_start(&all->look, look_at_quiet, LOOK_MS, LOOK_MS);
}

/* ---- watches ---- */

static void
ready(uv_poll_t *poll, int status, int events)
{
	struct watch *watch = poll->data;

	if (status < 0) {
		uv_poll_stop(poll);
		watch->events = 0;
		events = ALL_THREE;
	}
	if (events != 0 && watch->owner != NULL)
		watch->ready(watch->owner, events);
}

int
watches_start(struct watches *watches, uv_loop_t *loop)
{
	*watches = (struct watches){.loop = loop};
	if (uv_timer_init(loop, &watches->look) < 0)
		return -1;
	watches->look.data = watches;
	return 0;
}

/* Without anything that is waited for nothing would ever come. */
void
watches_run(struct watches *watches)
{
	while (!watches->is_over && uv_run(watches->loop, UV_RUN_ONCE) != 0)
		continue;
}

struct watch *
watch_new(struct watches *watches, int fd, void *owner, void (*told)(void *owner, int events))
{
	struct polled *polled = fd < 0 ? NULL : calloc(1, sizeof *polled);

	if (polled == NULL || uv_poll_init(watches->loop, &polled->poll, fd) < 0) {
		free(polled);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	polled->poll.data = &polled->watch;
	polled->watch = (struct watch){.fd = fd, .owner = owner, .ready = told, .all = watches};
	return &polled->watch;
}

void
watch_want(struct watch *watch, int events)
{
	struct polled *polled = polled_of(watch);

	if (watch == NULL || watch->events == events)
		return;
	leave_ring(polled);
	if ((events & (UV_READABLE | UV_WRITABLE)) != 0)
		uv_poll_start(&polled->poll, events & (UV_READABLE | UV_WRITABLE), ready);
	else
		uv_poll_stop(&polled->poll);
	if (events == UV_DISCONNECT)
		enter_ring(polled);
	watch->events = events;
}

static void
closed(uv_handle_t *handle)
{
	free(polled_of(handle->data));
}

struct watch *
watch_free(struct watch *watch)
{
	struct polled *polled = polled_of(watch);

	if (watch == NULL)
		return NULL;
	leave_ring(polled);
	uv_poll_stop(&polled->poll);
	close(watch->fd);
	watch->owner = NULL;
	uv_close((uv_handle_t *)&polled->poll, closed);
	return NULL;
}
