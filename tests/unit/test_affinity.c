// SPDX-License-Identifier: MIT
/*
 * Keeping a caller on our processor: it gets back what it had, a choice that somebody made stays, and
 * no thread of ours is left somewhere for good. Where there is one processor, or a choice was made
 * before we started, nothing at all may change.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/broker/affinity.h"
#include "tap.h"

static cpu_set_t
places_of(pid_t thread)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	check_int(sched_getaffinity(thread, sizeof set, &set), 0);
	return set;
}

static bool
is_at(pid_t thread, cpu_set_t want)
{
	cpu_set_t set = places_of(thread);

	return CPU_EQUAL(&set, &want);
}

/* One of these. */
static cpu_set_t
first_of(cpu_set_t set)
{
	cpu_set_t one;
	size_t cpu = 0;

	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return one;
}

/* A process that waits for an answer. */
static pid_t
make_caller(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	check(pid > 0);
	return pid;
}

static void
end_caller(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
unpinning_restores_the_callers_mask(void)
{
	cpu_set_t all = places_of(0);
	pid_t staying = 0;
	struct affinity affinity = {.own = gettid(), .staying = &staying};
	pid_t caller = make_caller(), other = make_caller();

	affinity_start(&affinity);
	check(is_at(0, all));
	for (int i = 0; i < 100; i++) {
		affinity_pin(&affinity, caller);
		check(affinity.is_kept == affinity.is_useful);
		if (affinity.is_useful) {
			cpu_set_t at = places_of(caller);

			check_int(CPU_COUNT(&at), 1);
			check(is_at(0, at));
		}
		affinity_unpin(&affinity, caller);
		check(is_at(caller, all));
		affinity_end_call(&affinity, true);
	}
	affinity_pin(&affinity, other);
	affinity_unpin(&affinity, other);
	check(staying == (affinity.is_useful ? gettid() : 0));
	/* with several callers, or with none for a while, we are free as well */
	affinity_end_all(&staying);
	check(is_at(0, all));
	affinity_pin(&affinity, other);
	affinity_unpin(&affinity, other);
	affinity_end_call(&affinity, false);
	check(is_at(0, all));
	end_caller(caller);
	end_caller(other);
}

static void
a_mask_that_the_user_set_is_kept(void)
{
	cpu_set_t all = places_of(0), one = first_of(all);
	pid_t staying = 0;
	struct affinity affinity = {.own = gettid(), .staying = &staying};
	pid_t caller = make_caller();

	affinity_start(&affinity);
	/* one that was made before */
	check_int(sched_setaffinity(caller, sizeof one, &one), 0);
	affinity_pin(&affinity, caller);
	check(!affinity.is_kept || CPU_EQUAL(&all, &one));
	affinity_unpin(&affinity, caller);
	check(is_at(caller, one));
	check_int(sched_setaffinity(caller, sizeof all, &all), 0);
	/* one that is made meanwhile */
	affinity_pin(&affinity, caller);
	check_int(sched_setaffinity(caller, sizeof all, &all), 0);
	affinity_unpin(&affinity, caller);
	check(is_at(caller, all));
	affinity_reset(&affinity);
	/* one that was made for us */
	check_int(sched_setaffinity(0, sizeof one, &one), 0);
	affinity = (struct affinity){.own = gettid(), .staying = &staying};
	affinity_start(&affinity);
	check(!affinity.is_useful);
	affinity_pin(&affinity, caller);
	affinity_unpin(&affinity, caller);
	affinity_reset(&affinity);
	check(is_at(0, one));
	check(is_at(caller, all));
	check_int(sched_setaffinity(0, sizeof all, &all), 0);
	end_caller(caller);
}

static void
a_caller_that_exited_changes_nothing(void)
{
	cpu_set_t all = places_of(0);
	pid_t staying = 0;
	struct affinity affinity = {.own = gettid(), .staying = &staying};
	pid_t caller = make_caller();

	affinity_start(&affinity);
	affinity_pin(&affinity, caller);
	end_caller(caller);
	affinity_unpin(&affinity, caller);
	affinity_pin(&affinity, caller);
	check(!affinity.is_kept);
	affinity_unpin(&affinity, caller);
	affinity_reset(&affinity);
	check(is_at(0, all));
}

static void *
roam(void *argument)
{
	affinity_reset(argument);
	check(is_at(0, places_of(getpid())) == false || !((struct affinity *)argument)->is_useful);
	return NULL;
}

static void
a_new_thread_of_the_broker_is_not_pinned(void)
{
	pid_t staying = 0;
	struct affinity affinity = {.own = gettid(), .staying = &staying};
	pid_t caller = make_caller();
	pthread_t thread;

	affinity_start(&affinity);
	for (int i = 0; i < 3; i++) {
		affinity_pin(&affinity, caller);
		affinity_unpin(&affinity, caller);
	}
	check(affinity.stayed > 0 || !affinity.is_useful);
	check_int(pthread_create(&thread, NULL, roam, &affinity), 0);
	check_int(pthread_join(thread, NULL), 0);
	affinity_reset(&affinity);
	end_caller(caller);
}

int
main(void)
{
	run(unpinning_restores_the_callers_mask);
	run(a_mask_that_the_user_set_is_kept);
	run(a_caller_that_exited_changes_nothing);
	run(a_new_thread_of_the_broker_is_not_pinned);
	return tap_end();
}
