// SPDX-License-Identifier: MIT
/*
 * The supervisor's part of a stop, with a guard that is played: it stops with its command, but not
 * when it was woken after it had asked. Nothing here waits for a time.
 */
#include "base/os_process.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/channel/channel.h"
#include "session/channel/events.h"
#include "session/supervisor/supervise.h"
#include "tap.h"

struct play {
	pid_t supervisor, guard;
	int line; /* the guard's end */
};

static _Noreturn void
be_supervisor(int line, pid_t guard)
{
	static const struct limit_value none[LIMIT_COUNT];
	struct session_request request = {.grace_ms = -1, .limits = none};
	struct event_source event_source = {.ours = -1, .theirs = -1};
	struct supervision run = {.request = &request,
				  .guard = {guard, line},
				  .event_source = &event_source,
				  .caller = -1};
	struct session_result result;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	run.signals = os_signal_fd(&all);
	_exit(supervise(&run, &result, NULL) == 0 ? result.status : 99);
}

static void
tell(const struct play *play, enum guard_news_kind kind, int status)
{
	struct guard_news news = {.kind = kind, .status = status};

	check(channel_send(play->line, &news, sizeof news));
}

/* The next order, but for signals that are passed on. */
static enum guard_order_kind
hear(const struct play *play)
{
	struct guard_order order = {.kind = ORDER_SIGNAL};

	while (order.kind == ORDER_SIGNAL)
		if (!channel_receive(play->line, &order, sizeof order))
			return ORDER_END;
	return order.kind;
}

/*
 * A guard that is somebody else than us: what we send is not its word. Its command has stopped, and
 * the supervisor has asked whether it still is.
 */
static struct play
begin(void)
{
	struct play play;
	int ends[2];

	check_int(os_line(ends), 0);
	play.guard = fork();
	if (play.guard == 0) {
		os_die_with_parent(SIGKILL);
		for (;;)
			pause();
	}
	play.supervisor = fork();
	if (play.supervisor == 0) {
		os_die_with_parent(SIGKILL);
		/* a group that its caller can continue */
		setpgid(0, 0);
		close(ends[1]);
		be_supervisor(ends[0], play.guard);
	}
	close(ends[0]);
	play.line = ends[1];
	tell(&play, NEWS_STOPPED, 1);
	check_int(hear(&play), ORDER_CONFIRM);
	return play;
}

static void
finish(const struct play *play)
{
	int status = 0;

	tell(play, NEWS_DONE, 7 << 8);
	check_int(waitpid(play->supervisor, &status, WUNTRACED), play->supervisor);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	if (WIFSTOPPED(status))
		kill(play->supervisor, SIGKILL);
	kill(play->guard, SIGKILL);
	waitpid(play->guard, NULL, 0);
	close(play->line);
}

static void
stops_with_the_command_and_reports_it(void)
{
	struct play play = begin();
	int status = 0;

	tell(&play, NEWS_STAYS, SIGSTOP);
	check_int(hear(&play), ORDER_STOPS);
	check_int(waitpid(play.supervisor, &status, WUNTRACED), play.supervisor);
	check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	kill(play.supervisor, SIGCONT);
	check_int(hear(&play), ORDER_CONTINUE);
	finish(&play);
}

static void
continued_after_its_report_it_reports_again(void)
{
	struct play play = begin();

	kill(play.supervisor, SIGCONT);
	tell(&play, NEWS_STAYS, SIGSTOP);
	check_int(hear(&play), ORDER_CONFIRM);
	finish(&play);
}

/* Stopped with it, and no longer in the group that is continued. */
static void
continues_its_guard(void)
{
	struct play play = begin();
	int status = 0;

	kill(play.guard, SIGSTOP);
	check_int(waitpid(play.guard, &status, WUNTRACED), play.guard);
	kill(play.supervisor, SIGCONT);
	check_int(waitpid(play.guard, &status, WCONTINUED), play.guard);
	check(WIFCONTINUED(status));
	finish(&play);
}

int
main(void)
{
	alarm(300);
	run(stops_with_the_command_and_reports_it);
	run(continued_after_its_report_it_reports_again);
	run(continues_its_guard);
	return tap_end();
}
