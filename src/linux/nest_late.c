// SPDX-License-Identifier: MIT
/*
 * Calls whose questions to a sandbox inside are not answered at once. The threads that serve all
 * others wait for nobody, and names are held for nobody: such a call is begun again from its start,
 * in a thread of its own, until the answers come or are given up. There is a cap for each sandbox
 * and one for all: who has more calls waiting is told to try later.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "linux/nest.h"

#define LATE_MAX 256
#define LATE_EACH 16
#define STACK_SIZE (256 * 1024)
#define PAUSE_US 10000
/* A machine that is busy gets more patience each time, but nobody waits for as long as this. */
#define PATIENCE_MAX_MS 400
#define GIVE_UP_MS 60000

struct late {
	struct broker *broker;
	struct call request;
	struct nest *nest;
};

/* True when there is room for one more. */
static bool
count_in(struct broker *broker, struct nest *nest)
{
	int each = __atomic_add_fetch(&nest->late, 1, __ATOMIC_RELAXED);
	int all = __atomic_add_fetch(&broker->late, 1, __ATOMIC_RELAXED);

	return each <= LATE_EACH && all <= LATE_MAX;
}

static void
count_out(struct broker *broker, struct nest *nest)
{
	__atomic_sub_fetch(&nest->late, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&broker->late, 1, __ATOMIC_RELAXED);
}

static void
try_again(struct late *late)
{
	int64_t start, end = clock_ms() + GIVE_UP_MS;
	int patience = PATIENCE_MS;

	do {
		clock_sleep_us(PAUSE_US);
		start = clock_ms();
		if (!request_is_valid(&late->request) ||
		    broker_answer(late->broker, &late->request, patience) == NULL)
			return;
		if (clock_ms() - start >= patience && patience < PATIENCE_MAX_MS)
			patience *= 2;
	} while (clock_ms() < end);
	request_fail(&late->request, EAGAIN);
}

static void *
late_main(void *argument)
{
	struct late *late = argument;

	/* a umask of one's own, as all that serve */
	if (unshare(CLONE_FS) == 0)
		try_again(late);
	else
		request_fail(&late->request, EAGAIN);
	count_out(late->broker, late->nest);
	free(late);
	return NULL;
}

/* 0, or an errno; then late is still ours. */
static int
start_thread(struct late *late)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int why = pthread_attr_init(&attributes);

	if (why != 0)
		return why;
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	why = pthread_create(&thread, &attributes, late_main, late);
	pthread_attr_destroy(&attributes);
	return why;
}

void
nest_retry(struct broker *broker, const struct call *request, struct nest *nest)
{
	struct late *late = malloc(sizeof *late);
	int why = EAGAIN;

	if (late != NULL)
		*late = (struct late){broker, request_copy(request), nest};
	if (count_in(broker, nest) && late != NULL)
		why = start_thread(late);
	if (why == 0)
		return;
	count_out(broker, nest);
	free(late);
	request_fail(request, why);
}
