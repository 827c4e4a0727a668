/* SPDX-License-Identifier: MIT */
/*
 * The channel between supervisor and guard: values of fixed size on a socket pair. EOF tells either
 * side that the other has ended.
 */
#pragma once

#include "session/session.h"

enum guard_order_kind {
	ORDER_SIGNAL,	/* value: signal for the command; with a pty, for its process group */
	ORDER_CONFIRM,	/* value: number of a stop; is the command still in it? */
	ORDER_STOPS,	/* no value: the supervisor is about to stop */
	ORDER_CONTINUE, /* value: number of the stop, or 0; front: in the foreground of its pty */
	ORDER_END	/* value: enum session_cause; end the session in ms milliseconds */
};
struct guard_order {
	enum guard_order_kind kind;
	int value;
	int64_t ms;
	uint32_t front;	 /* 0 or 1 */
	uint32_t unused; /* 0: padding would leak memory contents to the spawner in the sandbox */
};
_Static_assert(sizeof(struct guard_order) == 24, "no padding");

enum guard_news_kind {
	NEWS_FAILED,  /* why: the command was not started, everything is cleaned up */
	NEWS_STOPPED, /* status: number of the stop, which may be over by now */
	NEWS_STAYS,   /* status: stop signal; the command is still stopped */
	NEWS_LEFT,    /* the command ended; processes of the session and the guard live on */
	NEWS_DONE     /* the session has ended and is cleaned up */
};
struct guard_news {
	enum guard_news_kind kind;
	int status; /* wait status of the command */
	enum session_cause cause;
	uint32_t hit_processes; /* 0 or 1 */
	struct tree_end end;
	struct cordon_error why;
};
_Static_assert(sizeof(struct tree_end) == 8 + TREE_SURVIVORS * 20, "no padding");
_Static_assert(sizeof(struct guard_news) ==
		       16 + sizeof(struct tree_end) + sizeof(struct cordon_error),
	       "no padding");

/* Is it one of the four signals that stop a job? A wait status of a traced child names any other. */
bool channel_signal_stops_job(int signal);

/* Both return false if the other side has closed the channel. They never cause SIGPIPE. */
bool channel_send(int line, const void *value, size_t size);
bool channel_receive(int line, void *value, size_t size);
