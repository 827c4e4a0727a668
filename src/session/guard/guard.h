/* SPDX-License-Identifier: MIT */
/* The guard from inside: what it knows while it watches, and how it ends. See guard.c. */
#pragma once

#include "session/channel/channel.h"
#include "session/channel/poll_trim.h"
#include "session/inside/spawner.h"

/* How soon a supervisor that has stopped is woken again. */
#define WAKE_MS 20
/* Nobody else may be left to wake a guard that a tracked command stopped, and perhaps the supervisor. */
#define AWAKE_MS 2000
/* How often what was left is looked for, where no signal tells of its end. */
#define LEFT_MS 1000

struct guard_state {
	const struct guard_task *task;
	struct session_group group;
	pid_t supervisor, command;
	int line, signals;
	int spawner;		   /* the line to it; -1: there is none */
	spawner_question question; /* of the porter's, not yet answered; 0: none */
	struct record_hold record;
	int64_t started;
	int64_t end_at; /* when everything is to end; 0: not known */
	int64_t grace_ms;
	enum session_cause cause;
	int terminal;	    /* of the command's own; -1: none */
	int stops;	    /* of the command so far */
	bool stopped;	    /* the command is */
	bool stop_reported; /* the supervisor of a stop, and has not answered yet */
	bool stays;	    /* it was told that the command stays stopped, and may stop as well */
	bool waiting;	    /* it stopped with the command, or is about to */
	bool went_on;	    /* the command, and not by us */
	int caller; /* tells the end of the process that waits for the supervisor; -1: nobody asks */
	bool caller_ended; /* that one has ended */
	bool is_trimmed;
	bool in_front;	      /* of its own terminal */
	bool exited;	      /* the command has */
	bool supervisor_left; /* the supervisor went, as it may */
	bool hit_processes;
	bool has_tmp; /* the private folder was made */
	int status;
};

/* guard_teardown.c: a supervisor that stopped with the command goes on. */
void guard_wake(const struct guard_state *watch);
/*
 * A child stopped. True when it made us its tracer and is detached: that is no stopped job, and the
 * signal it stopped for reaches it now.
 */
bool guard_untrace(const struct guard_state *watch, pid_t pid, int status);
/* The porter says something, or has ended. */
void guard_asked(struct guard_state *watch);
/* Answers what was asked, if it can be; false: later. */
bool guard_answer(struct guard_state *watch);
/* Is nothing left of what was started? */
bool guard_is_over(const struct guard_state *watch);
/* Ends everything that is left, says how it went, and with it the guard. */
_Noreturn void guard_finish(struct guard_state *watch, enum guard_news_kind kind,
			    const struct cordon_error *why);
