/* SPDX-License-Identifier: MIT */
/*
 * The proxy's event loop: watched fds and deadlines. Freeing a watch closes its fd at once, and its
 * owner is not called again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A deadline. */
struct timer {
	struct timer *next, *previous;
	uint64_t at; /* in ms of the loop's clock */
	void (*expire)(struct timer *timed);
};

struct timers {
	uint64_t now;	   /* CLOCK_MONOTONIC in ms, read once each time the loop wakes up */
	uint64_t tick;	   /* when the deadlines are checked next */
	struct timer list; /* a ring */
};

void timers_start(struct timers *timers);
/* How long the loop may wait, in ms; -1: there is no deadline. */
int timers_wait(const struct timers *timers);
/* Reads the clock; true when a tick has passed since the last one. */
bool timers_read(struct timers *timers);
/* Calls what has expired. */
void timers_expire(struct timers *timers);
/* Sets the deadline in so many ms, or moves it. */
void timer_set(struct timers *timers, struct timer *timed, uint64_t ms,
	       void (*expire)(struct timer *timed));
void timer_clear(struct timer *timed);

/*
 * WATCH_BROKEN alone: only that the connection broke. The other two are told of that as well, once, by
 * all three.
 */
enum watch_event {
	WATCH_READ = 1,
	WATCH_WRITE = 2,
	WATCH_BROKEN = 4,
	WATCH_ALL = WATCH_READ | WATCH_WRITE | WATCH_BROKEN,
};

struct poll_watch {
	int fd;
	int events; /* those waited for now */
	bool is_listed;
	size_t slot; /* by poll(2), while it is listed */
	void *owner;
	void (*ready)(void *owner, int events);
	struct watches *all;
	struct poll_watch *next; /* among those that are to be freed */
};

/* All watches of a loop: poll_epoll.c on Linux, poll_portable.c on every other system. */
struct watches {
	struct timers *timers;
	bool is_over;
	/* by epoll(7) */
	int epoll;
	bool is_busy; /* events are being reported: a watch that is freed may be among them */
	struct poll_watch *freed;
	/* by poll(2): one slot each */
	struct pollfd *polled;
	struct poll_watch **watched;
	size_t count, alive, room;
	bool has_paused;
};

int poll_start(struct watches *watches, struct timers *timers);
/* Until is_over. */
void poll_run(struct watches *watches);
/* Owns fd from now on, also on failure (NULL). Waits for nothing yet. */
struct poll_watch *poll_add(struct watches *watches, int fd, void *owner,
			    void (*ready)(void *owner, int events));
/* Waits for these of enum watch_event from now on; 0: for nothing. */
void poll_want(struct poll_watch *watch, int events);
struct poll_watch *poll_remove(struct poll_watch *watch);
