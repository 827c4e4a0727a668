// SPDX-License-Identifier: MIT
/*
 * See affinity.h. Only a caller whose mask is "all CPUs" is pinned; a mask that the user set is never
 * touched. Unpinning sets all bits, so CPU hotplug does not matter.
 */
#include "linux/broker/affinity.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STAYS 32 /* calls; then the thread unpins for once, because the caller may have moved */
#define BITS (8 * sizeof(unsigned long))
#define SIZE (AFFINITY_WORDS * sizeof(unsigned long))

static bool
read_places(pid_t thread, unsigned long to[AFFINITY_WORDS])
{
	memset(to, 0, SIZE);
	return syscall(SYS_sched_getaffinity, thread, SIZE, to) > 0;
}

static bool
set_cpus(pid_t thread, const unsigned long cpus[AFFINITY_WORDS])
{
	return syscall(SYS_sched_setaffinity, thread, SIZE, cpus) == 0;
}

static bool
set_everywhere(pid_t thread)
{
	unsigned long cpus[AFFINITY_WORDS];

	memset(cpus, 0xff, SIZE);
	return set_cpus(thread, cpus);
}

static bool
is_at(pid_t thread, const unsigned long cpus[AFFINITY_WORDS])
{
	unsigned long now[AFFINITY_WORDS];

	return read_places(thread, now) && memcmp(now, cpus, SIZE) == 0;
}

static int
count(const unsigned long cpus[AFFINITY_WORDS])
{
	int sum = 0;

	for (int i = 0; i < AFFINITY_WORDS; i++)
		sum += __builtin_popcountl(cpus[i]);
	return sum;
}

/* With a mask of all CPUs no mask was set by hand. */
static bool
find_all(struct affinity *affinity)
{
	if (!read_places(0, affinity->all) || count(affinity->all) < 2 || !set_everywhere(0))
		return false;
	if (is_at(0, affinity->all))
		return true;
	set_cpus(0, affinity->all);
	return false;
}

void
affinity_start(struct affinity *affinity)
{
	affinity->is_useful = find_all(affinity);
}

void
affinity_reset(const struct affinity *affinity)
{
	if (affinity->is_useful)
		set_everywhere(0);
}

/* Unpins the thread that was pinned before, which would not do so itself. */
static void
set_staying(struct affinity *affinity)
{
	pid_t before = __atomic_exchange_n(affinity->staying, affinity->own, __ATOMIC_SEQ_CST);

	if (before != 0 && before != affinity->own)
		set_everywhere(before);
}

static bool
is_staying(const struct affinity *affinity, pid_t caller)
{
	return affinity->stayed > 0 && affinity->caller == caller &&
	       __atomic_load_n(affinity->staying, __ATOMIC_SEQ_CST) == affinity->own;
}

/* ADDFD wakes this thread, too. */
static bool
stay(struct affinity *affinity, pid_t caller)
{
	unsigned cpu;

	if (is_staying(affinity, caller))
		return true;
	if (syscall(SYS_getcpu, &cpu, NULL, NULL) < 0 || cpu >= AFFINITY_WORDS * BITS)
		return false;
	memset(affinity->here, 0, SIZE);
	affinity->here[cpu / BITS] = 1ul << cpu % BITS;
	affinity->caller = caller;
	affinity->stayed = 1;
	set_staying(affinity);
	return set_cpus(0, affinity->here);
}

void
affinity_pin(struct affinity *affinity, pid_t caller)
{
	if (affinity == NULL)
		return;
	affinity->is_kept = affinity->is_useful && is_at(caller, affinity->all) &&
			    stay(affinity, caller) && set_cpus(caller, affinity->here);
}

void
affinity_unpin(struct affinity *affinity, pid_t caller)
{
	if (affinity != NULL && affinity->is_kept && is_at(caller, affinity->here))
		set_everywhere(caller);
}

void
affinity_end_call(struct affinity *affinity, bool is_unregistered)
{
	pid_t own = affinity->own;

	if (affinity->stayed == 0 || (is_unregistered && ++affinity->stayed <= STAYS))
		return;
	affinity->stayed = 0;
	__atomic_compare_exchange_n(affinity->staying, &own, 0, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	set_everywhere(0);
}

void
affinity_end_all(pid_t *staying)
{
	pid_t one = __atomic_exchange_n(staying, 0, __ATOMIC_SEQ_CST);

	if (one != 0)
		set_everywhere(one);
}
