// SPDX-License-Identifier: MIT
/* The tables of job_control.h. */
#include "session/channel/job_control.h"

struct job_step {
	unsigned char next, action; /* a state, enum job_action (0: nothing) */
};

/* SIGCONT is forwarded unless the command got one already: a second would undo its next stop. */
enum job_action
job_control_command(enum command_state *state, enum command_event event)
{
	enum { RUNS = COMMAND_RUNS, CONTINUED, STOPPED, AGAIN, ENDED, WAKE = JOB_CONTINUE_COMMAND };
	_Static_assert((int)ENDED == COMMAND_ENDED, "the states of the header");
	static const struct job_step steps[COMMAND_STATES][COMMAND_EVENTS] = {
		/* stops, is continued, ends, gets SIGCONT, its stop is over, another stop is over */
		[RUNS] = {{STOPPED, 0}, {RUNS, 0}, {ENDED, 0}, {RUNS, WAKE}, {RUNS, 0}, {RUNS, 0}},
		[CONTINUED] =
			{{AGAIN, 0}, {CONTINUED, 0}, {ENDED, 0}, {RUNS, 0}, {RUNS, 0}, {RUNS, 0}},
		[STOPPED] = {{STOPPED, 0},
			     {CONTINUED, 0},
			     {ENDED, 0},
			     {RUNS, WAKE},
			     {RUNS, WAKE},
			     {STOPPED, 0}},
		[AGAIN] = {{AGAIN, 0},
			   {CONTINUED, 0},
			   {ENDED, 0},
			   {STOPPED, 0},
			   {RUNS, WAKE},
			   {STOPPED, 0}},
		[ENDED] = {{ENDED, 0}, {ENDED, 0}, {ENDED, 0}, {ENDED, 0}, {ENDED, 0}, {ENDED, 0}},
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
		[NONE] = {{SENT, STOP},
			  {CONFIRMED, STAYS},
			  {NONE, 0},
			  {STOPS, 0},
			  {NONE, 0},
			  {LEFT, 0}},
		[SENT] = {{SENT, 0},
			  {CONFIRMED, STAYS},
			  {NONE, 0},
			  {STOPS, 0},
			  {NONE, 0},
			  {LEFT, 0}},
		[CONFIRMED] = {{CONFIRMED, 0},
			       {CONFIRMED, STAYS},
			       {NONE, 0},
			       {STOPS, 0},
			       {NONE, 0},
			       {LEFT, 0}},
		[STOPS] = {{STOPS, 0},
			   {CONFIRMED, STAYS},
			   {NONE, 0},
			   {STOPS, 0},
			   {NONE, 0},
			   {LEFT, 0}},
		[LEFT] = {{LEFT, 0}, {LEFT, 0}, {LEFT, 0}, {LEFT, 0}, {LEFT, 0}, {LEFT, 0}},
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
		[RUNS] = {{CONFIRMS, CONFIRM}, {RUNS, STOP}, {RUNS, FORWARD}, {RESUMED, 0}},
		[CONFIRMS] = {{CONFIRMS, CONFIRM},
			      {RUNS, STOP},
			      {CONTINUED, FORWARD},
			      {RESUMED, 0}},
		[CONTINUED] = {{CONFIRMS, CONFIRM},
			       {CONFIRMS, CONFIRM},
			       {CONTINUED, FORWARD},
			       {RESUMED, 0}},
		[RESUMED] = {{CONFIRMS, CONFIRM}, {RUNS, STOP}, {RUNS, 0}, {RESUMED, 0}},
	};
	const struct job_step *step = &steps[*state][event];

	*state = (enum supervisor_state)step->next;
	return (enum job_action)step->action;
}
