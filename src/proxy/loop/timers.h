/* SPDX-License-Identifier: MIT */
/*
 * The proxy's event loop: watched fds and timers. Freeing a watch closes its fd at once; its callback is
 * not called again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
	struct timer *next, *previous;
	uint64_t at; /* deadline on the loop's clock, in ms */
	void (*expire)(struct timer *timed);
};

struct timers {
	uint64_t now;	   /* CLOCK_MONOTONIC in ms, read once each time the loop wakes up */
	uint64_t tick;	   /* next check of the deadlines */
	struct timer list; /* head of the circular list */
};

void timers_start(struct timers *timers);
/* Milliseconds until the next check; -1 if no timer is set. */
int timers_wait(const struct timers *timers);
/* Reads the clock. Returns true if a tick has passed since the last one. */
bool timers_read(struct timers *timers);
/* Calls the callback of every expired timer. */
void timers_expire(struct timers *timers);
/* Sets or moves the deadline: ms from now. */
void timer_set(struct timers *timers, struct timer *timed, uint64_t ms,
	       void (*expire)(struct timer *timed));
void timer_clear(struct timer *timed);

/*
 * WATCH_BROKEN alone waits for errors only. A watch for other events receives an error once, as WATCH_ALL.
 */
enum watch_event {
	WATCH_READ = 1,
	WATCH_WRITE = 2,
	WATCH_BROKEN = 4,
	WATCH_ALL = WATCH_READ | WATCH_WRITE | WATCH_BROKEN,
};

struct loop_watch {
	int fd;
	int events; /* enum watch_event bits it waits for */
	bool is_listed;
	size_t slot; /* poll(2): index in polled, while listed */
	void *owner;
	void (*ready)(void *owner, int events);
	struct watches *all;
	struct loop_watch *next; /* list of watches to free */
};

/* All watches of a loop. Implemented by poll_epoll.c on Linux and poll_portable.c elsewhere. */
struct watches {
	struct timers *timers;
	bool is_over;
	/* epoll(7) */
	int epoll;
	bool is_busy; /* reporting events: a watch freed now may be among them */
	struct loop_watch *freed;
	/* poll(2): one slot for each watch */
	struct pollfd *polled;
	struct loop_watch **watched;
	size_t count, alive, room;
	bool has_paused;
};

int loop_start(struct watches *watches, struct timers *timers);
/* Runs the loop until is_over is set. */
void loop_run(struct watches *watches);
/* Takes ownership of fd, also on failure (NULL; fd is closed). The new watch waits for nothing yet. */
struct loop_watch *loop_add(struct watches *watches, int fd, void *owner,
			    void (*ready)(void *owner, int events));
/* Sets the enum watch_event bits to wait for; 0 for none. */
void loop_want(struct loop_watch *watch, int events);
struct loop_watch *loop_remove(struct loop_watch *watch);
