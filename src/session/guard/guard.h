/* SPDX-License-Identifier: MIT */
/* State of the guard, for the three files of this directory. */
#pragma once

#include "session/channel/channel.h"
#include "session/channel/job_control.h"
#include "session/channel/poll_trim.h"
#include "session/inside/spawner.h"

/* How often a stopped supervisor is sent SIGCONT until it continues. */
#define WAKE_MS 20
/* How often a timer wakes a guard that a tracked command may have stopped. */
#define AWAKE_MS 2000
/* How often to search for processes with TRACKED_BY_MARK: no SIGCHLD reports their end. */
#define LEFT_MS 1000

struct guard_state {
	const struct guard_task *task;
	struct session_group group;
	pid_t supervisor, command;
	int channel, signals;
	int spawner;		   /* channel to it; -1: none */
	spawner_question question; /* of the spawner, not yet answered; 0: none */
	struct record_file record;
	int64_t started;
	int64_t end_at; /* time of ORDER_END; 0: none */
	int64_t grace_ms;
	enum session_cause cause;
	int terminal; /* slave of the command's pty; -1: none */
	enum command_state command_state;
	enum report_state report;
	int stops;	    /* of the command so far */
	int invoker;	    /* pidfd; -1: not watched, or it has ended */
	bool invoker_ended; /* a stopped supervisor must be continued */
	bool is_trimmed;
	bool in_front; /* the command is in the foreground of its pty */
	bool hit_processes;
	bool has_tmp; /* the private tmp was created */
	int status;   /* wait status of the command */
};

/* guard_watch.c: the loop; exits at the end of the session. */
_Noreturn void guard_watch(struct guard_state *watch);

/* guard_teardown.c: sends SIGCONT to the supervisor. */
void guard_wake(const struct guard_state *watch);
/*
 * Called for a stopped child. If it is traced by the guard (PTRACE_TRACEME), detaches it, which
 * delivers the signal, and returns true: that is no job control stop.
 */
bool guard_untrace(const struct guard_state *watch, pid_t pid, int status);
/* The kernel's log of what it refuses: its fd or -1, and reading it; see enforce.h. */
int guard_kernel_log(const struct guard_state *watch);
void guard_read_kernel_log(struct guard_state *watch, bool is_end);
/* Reads a question from the channel of the spawner. */
void guard_asked(struct guard_state *watch);
/* Answers the spawner's question if it is the last process; false: the question stays pending. */
bool guard_answer(struct guard_state *watch);
/* Is no process of the session left? */
bool guard_is_over(const struct guard_state *watch);
/* Sends the last message to the supervisor, and SIGCONT until it reads it. */
void guard_report_end(const struct guard_state *watch, const struct guard_news *news);
/* Ends every process of the session, reports, and exits. */
_Noreturn void guard_teardown(struct guard_state *watch, enum guard_news_kind kind,
			      const struct cordon_error *why);
