/* SPDX-License-Identifier: MIT */
/*
 * The proxy's loop over libuv: descriptors that are watched, and things that have a time. Freeing a
 * watch closes its descriptor at once; its owner hears nothing of it any more.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct watch {
	int fd;
	int events; /* what is waited for now */
	bool is_listed;
	void *owner;
	void (*ready)(void *owner, int events);
	struct watches *all;
	struct watch *next; /* among those that are to be freed */
};

/*
 * Descriptors are waited for here and libuv's loop keeps the time: changing what is waited for is
 * then one call, none for who closes, and one for each time that something happens.
 */
struct watches {
	int epoll;
	bool is_busy; /* events are being told: what is freed may be among them */
	bool is_over;
	struct watch *freed;
};

int watches_start(struct watches *watches);
/* Until is_over. */
void watches_run(struct watches *watches, uv_loop_t *loop);
/* Owns fd from now on, also on failure (NULL). Waits for nothing yet. */
struct watch *watch_new(struct watches *watches, int fd, void *owner,
			void (*ready)(void *owner, int events));
/*
 * UV_READABLE, UV_WRITABLE; UV_DISCONNECT: only that it broke, which the others are told of as well,
 * once, by all three; 0: nothing.
 */
void watch_want(struct watch *watch, int events);
struct watch *watch_free(struct watch *watch);

/* Something that must have happened by a time. */
struct timed {
	struct timed *next, *previous;
	uint64_t at; /* in ms of the loop's clock */
	void (*expire)(struct timed *timed);
};

struct clockwork {
	uv_timer_t tick;
	struct timed list; /* a ring */
};

int clockwork_start(struct clockwork *clockwork, uv_loop_t *loop);
/* In so many ms; again: the new time holds. */
void timed_set(struct clockwork *clockwork, struct timed *timed, uint64_t ms,
	       void (*expire)(struct timed *timed));
void timed_clear(struct timed *timed);
