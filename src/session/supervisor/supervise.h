/* SPDX-License-Identifier: MIT */
/* Waiting for the end of a session, as if the supervisor were the command. */
#pragma once

#include "session/session.h"
#include "session/supervisor/pty_relay.h"

struct supervision {
	const struct session_request *request;
	struct guard guard;
	struct session_group *group; /* ended by the guard, unless the guard is lost */
	struct tree_spare spare;     /* children of ours that are none of the session's */
	struct relay *relay;	     /* NULL: none */
	struct output *output;	     /* NULL: not counted */
	struct event_source *event_source;
	int signals; /* where blocked signals arrive */
	int caller;  /* tells the end of the process that started us; -1: nobody asks */
	int64_t started;
	int64_t due; /* when the guard is looked at, which keeps the time; 0: it is not expected to end */
	enum session_cause due_cause;
	int stuck;  /* how often it was found stopped then */
	bool joins; /* the line is to the porter of a named session; there is no guard of our own */
	int stops;  /* of which the guard told last */
	int wakes;  /* SIGCONTs that were not the guard's */
	int asked;  /* how many of them there were when it was asked about that stop */
	bool is_woken;	    /* from one of them: by a SIGCONT that is for us */
	bool is_told_to_go; /* by a signal, or by the end of the caller */
	bool is_guard_lost; /* it was killed: cleaning up is left to us */
	bool is_trimmed;
	bool is_guard_ending; /* it has said its last word, and is not waited for yet */
	bool terminal_signal[NSIG];
};

/* 0 with the result, or why nothing was started. */
int supervise(struct supervision *run, struct session_result *ret_result, struct cordon_error *err);

/* guard_timeout.c: found stopped so often after the end was due, the guard is killed. */
#define LATE_LOOKS 20
/* The guard is to have ended the session in ms milliseconds. */
void guard_timeout_expect(struct supervision *run, enum session_cause cause, int64_t ms);
/* Wakes it if it has stopped. */
void guard_timeout_wake(const struct supervision *run);
/* The same if the end is due. */
void guard_timeout_press(struct supervision *run);
/* How long to wait until then, and no longer than limit_ms; -1: for ever. */
int guard_timeout_left(const struct supervision *run, int limit_ms);
