// SPDX-License-Identifier: MIT
/* The tables of job_control.h. */
#include "session/channel/job_control.h"

struct job_step {
	unsigned char next, action; /* a state, enum job_action */
};

/* SIGCONT is forwarded unless the command got one already: a second would undo its next stop. */
enum job_action
job_control_command(enum command_state *state, enum command_event event)
{
	enum { RUNS = COMMAND_RUNS, CONTINUED, STOPPED, AGAIN, ENDED, WAKE = JOB_CONTINUE_COMMAND };
	_Static_assert((int)ENDED == COMMAND_ENDED, "the states of the header");
	static const struct job_step steps[COMMAND_STATES][COMMAND_EVENTS] = {
		/* stops, is continued, ends, gets SIGCONT, its stop is over, another stop is over */
		[RUNS] = {{STOPPED}, {RUNS}, {ENDED}, {RUNS, WAKE}, {RUNS}, {RUNS}},
		[CONTINUED] = {{AGAIN}, {CONTINUED}, {ENDED}, {RUNS}, {RUNS}, {RUNS}},
		[STOPPED] =
			{{STOPPED}, {CONTINUED}, {ENDED}, {RUNS, WAKE}, {RUNS, WAKE}, {STOPPED}},
		[AGAIN] = {{AGAIN}, {CONTINUED}, {ENDED}, {STOPPED}, {RUNS, WAKE}, {STOPPED}},
		[ENDED] = {{ENDED}, {ENDED}, {ENDED}, {ENDED}, {ENDED}, {ENDED}},
	};
	const struct job_step *step = &steps[*state][event];

	*state = (enum command_state)step->next;
	return (enum job_action)step->action;
}

enum job_action
job_control_report(enum report_state *state, enum report_event event)
{
	enum { NONE = REPORT_NONE, SENT, CONFIRMED, STOPS, LEFT };
	_Static_assert((int)LEFT == REPORT_SUPERVISOR_LEFT, "the states of the header");
	enum { STOP = JOB_REPORT_STOP, STAYS = JOB_REPORT_STAYS };
	static const struct job_step steps[REPORT_STATES][REPORT_EVENTS] = {
		/* command is stopped, confirm: same stop, other stop, supervisor stops, continues, leaves */
		[NONE] = {{SENT, STOP}, {CONFIRMED, STAYS}, {NONE}, {STOPS}, {NONE}, {LEFT}},
		[SENT] = {{SENT}, {CONFIRMED, STAYS}, {NONE}, {STOPS}, {NONE}, {LEFT}},
		[CONFIRMED] = {{CONFIRMED}, {CONFIRMED, STAYS}, {NONE}, {STOPS}, {NONE}, {LEFT}},
		[STOPS] = {{STOPS}, {CONFIRMED, STAYS}, {NONE}, {STOPS}, {NONE}, {LEFT}},
		[LEFT] = {{LEFT}, {LEFT}, {LEFT}, {LEFT}, {LEFT}, {LEFT}},
	};
	const struct job_step *step = &steps[*state][event];

	*state = (enum report_state)step->next;
	return (enum job_action)step->action;
}

/* The SIGCONT that ended a stop is about the supervisor: the command is continued by ORDER_CONTINUE. */
enum job_action
job_control_supervisor(enum supervisor_state *state, enum supervisor_event event)
{
	enum { RUNS = SUPERVISOR_RUNS, CONFIRMS, CONTINUED, RESUMED };
	_Static_assert((int)RESUMED == SUPERVISOR_RESUMED, "the states of the header");
	enum { CONFIRM = JOB_CONFIRM, STOP = JOB_STOP, FORWARD = JOB_FORWARD_CONTINUE };
	static const struct job_step steps[SUPERVISOR_STATES][SUPERVISOR_EVENTS] = {
		/* reads NEWS_STOPPED, NEWS_STAYS, gets SIGCONT, resumes */
		[RUNS] = {{CONFIRMS, CONFIRM}, {RUNS, STOP}, {RUNS, FORWARD}, {RESUMED}},
		[CONFIRMS] = {{CONFIRMS, CONFIRM}, {RUNS, STOP}, {CONTINUED, FORWARD}, {RESUMED}},
		[CONTINUED] = {{CONFIRMS, CONFIRM},
			       {CONFIRMS, CONFIRM},
			       {CONTINUED, FORWARD},
			       {RESUMED}},
		[RESUMED] = {{CONFIRMS, CONFIRM}, {RUNS, STOP}, {RUNS}, {RESUMED}},
	};
	const struct job_step *step = &steps[*state][event];

	*state = (enum supervisor_state)step->next;
	return (enum job_action)step->action;
}
