// SPDX-License-Identifier: MIT
/*
 * Time limits are enforced by the guard, but a command that is only tracked could stop it with a
 * signal. The supervisor therefore checks it after the due time: it sends SIGCONT to a stopped
 * guard, and kills one that is stopped again and again.
 */
#include "base/os.h"

#include <limits.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "enforce/process_id.h"
#include "session/supervisor/supervise.h"

/* The first check comes LATE_MS after the due time, the others every LOOK_MS. */
#define LATE_MS 1000
#define LOOK_MS 100

/* Commands of a spawner are ended by its own guard, so they have no due time here. */
void
guard_timeout_expect(struct supervision *run, enum session_cause cause, int64_t ms)
{
	int64_t when = clock_ms() + ms + LATE_MS;

	if (run->joins || (run->due > 0 && run->due <= when))
		return;
	run->due = when;
	run->due_cause = cause;
}

void
guard_timeout_wake(const struct supervision *run)
{
	siginfo_t info = {0};

	if (!run->joins && waitid(P_PID, (id_t)run->guard.pid, &info, WSTOPPED | WNOHANG) == 0 &&
	    info.si_pid == run->guard.pid)
		kill(run->guard.pid, SIGCONT);
}

int
guard_timeout_left(const struct supervision *run, int limit_ms)
{
	int64_t limit = limit_ms < 0 ? INT64_MAX : limit_ms, left = run->due - clock_ms();

	if (run->due > 0 && left < limit)
		limit = left < 0 ? 0 : left;
	if (limit == INT64_MAX)
		return -1;
	return limit > INT_MAX ? INT_MAX : (int)limit;
}

/* A guard that is running, not stopped, is given more time. */
void
guard_timeout_press(struct supervision *run)
{
	if (run->due == 0 || clock_ms() < run->due)
		return;
	run->due = clock_ms() + LOOK_MS;
	if (process_id_is_running(run->guard.pid))
		return;
	kill(run->guard.pid, ++run->stuck < LATE_LOOKS ? SIGCONT : SIGKILL);
}
