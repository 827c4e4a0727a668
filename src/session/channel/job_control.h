/* SPDX-License-Identifier: MIT */
/*
 * Job control as tables [state][event] -> (next state, action): the supervisor stops when the command
 * stops and continues when it does, so that a shell sees one job. A stop takes three messages, because
 * the command may have been continued by the time the supervisor reads that it stopped:
 *
 *   guard: NEWS_STOPPED -> supervisor: ORDER_CONFIRM -> guard: NEWS_STAYS -> supervisor: ORDER_STOPS, stops
 *
 * Computation only; guard_watch.c and supervise.c perform the actions.
 */
#pragma once

enum job_action {
	JOB_NOTHING,
	JOB_CONTINUE_COMMAND, /* send SIGCONT to it */
	JOB_REPORT_STOP,      /* NEWS_STOPPED */
	JOB_REPORT_STAYS,     /* NEWS_STAYS */
	JOB_CONFIRM,	      /* ORDER_CONFIRM */
	JOB_STOP,	      /* ORDER_STOPS, then the supervisor stops */
	JOB_FORWARD_CONTINUE  /* SIGCONT to the command, by ORDER_SIGNAL */
};

/* In the guard: the command. */
enum command_state {
	COMMAND_RUNS,
	COMMAND_CONTINUED, /* runs; another process continued it, and no SIGCONT was forwarded since */
	COMMAND_STOPPED,
	COMMAND_STOPPED_AGAIN, /* the same after COMMAND_CONTINUED */
	COMMAND_ENDED,
	COMMAND_STATES
};
enum command_event {
	COMMAND_STOPS,
	COMMAND_IS_CONTINUED, /* by a process that is not the guard */
	COMMAND_ENDS,
	COMMAND_GETS_SIGCONT,	    /* the supervisor forwards one */
	COMMAND_STOP_IS_OVER,	    /* the supervisor continues after the stop that lasts */
	COMMAND_OTHER_STOP_IS_OVER, /* after a stop that was already over */
	COMMAND_EVENTS
};

/* In the guard: how much of a stop the supervisor knows. */
enum report_state {
	REPORT_NONE,
	REPORT_SENT,	  /* NEWS_STOPPED; one at a time, so that stops cannot fill the channel */
	REPORT_CONFIRMED, /* NEWS_STAYS: the supervisor may stop */
	REPORT_SUPERVISOR_STOPS,
	REPORT_SUPERVISOR_LEFT, /* no supervisor reads reports */
	REPORT_STATES
};
enum report_event {
	REPORT_COMMAND_IS_STOPPED,
	REPORT_CONFIRM_SAME,  /* ORDER_CONFIRM, and the command is in the stop that was reported */
	REPORT_CONFIRM_OTHER, /* ORDER_CONFIRM, and it is not */
	REPORT_STOPS,	      /* ORDER_STOPS */
	REPORT_CONTINUES,     /* ORDER_CONTINUE after a stop */
	REPORT_LEAVES,	      /* NEWS_LEFT was sent */
	REPORT_EVENTS
};

/* In the supervisor. */
enum supervisor_state {
	SUPERVISOR_RUNS,
	SUPERVISOR_CONFIRMS,	       /* ORDER_CONFIRM was sent */
	SUPERVISOR_CONFIRMS_CONTINUED, /* then SIGCONT was read: NEWS_STAYS may be older */
	SUPERVISOR_RESUMED, /* after its own stop: the SIGCONT that ended it is not read yet */
	SUPERVISOR_STATES
};
enum supervisor_event {
	SUPERVISOR_READS_STOPPED, /* NEWS_STOPPED */
	SUPERVISOR_READS_STAYS,	  /* NEWS_STAYS */
	SUPERVISOR_GETS_SIGCONT,  /* from a process that is not the guard */
	SUPERVISOR_RESUMES,	  /* its own stop is over */
	SUPERVISOR_EVENTS
};

/* Each changes the state and returns the action to perform. */
enum job_action job_control_command(enum command_state *state, enum command_event event);
enum job_action job_control_report(enum report_state *state, enum report_event event);
enum job_action job_control_supervisor(enum supervisor_state *state, enum supervisor_event event);
