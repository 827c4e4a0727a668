/* SPDX-License-Identifier: MIT */
/* The supervisor's loop. To its invoker, the supervisor behaves like the command. */
#pragma once

#include "session/channel/job_control.h"
#include "session/session.h"
#include "session/supervisor/pty_relay.h"

struct supervision {
	const struct session_request *request;
	struct guard guard;
	struct session_group *group; /* killed by the supervisor only if the guard was killed */
	struct tree_spare spare;     /* children of the supervisor that are not of the session */
	struct relay *relay;	     /* NULL: none */
	struct output *output;	     /* NULL: no output limit */
	struct event_source *event_source;
	int signals; /* fd from which blocked signals are read */
	int caller;  /* pidfd of the invoker; -1: not watched */
	int64_t started;
	int64_t due; /* when to check whether the guard is stopped; 0: it need not end yet */
	enum session_cause due_cause;
	int stuck; /* how often it was stopped at such a check */
	bool joins; /* guard.line is the channel to the spawner of a shared session; guard.pid is 0 */
	enum supervisor_state job;
	int stop;	      /* number of the last stop that the guard reported */
	bool is_asked_to_end; /* by a signal, or by the end of the invoker */
	bool is_trimmed;
	enum {
		GUARD_RUNS,
		GUARD_ENDING, /* it sent its last message, and is not reaped yet */
		GUARD_LOST    /* it was killed: the supervisor cleans up */
	} guard_state;
	bool terminal_signal[NSIG];
};

/* Returns 0 with the result, or an error if the command was not started. */
int supervise(struct supervision *run, struct session_result *ret_result, struct cordon_error *err);

/* guard_timeout.c: the guard is killed if that many checks after the due time find it stopped. */
#define LATE_LOOKS 20
/* Sets the due time: the guard must have ended the session in ms milliseconds. */
void guard_timeout_expect(struct supervision *run, enum session_cause cause, int64_t ms);
/* Sends SIGCONT to a stopped guard. */
void guard_timeout_wake(const struct supervision *run);
/* After the due time: sends SIGCONT to a stopped guard, or kills it. */
void guard_timeout_press(struct supervision *run);
/* Returns the time until a check is due, at most limit_ms; -1: no timeout. */
int guard_timeout_left(const struct supervision *run, int limit_ms);
