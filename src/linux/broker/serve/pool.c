// SPDX-License-Identifier: MIT
/*
 * The broker's threads. The kernel wakes all threads blocked in NOTIF_RECV, so one waits there, or two
 * while callers alternate. The others are spare: one is woken when no thread is receiving and another
 * caller may come, and one watches, while there are calls, whether the working thread is blocked. So no
 * call waits long behind another one. A call that is not received is ended by a signal: while callers
 * alternate, all calls that wait are received before one is answered. A single caller is answered on
 * its own CPU; with many concurrent callers this would bring all of them to one CPU, so they are not
 * pinned.
 */
#include "linux/broker/pool.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/broker/broker.h"
#include "linux/broker/nest.h"
#include "linux/process/thread.h"

#define STACK_SIZE (256 * 1024)
#define CROWD 32 /* consecutive calls of one caller after which it counts as alone */
#define LOOK_NS 4000000
#define BUSY 32 /* concurrent calls, about, from which on callers are not pinned */
#define IOCTL_SET_FLAGS _IOW('!', 4, uint64_t)
#define SYNC_WAKE_UP 1ul

#define look(field) __atomic_load_n(field, __ATOMIC_SEQ_CST)
#define set(field, value) __atomic_store_n(field, value, __ATOMIC_SEQ_CST)
#define add(field, value) __atomic_add_fetch(field, value, __ATOMIC_SEQ_CST)

/* ---- spare threads ---- */

static void *thread_main(void *argument);

static void
start_thread(struct broker *broker)
{
	/* fewer threads are slower, not wrong */
	if (add(&broker->serving.threads, 1) > broker->serving.threads_max) {
		add(&broker->serving.threads, -1);
		return;
	}
	/* counts as a spare thread until it runs */
	add(&broker->serving.idle, 1);
	if (thread_start(STACK_SIZE, thread_main, broker) != 0) {
		add(&broker->serving.idle, -1);
		add(&broker->serving.threads, -1);
	}
}

static void
pool_wake_one(struct broker *broker)
{
	struct pool *s = &broker->serving;

	if (look(&s->idle) > 0) {
		add(&s->calls, 1);
		syscall(SYS_futex, &s->calls, FUTEX_WAKE_PRIVATE, 1, NULL);
	} else if (look(&s->threads) < s->threads_max) {
		start_thread(broker);
	}
}

/* Returns true if it was woken or may have been; before is the count that it saw. */
static bool
is_called(struct pool *s, int before, const struct timespec *limit)
{
	return syscall(SYS_futex, &s->calls, FUTEX_WAIT_PRIVATE, before, limit) == 0 ||
	       errno != ETIMEDOUT;
}

/*
 * Watches until it is woken, the working thread is blocked, or there are no calls. *ret_received: calls
 * received when nothing was blocked.
 */
static bool
watch(struct pool *s, int calls, unsigned *ret_received)
{
	const struct timespec limit = {0, LOOK_NS};

	do {
		*ret_received = look(&s->received);
		if (is_called(s, calls, &limit))
			return true;
	} while (*ret_received != look(&s->received));
	return look(&s->receiving) == 0;
}

/* One spare thread watches. If none does, the next call wakes one. */
static void
wait_until_needed(struct pool *s, int calls)
{
	bool is_needed = false;
	unsigned received;

	while (!is_needed && !__atomic_exchange_n(&s->is_watched, true, __ATOMIC_SEQ_CST)) {
		is_needed = watch(s, calls, &received);
		set(&s->is_watched, false);
		/* unpin: no thread should wait on a CPU that another program may use */
		affinity_end_all(&s->staying);
		/* a call that came meanwhile has woken no thread */
		if (received == look(&s->received))
			break;
	}
	if (!is_needed)
		is_called(s, calls, NULL);
}

/* ---- receiving ---- */

static int
wanted(const struct broker *broker)
{
	/* a query to a nest may take long */
	return look(&broker->serving.contended) > 0 || nest_is_any(broker) ? 2 : 1;
}

static bool
take_post(struct broker *broker)
{
	if (add(&broker->serving.receiving, 1) <= wanted(broker))
		return true;
	add(&broker->serving.receiving, -1);
	return false;
}

static void
pool_wait(struct broker *broker, struct affinity *affinity)
{
	struct pool *s = &broker->serving;

	while (!take_post(broker)) {
		int calls = look(&s->calls);
		bool is_free;

		add(&s->idle, 1);
		/* a thread that stopped receiving before it saw this one has not woken it */
		is_free = look(&s->receiving) == 0;
		if (!is_free) {
			affinity_end_call(affinity, false);
			wait_until_needed(s, calls);
		}
		add(&s->idle, -1);
		if (!is_free) {
			add(&s->receiving, 1);
			return;
		}
	}
}

/* Called by a receiving thread when it has a call. */
static void
pool_received(struct broker *broker, pid_t caller)
{
	struct pool *s = &broker->serving;
	int contended = look(&s->contended), left = add(&s->receiving, -1);

	add(&s->received, 1);
	if (__atomic_exchange_n(&s->last, caller, __ATOMIC_SEQ_CST) != caller)
		set(&s->contended, CROWD);
	else if (contended > 0)
		set(&s->contended, contended - 1);
	if (left == 0 && (wanted(broker) > 1 || !look(&s->is_watched)))
		pool_wake_one(broker);
}

/* ---- pinning ---- */

/* Without the flag (6.6) the kernel wakes callers on other CPUs. */
static void
set_apart(struct broker *broker, bool spread)
{
	set(&broker->serving.spread, spread);
	ioctl(broker->listener, IOCTL_SET_FLAGS, spread ? 0 : SYNC_WAKE_UP);
}

/* at_work: calls being answered. Two threads may count at once: it need not be exact. */
static void
pool_measure(struct broker *broker, int at_work)
{
	struct pool *s = &broker->serving;
	int busy = look(&s->busy);
	bool spread = look(&s->spread);

	if (at_work > 1)
		busy += busy < BUSY ? 2 : 0;
	else if (busy > 0)
		busy--;
	set(&s->busy, busy);
	if (spread ? busy == 0 : busy >= BUSY)
		set_apart(broker, !spread);
}

/* ---- calls ---- */

/* Have all callers exited? Then NOTIF_RECV would return at once, again and again. */
static bool
is_over(const struct broker *broker)
{
	struct pollfd listener = {.fd = broker->listener, .events = POLLIN};

	return poll(&listener, 1, 0) == 1 && (listener.revents & ~POLLIN) != 0;
}

static bool
receive_one(const struct broker *broker, struct seccomp_notif *to)
{
	memset(to, 0, sizeof *to);
	return ioctl(broker->listener, SECCOMP_IOCTL_NOTIF_RECV, to) == 0;
}

/* Returns false if there will be no further call. */
static bool
receive(const struct broker *broker, struct seccomp_notif *to)
{
	for (int tries = 0;; tries++) {
		if (receive_one(broker, to))
			return true;
		if (errno == EINTR)
			continue;
		/* ENOENT: the caller died before it was received */
		if (errno != ENOENT && tries >= NOTIF_TRIES)
			_exit(1);
		if (is_over(broker))
			return false;
	}
}

/* Does a call wait? With the door closed to other threads, receiving it does not block. */
static bool
is_pending(const struct broker *broker)
{
	struct pollfd listener = {.fd = broker->listener, .events = POLLIN};

	return poll(&listener, 1, 0) == 1 && (listener.revents & POLLIN) != 0;
}

/* Receives what waits, because a signal ends a call that is not received. Requires the door. */
static void
receive_early(struct broker *broker)
{
	struct pool *s = &broker->serving;

	while (s->early_count < EARLY_MAX && is_pending(broker)) {
		struct seccomp_notif *to = &s->early[(s->early_first + s->early_count) % EARLY_MAX];

		if (!receive_one(broker, to))
			break;
		s->early_count++;
		set(&s->contended, CROWD);
	}
}

/* Requires the door. */
static bool
take_early(struct pool *s, struct seccomp_notif *to)
{
	if (s->early_count == 0)
		return false;
	*to = s->early[s->early_first];
	s->early_first = (s->early_first + 1) % EARLY_MAX;
	s->early_count--;
	return true;
}

/*
 * One thread at a time is at the door: calls received early do not change while it waits for another. False:
 * there will be no further call.
 */
static bool
take_call(struct broker *broker, struct notif_call *request)
{
	struct pool *s = &broker->serving;
	bool is_taken;

	pthread_mutex_lock(&s->door);
	is_taken = take_early(s, &request->notif) || receive(broker, &request->notif);
	if (is_taken && s->is_early && look(&s->contended) > 0)
		receive_early(broker);
	pthread_mutex_unlock(&s->door);
	request->thread = (pid_t)request->notif.pid;
	return is_taken;
}

/* One caller for some time, and another thread watches for its end. */
static bool
is_unregistered(const struct pool *s)
{
	return look(&s->contended) == 0 && look(&s->is_watched) && !look(&s->spread);
}

static struct nest *
answer(struct broker *broker, struct notif_call *request, struct affinity *affinity)
{
	struct pool *s = &broker->serving;
	struct nest *late;

	pool_measure(broker, add(&s->at_work, 1));
	request->affinity = look(&s->spread) ? NULL : affinity;
	late = broker_answer(request, PATIENCE_MS);
	add(&s->at_work, -1);
	return late;
}

static _Noreturn void
serve(struct broker *broker)
{
	struct caller_fds fd_cache[CALLER_FDS] = {{0}};
	struct affinity affinity = broker->serving.affinity;
	struct notif_call request = {.broker = broker,
				     .listener = broker->listener,
				     .deep = &broker->deep,
				     .fd_cache = broker->low_fds ? NULL : fd_cache};
	struct nest *late;

	affinity.own = (pid_t)syscall(SYS_gettid);
	affinity.staying = &broker->serving.staying;
	for (;;) {
		pool_wait(broker, &affinity);
		if (!take_call(broker, &request))
			for (;;)
				pause();
		pool_received(broker, request.thread);
		late = answer(broker, &request, &affinity);
		if (late != NULL) {
			nest_retry(&request, late);
			nest_drop(broker, late);
		}
		affinity_end_call(&affinity, is_unregistered(&broker->serving));
		autorun_note_compact(broker);
		/* no directory stays open longer than its call; either will do */
		if (broker->has_own_fs)
			(void)(fchdir(broker->own) < 0 && chdir("/") < 0);
	}
}

static void *
thread_main(void *argument)
{
	struct broker *broker = argument;
	/* both are set for single calls */
	bool is_fit = !broker->has_own_fs || unshare(CLONE_FS) == 0;

	affinity_reset(&broker->serving.affinity);
	add(&broker->serving.idle, -1);
	if (is_fit)
		serve(broker);
	return NULL;
}

_Noreturn void
pool_start(struct broker *broker, int threads_max)
{
	broker->serving = (struct pool){.threads = 1, .threads_max = threads_max};
	pthread_mutex_init(&broker->serving.door, NULL);
	set_apart(broker, false);
	/* otherwise a signal could end the caller's call while it is pinned */
	broker->serving.is_early = broker->plan->facts.values[FACT_NOTIFY_WAIT_KILLABLE];
	if (broker->serving.is_early)
		affinity_start(&broker->serving.affinity);
	serve(broker);
}
