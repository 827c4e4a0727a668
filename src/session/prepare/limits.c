// SPDX-License-Identifier: MIT
/*
 * Who keeps which limit: what counts over all processes is the group's, as far as the host can give
 * one; the rest is each process's own, set between fork and exec.
 */
#include "base/os.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "enforce/enforce.h"
#include "session/session.h"

/* A limit over all processes is the group's; accepted as a gap it is each process's own. */
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
	struct group_wish wish = {.id = request->id, .scope = plan == NULL};

	memcpy(own, request->limits, LIMIT_COUNT * sizeof *own);
	wish.memory = take_limit(own, plan, G_LIMITS_MEMORY, LIMIT_MEMORY);
	wish.processes = take_limit(own, plan, G_LIMITS_PROCESSES, LIMIT_PROCESSES);
	if (plan == NULL)
		enforce_probe_tracking(&facts);
	return session_group_select(plan == NULL ? &facts : &plan->facts, &wish, ret_group, err);
}

/* Seconds of cpu time after which a child of ours is sent SIGXCPU, whoever set it; 0: never. */
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
 * Anybody can send SIGXCPU. The kernel counts for it by the tick, and what it tells afterwards is more exact: three
 * quarters are enough.
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
