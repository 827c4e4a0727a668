// SPDX-License-Identifier: MIT
/*
 * Assigns limits. Those over all processes are set on the session group if the host has a cgroup
 * for it; the others are rlimits of each process, set between fork and exec.
 */
#include "base/os.h"

#include <string.h>
#include <sys/resource.h>

#include "enforce/enforce.h"
#include "session/session.h"

/* Moves a limit to the session group. Accepted as a gap, it stays with each process. */
static uint64_t
take_limit(struct limit_value *limits, const struct plan *plan, enum guarantee guarantee,
	   enum limit limit)
{
	uint64_t value = limits[limit].value;

	if (value == 0 || plan == NULL || plan->guarantees[guarantee].status != GUARANTEE_ENFORCED)
		return 0;
	limits[limit].value = 0;
	return value;
}

int
limits_share(const struct session_request *request, struct limit_value own[LIMIT_COUNT],
	     struct session_group *ret_group, struct cordon_error *err)
{
	const struct plan *plan = request->plan;
	struct facts facts = {0};
	struct group_wish wish = {.id = request->id,
				  .scope = plan == NULL,
				  .given = request->ids.cgroup};

	memcpy(own, request->limits, LIMIT_COUNT * sizeof *own);
	wish.memory = take_limit(own, plan, G_LIMITS_MEMORY, LIMIT_MEMORY);
	wish.processes = take_limit(own, plan, G_LIMITS_PROCESSES, LIMIT_PROCESSES);
	if (plan == NULL)
		enforce_probe_tracking(&facts);
	return session_group_select(plan == NULL ? &facts : &plan->facts, &wish, ret_group, err);
}

/* Seconds of CPU time after which the kernel sends SIGXCPU: the lower of both limits; 0: never. */
static uint64_t
cpu_limit(uint64_t own)
{
	struct rlimit given;

	if (getrlimit(RLIMIT_CPU, &given) < 0 || given.rlim_cur == RLIM_INFINITY)
		return own;
	return own == 0 || given.rlim_cur < own ? (uint64_t)given.rlim_cur : own;
}

static uint64_t
milliseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000 + (uint64_t)time->tv_usec / 1000;
}

/*
 * Any process can send SIGXCPU, so the CPU time used is compared. The kernel counts the limit in
 * ticks and rusage is more exact: three quarters of the limit are enough.
 */
static bool
is_time_up(const struct rusage *used, uint64_t limit)
{
	return limit != 0 &&
	       (milliseconds(&used->ru_utime) + milliseconds(&used->ru_stime)) / 750 >= limit;
}

enum session_cause
limits_cause(int status, const struct rusage *used, uint64_t cpu_time)
{
	if (!WIFSIGNALED(status))
		return SESSION_EXITED;
	return WTERMSIG(status) == SIGXCPU && is_time_up(used, cpu_limit(cpu_time))
		       ? SESSION_CPU_TIME
		       : SESSION_SIGNALLED;
}
