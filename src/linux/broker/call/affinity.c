// SPDX-License-Identifier: MIT
/*
 * See affinity.h. Only who may be everywhere is kept: a choice of processors that somebody made by hand
 * is left alone, and who may be everywhere gets back just that, whatever becomes of the machine.
 */
#include "linux/broker/affinity.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STAYS 32 /* calls; then we may be woken elsewhere, because the caller may be there by now */
#define BITS (8 * sizeof(unsigned long))
#define SIZE (AFFINITY_WORDS * sizeof(unsigned long))

static bool
read_places(pid_t thread, unsigned long to[AFFINITY_WORDS])
{
	memset(to, 0, SIZE);
	return syscall(SYS_sched_getaffinity, thread, SIZE, to) > 0;
}

static bool
set_places(pid_t thread, const unsigned long places[AFFINITY_WORDS])
{
	return syscall(SYS_sched_setaffinity, thread, SIZE, places) == 0;
}

static bool
set_everywhere(pid_t thread)
{
	unsigned long places[AFFINITY_WORDS];

	memset(places, 0xff, SIZE);
	return set_places(thread, places);
}

static bool
is_at(pid_t thread, const unsigned long places[AFFINITY_WORDS])
{
	unsigned long now[AFFINITY_WORDS];

	return read_places(thread, now) && memcmp(now, places, SIZE) == 0;
}

static int
count(const unsigned long places[AFFINITY_WORDS])
{
	int sum = 0;

	for (int i = 0; i < AFFINITY_WORDS; i++)
		sum += __builtin_popcountl(places[i]);
	return sum;
}

/* Asking for all of them changes nothing where nobody made a choice. */
static bool
find_all(struct affinity *near)
{
	if (!read_places(0, near->all) || count(near->all) < 2 || !set_everywhere(0))
		return false;
	if (is_at(0, near->all))
		return true;
	set_places(0, near->all);
	return false;
}

void
affinity_start(struct affinity *near)
{
	near->is_useful = find_all(near);
}

void
affinity_reset(const struct affinity *near)
{
	if (near->is_useful)
		set_everywhere(0);
}

/* Whoever stayed before does so no longer: nobody would end it. */
static void
set_staying(struct affinity *near)
{
	pid_t before = __atomic_exchange_n(near->staying, near->own, __ATOMIC_SEQ_CST);

	if (before != 0 && before != near->own)
		set_everywhere(before);
}

static bool
is_staying(const struct affinity *near, pid_t caller)
{
	return near->stayed > 0 && near->caller == caller &&
	       __atomic_load_n(near->staying, __ATOMIC_SEQ_CST) == near->own;
}

/* We too are woken by the adding. */
static bool
stay(struct affinity *near, pid_t caller)
{
	unsigned cpu;

	if (is_staying(near, caller))
		return true;
	if (syscall(SYS_getcpu, &cpu, NULL, NULL) < 0 || cpu >= AFFINITY_WORDS * BITS)
		return false;
	memset(near->here, 0, SIZE);
	near->here[cpu / BITS] = 1ul << cpu % BITS;
	near->caller = caller;
	near->stayed = 1;
	set_staying(near);
	return set_places(0, near->here);
}

void
affinity_pin(struct affinity *near, pid_t caller)
{
	if (near == NULL)
		return;
	near->is_kept = near->is_useful && is_at(caller, near->all) && stay(near, caller) &&
			set_places(caller, near->here);
}

void
affinity_unpin(struct affinity *near, pid_t caller)
{
	if (near != NULL && near->is_kept && is_at(caller, near->here))
		set_everywhere(caller);
}

void
affinity_end_call(struct affinity *near, bool is_alone)
{
	pid_t own = near->own;

	if (near->stayed == 0 || (is_alone && ++near->stayed <= STAYS))
		return;
	near->stayed = 0;
	__atomic_compare_exchange_n(near->staying, &own, 0, false, __ATOMIC_SEQ_CST,
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
