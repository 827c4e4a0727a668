/* SPDX-License-Identifier: MIT */
/* State of the guard, for the three files of this folder: guard.c starts the command, see there. */
#pragma once

#include "session/channel/channel.h"
#include "session/channel/job_control.h"
#include "session/channel/poll_trim.h"
#include "session/inside/spawner.h"

/* How often a stopped supervisor is sent SIGCONT until it continues. */
#define WAKE_MS 20
/* How often a guard that a tracked command stopped is woken by a timer of its own. */
#define AWAKE_MS 2000
/* How often a session that is known by a mark is searched for processes: their ends send no signal. */
#define LEFT_MS 1000

struct guard_state {
	const struct guard_task *task;
	struct session_group group;
	pid_t supervisor, command;
	int channel, signals;
	int spawner;		   /* channel to it; -1: none */
	spawner_question question; /* of the spawner, not yet answered; 0: none */
	struct record_hold record;
	int64_t started;
	int64_t end_at; /* of an end that was ordered; 0: none */
	int64_t grace_ms;
	enum session_cause cause;
	int terminal; /* slave of the command's own pty; -1: none */
	enum command_state command_state;
	enum report_state report;
	int stops;	    /* of the command so far */
	int invoker;	    /* pidfd; -1: it is not watched, or has ended */
	bool invoker_ended; /* the supervisor may then not stay stopped */
	bool is_trimmed;
	bool in_front; /* the command is in the foreground of its own pty */
	bool hit_processes;
	bool has_tmp; /* the private tmp was made */
	int status;   /* wait status of the command */
};

/* guard_watch.c: waits until the session is over. */
_Noreturn void guard_watch(struct guard_state *watch);

/* guard_teardown.c: SIGCONT to the supervisor. */
void guard_wake(const struct guard_state *watch);
/*
 * A child stopped. True when it was traced by the guard (PTRACE_TRACEME) and is detached: that is no
 * stopped job, and the signal it stopped for is delivered now.
 */
bool guard_untrace(const struct guard_state *watch, pid_t pid, int status);
/* The channel of the spawner can be read. */
void guard_asked(struct guard_state *watch);
/* Answers the spawner's question if the answer is yes; false: not yet. */
bool guard_answer(struct guard_state *watch);
/* True when no process of the session is left. */
bool guard_is_over(const struct guard_state *watch);
/* Sends the last message to the supervisor, and SIGCONT until it reads it. */
void guard_report_end(const struct guard_state *watch, const struct guard_news *news);
/* Ends every process of the session, reports, and exits. */
_Noreturn void guard_finish(struct guard_state *watch, enum guard_news_kind kind,
			    const struct cordon_error *why);
