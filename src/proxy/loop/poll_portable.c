// SPDX-License-Identifier: MIT
/*
 * Event loop on poll(2), for systems without epoll(7). A system may report POLLHUP again and again on a
 * socket that can neither be read nor written: such a watch is paused until the next tick.
 */
#include "base/os.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxy/loop/timers.h"

#define FIRST_ROOM 64
#define PAUSE_MS 250

static void
unlist(struct loop_watch *watch)
{
	struct watches *all = watch->all;
	size_t last = all->count - 1;

	if (!watch->is_listed)
		return;
	all->polled[watch->slot] = all->polled[last];
	all->watched[watch->slot] = all->watched[last];
	all->watched[watch->slot]->slot = watch->slot;
	all->count = last;
	watch->is_listed = false;
}

/* Reserve one slot for each watch, so that listing a watch cannot fail. */
static int
make_room(struct watches *all)
{
	size_t room = all->room == 0 ? FIRST_ROOM : 2 * all->room;
	struct pollfd *polled;
	struct loop_watch **watched;

	if (all->alive < all->room)
		return 0;
	polled = realloc(all->polled, room * sizeof *polled);
	if (polled == NULL)
		return -1;
	all->polled = polled;
	watched = realloc(all->watched, room * sizeof *watched);
	if (watched == NULL)
		return -1;
	all->watched = watched;
	all->room = room;
	return 0;
}

static bool
is_broken(int fd)
{
	socklen_t size = sizeof(int);
	int why = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why != 0;
}

static void
report_broken(struct loop_watch *watch)
{
	unlist(watch);
	watch->events = 0;
	watch->ready(watch->owner, WATCH_ALL);
}

/* poll(2) skips a negative fd. */
static void
pause_watch(struct loop_watch *watch)
{
	watch->all->polled[watch->slot].fd = -1;
	watch->all->has_paused = true;
}

static void
report(struct loop_watch *watch, int got)
{
	int events = 0;

	if (got & (POLLIN | POLLHUP))
		events |= watch->events & WATCH_READ;
	if (got & POLLOUT)
		events |= watch->events & WATCH_WRITE;
	if (got & (POLLERR | POLLNVAL))
		report_broken(watch);
	else if (events != 0)
		watch->ready(watch->owner, events);
	else
		pause_watch(watch);
}

/*
 * From the last slot to the first: when a watch is freed meanwhile, the last one takes its slot, and that
 * one has been reported already.
 */
static void
report_all(struct watches *watches)
{
	for (size_t i = watches->count; i-- > 0;) {
		int got = i < watches->count ? watches->polled[i].revents : 0;

		if (got == 0)
			continue;
		watches->polled[i].revents = 0;
		report(watches->watched[i], got);
	}
}

/* After POLLHUP poll(2) may not report an error, so read SO_ERROR. */
static void
resume_paused(struct watches *watches)
{
	watches->has_paused = false;
	for (size_t i = watches->count; i-- > 0;) {
		struct loop_watch *watch = i < watches->count ? watches->watched[i] : NULL;

		if (watch == NULL || watches->polled[i].fd >= 0)
			continue;
		watches->polled[i].fd = watch->fd;
		if (is_broken(watch->fd))
			report_broken(watch);
	}
}

int
loop_start(struct watches *watches, struct timers *timers)
{
	*watches = (struct watches){.timers = timers, .epoll = -1};
	return 0;
}

static int
wait_ms(const struct watches *watches)
{
	int ms = timers_wait(watches->timers);

	return watches->has_paused && (ms < 0 || ms > PAUSE_MS) ? PAUSE_MS : ms;
}

void
loop_run(struct watches *watches)
{
	while (!watches->is_over) {
		int count = poll(watches->polled, (nfds_t)watches->count, wait_ms(watches));
		bool is_tick = timers_read(watches->timers);

		if (count > 0)
			report_all(watches);
		if (is_tick && watches->has_paused)
			resume_paused(watches);
		if (is_tick)
			timers_expire(watches->timers);
	}
}

struct loop_watch *
loop_add(struct watches *watches, int fd, void *owner, void (*ready)(void *owner, int events))
{
	struct loop_watch *watch = fd < 0 || make_room(watches) < 0 ? NULL
								    : calloc(1, sizeof *watch);

	if (watch == NULL) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	watches->alive++;
	*watch = (struct loop_watch){.fd = fd, .owner = owner, .ready = ready, .all = watches};
	return watch;
}

static void
list(struct loop_watch *watch)
{
	struct watches *all = watch->all;

	if (watch->is_listed)
		return;
	watch->slot = all->count++;
	watch->is_listed = true;
	all->watched[watch->slot] = watch;
	all->polled[watch->slot] = (struct pollfd){0};
}

void
loop_want(struct loop_watch *watch, int events)
{
	if (watch == NULL || watch->events == events)
		return;
	watch->events = events;
	if (events == 0) {
		unlist(watch);
		return;
	}
	list(watch);
	watch->all->polled[watch->slot].fd = watch->fd;
	watch->all->polled[watch->slot].events =
		(short)((events & WATCH_READ ? POLLIN : 0) | (events & WATCH_WRITE ? POLLOUT : 0));
}

struct loop_watch *
loop_remove(struct loop_watch *watch)
{
	if (watch == NULL)
		return NULL;
	unlist(watch);
	watch->all->alive--;
	close(watch->fd);
	free(watch);
	return NULL;
}
