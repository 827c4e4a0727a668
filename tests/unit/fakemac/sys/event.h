/* SPDX-License-Identifier: MIT */
/* What compat_macos.h uses of macOS's header, with its numbers and layout. */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define EVFILT_PROC (-5)
#define EVFILT_SIGNAL (-6)
#define EVFILT_USER (-10)
#define EV_ADD 0x0001
#define EV_ONESHOT 0x0010
#define NOTE_TRIGGER 0x01000000
#define NOTE_EXIT 0x80000000
#define SO_NOSIGPIPE SO_KEEPALIVE /* any that every socket takes */

struct kevent {
	uintptr_t ident;
	int16_t filter;
	uint16_t flags;
	uint32_t fflags;
	intptr_t data;
	void *udata;
};
#define EV_SET(kevp, a, b, c, d, e, f)       \
	*(kevp) = (struct kevent)            \
	{                                    \
		(a), (b), (c), (d), (e), (f) \
	}

int kqueue(void);
int kevent(int queue, const struct kevent *changes, int change_count, struct kevent *events,
	   int event_count, const struct timespec *timeout);
