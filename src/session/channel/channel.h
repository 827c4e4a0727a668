/* SPDX-License-Identifier: MIT */
/*
 * The channel between supervisor and guard: values of fixed size on a socket pair. EOF tells either side
 * that the other has ended.
 */
#pragma once

#include "session/session.h"

enum guard_order_kind {
	ORDER_SIGNAL,	/* value: to the command; where its terminal would tell all, to its group */
	ORDER_CONFIRM,	/* value: which stop; is the command still in it? */
	ORDER_STOPS,	/* none: the supervisor stops as well */
	ORDER_CONTINUE, /* value: from which stop; front: in its own terminal's foreground */
	ORDER_END	/* value: the cause; after ms milliseconds */
};
struct guard_order {
	enum guard_order_kind kind;
	int value;
	int64_t ms;
	uint32_t front; /* 0 or 1 */
	uint32_t
		unused; /* 0: the spawner is in the sandbox, and must not be sent what was in memory */
};
_Static_assert(sizeof(struct guard_order) == 24, "no padding");

enum guard_news_kind {
	NEWS_FAILED,  /* why: nothing was started, everything is cleaned up */
	NEWS_STOPPED, /* status: for which time; when we hear it, it may be over */
	NEWS_STAYS,   /* status: by that signal, and it is not over */
	NEWS_LEFT,    /* the command ended, what it left lives on; the guard stays */
	NEWS_DONE     /* all is ended and cleaned up */
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

/* False when the other side has closed it. Never SIGPIPE. */
bool channel_send(int line, const void *value, size_t size);
bool channel_receive(int line, void *value, size_t size);
