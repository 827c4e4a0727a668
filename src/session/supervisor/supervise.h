/* SPDX-License-Identifier: MIT */
/* Waiting for the end of a session, as if the supervisor were the command. */
#pragma once

#include "session/channel/job_control.h"
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
	int stuck; /* how often it was found stopped then */
	bool joins; /* guard.line is the channel to the spawner of a shared session; guard.pid is 0 */
	enum supervisor_state job;
	int stop;	      /* number of the last stop that the guard reported */
	bool is_asked_to_end; /* by a signal, or by the end of the invoker */
	bool is_trimmed;
	enum {
		GUARD_RUNS,
		GUARD_ENDING, /* it sent its last message, and was not waited for yet */
		GUARD_LOST    /* it was killed: the supervisor cleans up */
	} guard_state;
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
