// SPDX-License-Identifier: MIT
/* Event loop on epoll(7), for Linux. poll_portable.c implements the same functions elsewhere. */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "proxy/loop/timers.h"

#define BATCH 64

static void
unlist(struct loop_watch *watch)
{
	if (watch->is_listed)
		epoll_ctl(watch->all->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->is_listed = false;
	watch->events = 0;
}

/*
 * EPOLLHUP cannot be masked and would wake the loop without end, so a watch that waits for nothing is
 * removed from the epoll set.
 */
static void
tell(struct loop_watch *watch, uint32_t got)
{
	int events = 0;

	if (got & (EPOLLIN | EPOLLHUP))
		events |= watch->events & WATCH_READ;
	if (got & (EPOLLOUT | EPOLLHUP))
		events |= watch->events & WATCH_WRITE;
	if (got & EPOLLERR)
		events = WATCH_ALL;
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
		struct loop_watch *watch = events[i].data.ptr;

		if (watch->owner != NULL)
			tell(watch, events[i].events);
	}
	watches->is_busy = false;
	while (watches->freed != NULL) {
		struct loop_watch *watch = watches->freed;

		watches->freed = watch->next;
		free(watch);
	}
}

int
loop_start(struct watches *watches, struct timers *timers)
{
	*watches = (struct watches){.timers = timers, .epoll = epoll_create1(EPOLL_CLOEXEC)};
	return watches->epoll < 0 ? -1 : 0;
}

void
loop_run(struct watches *watches)
{
	struct epoll_event events[BATCH];

	while (!watches->is_over) {
		int ms = timers_wait(watches->timers);
		int count = epoll_wait(watches->epoll, events, BATCH, ms);
		bool is_tick = timers_read(watches->timers);

		tell_all(watches, events, count);
		if (is_tick)
			timers_expire(watches->timers);
	}
}

struct loop_watch *
loop_add(struct watches *watches, int fd, void *owner, void (*ready)(void *owner, int events))
{
	struct loop_watch *watch = fd < 0 ? NULL : calloc(1, sizeof *watch);

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
loop_want(struct loop_watch *watch, int events)
{
	struct epoll_event event = {.data.ptr = watch};

	if (watch == NULL || watch->events == events)
		return;
	if (events == 0) {
		unlist(watch);
		return;
	}
	event.events = (events & WATCH_READ ? (uint32_t)EPOLLIN : 0) |
		       (events & WATCH_WRITE ? (uint32_t)EPOLLOUT : 0);
	epoll_ctl(watch->all->epoll, watch->is_listed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watch->fd,
		  &event);
	watch->is_listed = true;
	watch->events = events;
}

/* The fd has no duplicate, so close() also removes it from the epoll set. */
struct loop_watch *
loop_remove(struct loop_watch *watch)
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
