// SPDX-License-Identifier: MIT
/*
 * The supervisor's loop. Signals are blocked and read from a descriptor, so that one thing is
 * handled at a time. It stops when the command stops and goes on when the caller says so; to the
 * caller it behaves like the command itself. The guard does the ending; should it be killed, its
 * orphans have come to us.
 */
#include "base/compat.h"

#include "session/supervise.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/line.h"

/* What a command gets to end by itself after SIGTERM or SIGHUP, where nothing else was said. */
#define GRACE_MS 5000

/* What is waited for, in the order of fill_poll. */
enum { AT_SIGNALS, AT_LINE, AT_CALLER, AT_INPUT, AT_TERMINAL, AT_OUTPUT, AT_COUNT = AT_OUTPUT + 2 };

static void
order_signal(const struct supervision *run, int signal)
{
	/* in the caller's own group a terminal would have told all */
	struct order order = {ORDER_SIGNAL, signal, 0, run->joins};

	line_send(run->guard.line, &order, sizeof order);
}

static void
order_end(const struct supervision *run, enum session_cause cause, int64_t ms)
{
	struct order order = {ORDER_END, (int)cause, ms, false};

	line_send(run->guard.line, &order, sizeof order);
}

/* ---- signals ---- */

/* It was asked to go: it has a while to do so, then everything ends. */
static void
expect_end(const struct supervision *run)
{
	int64_t grace = run->request->grace_ms;

	order_end(run, SESSION_SIGNALLED, grace < 0 ? GRACE_MS : grace + 1);
}

/* The terminal tells the whole group, the command included; a process tells only us. */
static void
forward(struct supervision *run, const struct compat_signal *got)
{
	if (got->number == SIGCHLD)
		return;
	if (got->number == SIGWINCH && run->relay != NULL) {
		relay_resize(run->relay);
		return;
	}
	if (got->from_process || run->relay != NULL || run->joins || got->number == SIGCONT)
		order_signal(run, got->number);
	if (!got->from_process && run->relay == NULL)
		run->terminal_signal[got->number] = true;
	if (got->number == SIGTERM || got->number == SIGHUP)
		expect_end(run);
}

static void
read_signals(struct supervision *run)
{
	struct compat_signal got;

	while (compat_signal_read(run->signals, &got))
		forward(run, &got);
}

/* Nobody is left who could want the result: as if the terminal had hung up. */
static void
caller_died(struct supervision *run)
{
	close(run->caller);
	run->caller = -1;
	order_signal(run, SIGHUP);
	expect_end(run);
}

/* The command stopped: so do we, by the same signal, until the caller lets us go on. */
static void
stop_with(struct supervision *run, int signal)
{
	sigset_t set, mask;

	if (run->relay != NULL)
		relay_suspend(run->relay);
	sigemptyset(&set);
	sigaddset(&set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (run->relay != NULL)
		relay_resume(run->relay);
	order_signal(run, SIGCONT);
}

/* ---- the end ---- */

static void
drain(struct supervision *run)
{
	for (int i = 0; run->output != NULL && i < 2; i++) {
		struct pollfd fd = {.fd = run->output->ours[i], .events = POLLIN};

		while (run->output->ours[i] >= 0 && poll(&fd, 1, 0) > 0)
			output_pump(run->output, i);
	}
	if (run->relay != NULL) {
		struct pollfd fd = {.fd = run->relay->master, .events = POLLIN};

		while (poll(&fd, 1, 0) > 0 && (fd.revents & POLLIN))
			if (!relay_pump(run->relay, false, true))
				break;
	}
}

static void
fill_result(struct supervision *run, const struct news *news, struct session_result *to)
{
	int status = news->status;

	to->cause = news->cause;
	if (news->cause == SESSION_EXITED || news->cause == SESSION_SIGNALLED)
		to->cause = WIFSIGNALED(status) ? SESSION_SIGNALLED : SESSION_EXITED;
	/* the command may have died of it before the guard was told why */
	if (run->output != NULL && run->output->exhausted && to->cause != SESSION_TIME)
		to->cause = SESSION_OUTPUT;
	to->is_signal = WIFSIGNALED(status);
	to->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	to->by_terminal = WIFSIGNALED(status) && run->terminal_signal[to->status];
	to->left = news->kind == NEWS_LEFT;
	to->hit_processes = news->hit_processes;
	to->end = news->end;
	to->ms = clock_ms() - run->started;
}

static void
wait_for_guard(const struct supervision *run)
{
	while (!run->joins && waitpid(run->guard.pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/*
 * The guard was killed. What it held is below us now, and ends here. The end of a porter is that
 * of its session, which has a guard of its own.
 */
static void
replace_guard(struct supervision *run, struct news *ret_news)
{
	*ret_news = (struct news){.kind = NEWS_DONE, .cause = SESSION_KILLED, .status = SIGKILL};
	if (run->joins)
		return;
	run->is_guard_lost = true;
	/* what our children from before left to us meanwhile is older */
	tree_spare_older(&run->spare, run->guard.pid);
	wait_for_guard(run);
	group_kill(&run->group, SESSION_DEADLINE_MS);
	tree_kill(&run->spare, SESSION_DEADLINE_MS, &ret_news->end);
}

/* True when it is over, and *ret_news says how. */
static bool
read_news(struct supervision *run, struct news *ret_news)
{
	if (!line_receive(run->guard.line, ret_news, sizeof *ret_news)) {
		replace_guard(run, ret_news);
		return true;
	}
	if (ret_news->kind == NEWS_STOPPED) {
		stop_with(run, ret_news->status);
		return false;
	}
	if (ret_news->kind != NEWS_LEFT)
		wait_for_guard(run);
	return true;
}

/* ---- the loop ---- */

static void
pump(struct supervision *run, const struct pollfd *fds)
{
	bool input = fds[AT_INPUT].revents != 0, terminal = fds[AT_TERMINAL].revents != 0;

	if ((input || terminal) && !relay_pump(run->relay, input, terminal))
		run->relay->is_done = true;
	for (int i = 0; i < 2; i++) {
		if (fds[AT_OUTPUT + i].revents == 0)
			continue;
		output_pump(run->output, i);
		if (run->output->exhausted)
			order_end(run, SESSION_OUTPUT, 0);
	}
}

static void
fill_poll(const struct supervision *run, struct pollfd fds[AT_COUNT])
{
	const struct relay *relay = run->relay;
	const struct output *output = run->output;
	bool pumps = relay != NULL && !relay->is_done;
	const int numbers[AT_COUNT] = {
		run->signals,
		run->guard.line,
		run->caller,
		pumps && !relay->input_done ? 0 : -1,
		pumps ? relay->master : -1,
		output != NULL ? output->ours[0] : -1,
		output != NULL ? output->ours[1] : -1,
	};

	for (int i = 0; i < AT_COUNT; i++)
		fds[i] = (struct pollfd){.fd = numbers[i], .events = POLLIN};
}

/* True when it is over. */
static bool
wait_for_something(struct supervision *run, struct news *ret_news)
{
	struct pollfd fds[AT_COUNT];

	fill_poll(run, fds);
	/* without it no signal is forwarded; the end is still told by the line alone */
	if (poll(fds, AT_COUNT, -1) < 0)
		return errno != EINTR && errno != EAGAIN && read_news(run, ret_news);
	if (fds[AT_SIGNALS].revents)
		read_signals(run);
	if (fds[AT_CALLER].revents)
		caller_died(run);
	pump(run, fds);
	return fds[AT_LINE].revents && read_news(run, ret_news);
}

int
supervise(struct supervision *run, struct session_result *ret_result, struct cordon_error *err)
{
	struct news news;

	if (run->relay != NULL)
		relay_resume(run->relay);
	if (run->joins && run->request->limits[LIMIT_TIME].value != 0)
		order_end(run, SESSION_TIME,
			  (int64_t)run->request->limits[LIMIT_TIME].value * 1000);
	while (!wait_for_something(run, &news))
		;
	drain(run);
	close(run->guard.line);
	if (news.kind != NEWS_FAILED) {
		fill_result(run, &news, ret_result);
		return 0;
	}
	if (err != NULL)
		*err = news.why;
	return -news.why.code;
}
