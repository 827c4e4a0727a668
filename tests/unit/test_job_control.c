// SPDX-License-Identifier: MIT
/*
 * The tables of job control: what holds for every pair of state and event, a stop and a continue step by
 * step, and random histories of SIGSTOP and SIGCONT after which both sides must agree with the command.
 */
#include <stdbool.h>

#include "session/channel/job_control.h"
#include "tap.h"

static bool
is_stopped(enum command_state state)
{
	return state == COMMAND_STOPPED || state == COMMAND_STOPPED_AGAIN;
}

static enum command_state
after(enum command_state state, enum command_event event, enum job_action expected)
{
	check_int(job_control_command(&state, event), expected);
	check(state < COMMAND_STATES);
	return state;
}

static void
every_event_of_the_command_in_every_state(void)
{
	for (int i = 0; i < COMMAND_STATES; i++) {
		enum command_state from = (enum command_state)i;
		bool ended = from == COMMAND_ENDED, stops = is_stopped(from);
		/* a SIGCONT that the command got by itself already is not sent again */
		bool has_sigcont = from == COMMAND_CONTINUED || from == COMMAND_STOPPED_AGAIN;
		enum job_action on_sigcont = ended || has_sigcont ? JOB_NOTHING
								  : JOB_CONTINUE_COMMAND;
		enum job_action on_end = stops ? JOB_CONTINUE_COMMAND : JOB_NOTHING;

		check_int(after(from, COMMAND_ENDS, JOB_NOTHING), COMMAND_ENDED);
		for (int event = 0; ended && event < COMMAND_EVENTS; event++)
			check_int(after(from, (enum command_event)event, JOB_NOTHING),
				  COMMAND_ENDED);
		if (ended)
			continue;
		check_int(is_stopped(after(from, COMMAND_STOPS, JOB_NOTHING)), true);
		check_int(after(from, COMMAND_IS_CONTINUED, JOB_NOTHING),
			  from == COMMAND_RUNS ? COMMAND_RUNS : COMMAND_CONTINUED);
		check_int(after(from, COMMAND_GETS_SIGCONT, on_sigcont),
			  from == COMMAND_STOPPED_AGAIN ? COMMAND_STOPPED : COMMAND_RUNS);
		check_int(after(from, COMMAND_STOP_IS_OVER, on_end), COMMAND_RUNS);
		check_int(after(from, COMMAND_OTHER_STOP_IS_OVER, JOB_NOTHING),
			  stops ? COMMAND_STOPPED : COMMAND_RUNS);
	}
}

static void
every_event_of_a_report_in_every_state(void)
{
	static const enum report_state next[REPORT_EVENTS] = {REPORT_SENT, REPORT_CONFIRMED,
							      REPORT_NONE, REPORT_SUPERVISOR_STOPS,
							      REPORT_NONE, REPORT_SUPERVISOR_LEFT};

	for (int from = 0; from < REPORT_STATES; from++)
		for (int event = 0; event < REPORT_EVENTS; event++) {
			enum report_state state = (enum report_state)from, to = next[event];
			enum job_action expected = event == REPORT_CONFIRM_SAME ? JOB_REPORT_STAYS
										: JOB_NOTHING;

			/* only one report of a stop at a time */
			if (event == REPORT_COMMAND_IS_STOPPED && from == REPORT_NONE)
				expected = JOB_REPORT_STOP;
			else if (event == REPORT_COMMAND_IS_STOPPED)
				to = state;
			if (from == REPORT_SUPERVISOR_LEFT) {
				expected = JOB_NOTHING;
				to = state;
			}
			check_int(job_control_report(&state, (enum report_event)event), expected);
			check_int(state, to);
		}
}

static void
every_event_of_the_supervisor_in_every_state(void)
{
	for (int from = 0; from < SUPERVISOR_STATES; from++) {
		enum supervisor_state state = (enum supervisor_state)from;
		bool is_old = from == SUPERVISOR_CONFIRMS_CONTINUED;

		check_int(job_control_supervisor(&state, SUPERVISOR_READS_STOPPED), JOB_CONFIRM);
		check_int(state, SUPERVISOR_CONFIRMS);
		state = (enum supervisor_state)from;
		check_int(job_control_supervisor(&state, SUPERVISOR_READS_STAYS),
			  is_old ? JOB_CONFIRM : JOB_STOP);
		check_int(state, is_old ? SUPERVISOR_CONFIRMS : SUPERVISOR_RUNS);
		state = (enum supervisor_state)from;
		check_int(job_control_supervisor(&state, SUPERVISOR_GETS_SIGCONT),
			  from == SUPERVISOR_RESUMED ? JOB_NOTHING : JOB_FORWARD_CONTINUE);
		check_int(state, from == SUPERVISOR_CONFIRMS || is_old
					 ? SUPERVISOR_CONFIRMS_CONTINUED
					 : SUPERVISOR_RUNS);
		state = (enum supervisor_state)from;
		check_int(job_control_supervisor(&state, SUPERVISOR_RESUMES), JOB_NOTHING);
		check_int(state, SUPERVISOR_RESUMED);
	}
}

/* ---- both sides together: what guard_watch.c and supervise.c do with the tables ---- */

struct message {
	int kind; /* enum job_action: the report or the order; 0: ORDER_CONTINUE */
	int stop;
};
struct queue {
	struct message items[64];
	int first, end;
};

struct play {
	bool stopped, changed; /* the command; changed: wait() has not reported it yet */
	enum command_state command;
	enum report_state report;
	int stops;
	enum supervisor_state supervisor;
	bool sleeps, has_sigcont; /* the supervisor: stopped; a SIGCONT is pending */
	int stop;
	struct queue reports, orders;
};

static void
put(struct queue *queue, int kind, int stop)
{
	queue->items[queue->end++ % 64] = (struct message){kind, stop};
	check(queue->end - queue->first <= 64);
}

static void
signal_command(struct play *play, bool stop)
{
	play->changed = play->changed || play->stopped != stop;
	play->stopped = stop;
}

static void
signal_supervisor(struct play *play)
{
	play->has_sigcont = true;
}

static void
change_command(struct play *play, enum command_event event)
{
	if (job_control_command(&play->command, event) == JOB_CONTINUE_COMMAND)
		signal_command(play, false);
}

static void
change_report(struct play *play, enum report_event event)
{
	enum job_action action = job_control_report(&play->report, event);

	if (action != JOB_NOTHING)
		put(&play->reports, (int)action, play->stops);
}

static void
report_stop(struct play *play)
{
	if (is_stopped(play->command))
		change_report(play, REPORT_COMMAND_IS_STOPPED);
}

/* wait() reports the last change only. */
static void
look_at_command(struct play *play)
{
	if (!play->changed)
		return;
	play->changed = false;
	play->stops += play->stopped;
	change_command(play, play->stopped ? COMMAND_STOPS : COMMAND_IS_CONTINUED);
	report_stop(play);
}

static void
read_order(struct play *play)
{
	struct message order = play->orders.items[play->orders.first++ % 64];
	bool same;

	look_at_command(play);
	same = is_stopped(play->command) && play->stops == order.stop;
	if (order.kind == JOB_STOP) {
		change_report(play, REPORT_STOPS);
	} else if (order.kind == JOB_FORWARD_CONTINUE) {
		change_command(play, COMMAND_GETS_SIGCONT);
	} else if (order.kind == JOB_CONFIRM) {
		change_report(play, same ? REPORT_CONFIRM_SAME : REPORT_CONFIRM_OTHER);
		report_stop(play);
	} else {
		change_report(play, REPORT_CONTINUES);
		change_command(play, same ? COMMAND_STOP_IS_OVER : COMMAND_OTHER_STOP_IS_OVER);
		report_stop(play);
	}
}

static void
guard_turn(struct play *play)
{
	look_at_command(play);
	/* a SIGCONT of the guard's ends the stop, and the supervisor does not count it */
	if (play->report == REPORT_SUPERVISOR_STOPS && !is_stopped(play->command) && play->sleeps) {
		play->sleeps = false;
		put(&play->orders, JOB_NOTHING, play->stop);
	}
	if (play->orders.first < play->orders.end)
		read_order(play);
}

static void
read_signals(struct play *play)
{
	if (play->has_sigcont &&
	    job_control_supervisor(&play->supervisor, SUPERVISOR_GETS_SIGCONT) != JOB_NOTHING)
		put(&play->orders, JOB_FORWARD_CONTINUE, 0);
	play->has_sigcont = false;
}

static void
supervisor_turn(struct play *play)
{
	struct message news;
	enum job_action action;

	if (play->sleeps) {
		play->sleeps = !play->has_sigcont;
		if (!play->sleeps) {
			job_control_supervisor(&play->supervisor, SUPERVISOR_RESUMES);
			put(&play->orders, JOB_NOTHING, play->stop);
		}
		return;
	}
	read_signals(play);
	if (play->reports.first == play->reports.end)
		return;
	news = play->reports.items[play->reports.first++ % 64];
	if (news.kind == JOB_REPORT_STOP)
		play->stop = news.stop;
	action = job_control_supervisor(&play->supervisor, news.kind == JOB_REPORT_STOP
								   ? SUPERVISOR_READS_STOPPED
								   : SUPERVISOR_READS_STAYS);
	if (action != JOB_NOTHING)
		put(&play->orders, (int)action, play->stop);
	/* a stop signal drops a SIGCONT that is pending */
	play->sleeps = action == JOB_STOP;
	play->has_sigcont = play->has_sigcont && !play->sleeps;
}

static void
settle(struct play *play)
{
	for (int i = 0; i < 64; i++) {
		guard_turn(play);
		supervisor_turn(play);
	}
}

static void
check_agreement(const struct play *play)
{
	check_int(play->sleeps, play->stopped);
	check_int(is_stopped(play->command), play->stopped);
	check_int(play->report, play->stopped ? REPORT_SUPERVISOR_STOPS : REPORT_NONE);
}

/* As a shell's ^Z and fg: of both processes, by their process group. */
static void
a_stop_and_a_continue(void)
{
	struct play play = {0};

	signal_command(&play, true);
	guard_turn(&play);
	check_int(play.report, REPORT_SENT);
	supervisor_turn(&play);
	check_int(play.supervisor, SUPERVISOR_CONFIRMS);
	guard_turn(&play);
	check_int(play.report, REPORT_CONFIRMED);
	supervisor_turn(&play);
	check(play.sleeps);
	settle(&play);
	check_agreement(&play);
	signal_supervisor(&play);
	settle(&play);
	check(!play.sleeps && !play.stopped);
	check_agreement(&play);
}

static void
a_continue_between_report_and_confirmation(void)
{
	struct play play = {0};

	signal_command(&play, true);
	guard_turn(&play);
	signal_command(&play, false);
	settle(&play);
	check_int(play.stops, 1);
	check_agreement(&play);
}

static void
a_command_that_runs_has_its_supervisor_continue(void)
{
	struct play play = {0};

	signal_command(&play, true);
	settle(&play);
	check(play.sleeps);
	signal_command(&play, false);
	settle(&play);
	check_agreement(&play);
}

static unsigned
draw(unsigned *seed, unsigned below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 16) % below;
}

static void
random_histories_end_in_agreement(void)
{
	int slept = 0, ran = 0;

	for (unsigned history = 0; history < 50000; history++) {
		struct play play = {0};
		unsigned seed = history;

		for (int step = 0; step < 40; step++)
			switch (draw(&seed, 8)) {
			case 0:
				signal_command(&play, true);
				break;
			case 1:
				signal_command(&play, false);
				break;
			case 2:
				/* to the process group of both */
				signal_command(&play, false);
				signal_supervisor(&play);
				break;
			case 3:
				signal_supervisor(&play);
				break;
			case 4:
			case 5:
				guard_turn(&play);
				break;
			default:
				supervisor_turn(&play);
			}
		settle(&play);
		check_agreement(&play);
		slept += play.sleeps;
		ran += !play.sleeps;
	}
	check(slept > 1000 && ran > 1000);
}

int
main(void)
{
	run(every_event_of_the_command_in_every_state);
	run(every_event_of_a_report_in_every_state);
	run(every_event_of_the_supervisor_in_every_state);
	run(a_stop_and_a_continue);
	run(a_continue_between_report_and_confirmation);
	run(a_command_that_runs_has_its_supervisor_continue);
	run(random_histories_end_in_agreement);
	return tap_end();
}
