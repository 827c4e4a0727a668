// SPDX-License-Identifier: MIT
/*
 * Calls whose queries a nest does not answer at once. The receiving threads do not wait and names are not
 * locked for such a call: it starts again in another thread until all answers are there or it gives up. The
 * number of threads is limited per nest and in all; further calls are queued.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "linux/broker/nest.h"
#include "linux/process/thread.h"

/* Each uses some fds while it waits. */
#define LATE_MAX 64
#define LATE_EACH 8
#define STACK_SIZE (256 * 1024)
#define PAUSE_US 10000
/* The limit for an answer grows on a busy machine, up to this. */
#define PATIENCE_MAX_MS 400
#define GIVE_UP_MS 60000

struct late {
	struct late *next;
	struct notif_call request;
	int64_t end;
};

/* Argument of a thread. */
struct post {
	struct broker *broker;
	struct nest *nest;
};

/* ---- the queue ---- */

static void
append(struct nest *nest, struct late *late)
{
	struct late **end = &nest->waiting;

	while (*end != NULL)
		end = &(*end)->next;
	*end = late;
}

/* Is another thread allowed? Counts it. Requires the lock of the queue. */
static bool
count_in(struct broker *broker, struct nest *nest)
{
	if (nest->late == LATE_EACH)
		return false;
	if (__atomic_add_fetch(&broker->late, 1, __ATOMIC_RELAXED) > LATE_MAX) {
		__atomic_sub_fetch(&broker->late, 1, __ATOMIC_RELAXED);
		return false;
	}
	nest->late++;
	return true;
}

/* The next queued call; NULL: none, and the thread is no longer counted. */
static struct late *
take_first(struct broker *broker, struct nest *nest)
{
	struct late *late;

	pthread_mutex_lock(&nest->queue);
	late = nest->waiting;
	if (late != NULL) {
		nest->waiting = late->next;
	} else {
		nest->late--;
		__atomic_sub_fetch(&broker->late, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&nest->queue);
	return late;
}

/* ---- retry ---- */

static void
try_again(struct broker *broker, struct late *late)
{
	int timeout_ms = PATIENCE_MS;
	struct nest *again;
	int64_t start;

	do {
		clock_sleep_us(PAUSE_US);
		start = clock_ms();
		again = notif_is_valid(&late->request) ? broker_answer(&late->request, timeout_ms)
						       : NULL;
		if (again == NULL)
			return;
		nest_drop(broker, again);
		if (clock_ms() - start >= timeout_ms && timeout_ms < PATIENCE_MAX_MS)
			timeout_ms *= 2;
	} while (clock_ms() < late->end);
	notif_fail(&late->request, EAGAIN);
}

static void *
late_main(void *argument)
{
	struct post post = *(struct post *)argument;
	/* its own umask, as every serving thread */
	bool is_fit = !post.broker->has_own_fs || unshare(CLONE_FS) == 0;
	struct late *late;

	free(argument);
	while ((late = take_first(post.broker, post.nest)) != NULL) {
		if (is_fit)
			try_again(post.broker, late);
		else
			notif_fail(&late->request, EAGAIN);
		free(late);
	}
	return NULL;
}

/* Returns 0 or an errno. */
static int
start_thread(struct broker *broker, struct nest *nest)
{
	struct post *post = malloc(sizeof *post);
	int why = EAGAIN;

	if (post != NULL) {
		*post = (struct post){broker, nest};
		why = thread_start(STACK_SIZE, late_main, post);
	}
	if (why != 0)
		free(post);
	return why;
}

/* Fails all queued calls, because no thread can be started. */
static void
send_away(struct broker *broker, struct nest *nest)
{
	struct late *late;

	while ((late = take_first(broker, nest)) != NULL) {
		notif_fail(&late->request, EAGAIN);
		free(late);
	}
}

void
nest_retry(const struct notif_call *request, struct nest *nest)
{
	struct broker *broker = request->broker;
	struct late *late = malloc(sizeof *late);
	bool starts, served;

	if (late == NULL) {
		notif_fail(request, EAGAIN);
		return;
	}
	*late = (struct late){NULL, notif_copy(request), clock_ms() + GIVE_UP_MS};
	pthread_mutex_lock(&nest->queue);
	starts = count_in(broker, nest);
	served = nest->late > 0;
	if (served)
		append(nest, late);
	pthread_mutex_unlock(&nest->queue);
	if (!served) {
		notif_fail(request, EAGAIN);
		free(late);
	} else if (starts && start_thread(broker, nest) != 0) {
		send_away(broker, nest);
	}
}
