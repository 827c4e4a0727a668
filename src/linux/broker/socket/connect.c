// SPDX-License-Identifier: MIT
/*
 * Connects the caller's own socket without blocking the broker. A blocking socket is set to O_NONBLOCK for
 * one call, and the pending connect is watched until it is done, times out, the caller has died, or a
 * signal that it catches is pending. A signal is answered as by the kernel: EINTR or restart.
 */
#include "linux/broker/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "linux/broker/socket/loopback_connect.h"
#include "linux/process/thread.h"

#define CONNECTING_MAX 512
#define STACK_SIZE (128 * 1024)
#define LOOK_MS 25 /* how long a signal may go unnoticed */
/* How long a non-blocking caller waits for the far side of a proxied connect. */
#define FAR_MS 250
#define LATE_MS 120000
#define LOOPBACK_MS 2000 /* likewise for room in the queue of an own server */

/* Waits until it is known whether the connect succeeds, after the caller has been answered. */
static void *
settle_main(void *argument)
{
	struct connect_call *c = argument;
	struct pollfd waits = {.fd = c->fd, .events = POLLOUT};

	while (poll(&waits, 1, -1) < 0 && errno == EINTR)
		;
	socket_copies_settle(c->request.broker, c->fd, SOCKET_ARRIVED);
	close(c->fd);
	connect_end_thread(c->request.broker);
	free(c);
	return NULL;
}

/* Takes the fd. Without a thread the socket counts as connected: closing it must not be delayed. */
static void
settle_later(struct connect_call *c)
{
	struct connect_call *copy = malloc(sizeof *copy);
	bool is_begun = copy != NULL && connect_begin_thread(c->request.broker);

	if (is_begun) {
		*copy = *c;
		copy->request = notif_copy(&c->request);
		c->fd = -1;
		if (thread_start(STACK_SIZE, settle_main, copy) == 0)
			return;
		c->fd = copy->fd;
		connect_end_thread(c->request.broker);
	}
	free(copy);
	socket_copies_drop(c->request.broker, c->fd, SOCKET_CONNECTED);
}

void
connect_finish(struct connect_call *c, int why)
{
	bool continues = why == EINPROGRESS || why == EALREADY;

	if (socket_copies_are_kept(c->request.broker) &&
	    !socket_copies_settle(c->request.broker, c->fd,
				  continues ? SOCKET_ARRIVED : SOCKET_CONNECTED) &&
	    continues)
		settle_later(c);
	if (c->fd >= 0)
		close(c->fd);
	if (c->pin >= 0)
		close(c->pin);
	c->fd = c->pin = -1;
	if (why == 0)
		notif_return(&c->request, 0);
	else
		notif_fail(&c->request, why);
}

/* ---- one attempt ---- */

static bool
is_waiting(const struct connect_call *c)
{
	int flags = fcntl(c->fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* Never blocks. Returns 0 or an errno; EINPROGRESS, EALREADY, EAGAIN: not done. */
static int
try_once(const struct connect_call *c)
{
	int flags = fcntl(c->fd, F_GETFL), why = 0;
	bool waits = flags >= 0 && !(flags & O_NONBLOCK);

	if (c->to_own_server)
		return loopback_connect(c, waits);
	if (waits)
		fcntl(c->fd, F_SETFL, flags | O_NONBLOCK);
	if (connect(c->fd, &c->address.any, c->size) < 0)
		why = errno;
	/* keep flags that the caller changed meanwhile */
	if (waits && fcntl(c->fd, F_GETFL) == (flags | O_NONBLOCK))
		fcntl(c->fd, F_SETFL, flags);
	return why;
}

/* Otherwise only a unix socket returns EAGAIN, for a server with a full queue. */
static bool
is_under_way(const struct connect_call *c, int why)
{
	if (c->to_own_server)
		return why == EAGAIN;
	return why == EINPROGRESS || why == EALREADY ||
	       (why == EAGAIN && c->address.any.sa_family == AF_UNIX);
}

/* Has the state changed? There is no event for room in a unix server's queue. */
static bool
is_ready(const struct connect_call *c, int why, int milliseconds)
{
	struct pollfd waits = {.fd = c->fd, .events = POLLOUT};
	struct timespec moment = {0, milliseconds * 1000000L};

	if (why != EAGAIN)
		return poll(&waits, 1, milliseconds) > 0;
	nanosleep(&moment, NULL);
	return milliseconds > 0;
}

/* ---- blocking calls ---- */

int64_t
connect_deadline(int fd)
{
	struct timeval limit = {0};
	socklen_t size = sizeof limit;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &size) < 0 ||
	    (limit.tv_sec == 0 && limit.tv_usec == 0))
		return 0;
	return clock_ms() + (int64_t)limit.tv_sec * 1000 + limit.tv_usec / 1000;
}

static void
watch(struct connect_call *c, int why)
{
	int64_t deadline = is_waiting(c) ? connect_deadline(c->fd) : clock_ms() + LOOPBACK_MS;
	int due, looks = 0;

	while (is_under_way(c, why)) {
		if (!notif_is_valid(&c->request))
			why = EINTR;
		else if ((due = notif_interruption(&c->request, &looks)) != 0)
			why = due;
		else if (deadline != 0 && clock_ms() >= deadline)
			break;
		else if (is_ready(c, why, LOOK_MS))
			why = try_once(c);
	}
	/* on timeout the kernel returns EINPROGRESS; but own servers have no connect pending */
	if (why == EAGAIN && c->to_own_server)
		why = ETIMEDOUT;
	connect_finish(c, why == EALREADY ? EINPROGRESS : why);
}

/* ---- through the proxy ---- */

static bool
local_end(const struct connect_call *c, struct destination *to)
{
	union socket_address at = {0};
	socklen_t size = sizeof at;

	if (getsockname(c->fd, &at.any, &size) < 0)
		return false;
	*to = (struct destination){.address = {[10] = 0xff, [11] = 0xff}};
	to->port = ntohs(at.v4.sin_port);
	if (at.any.sa_family == AF_INET)
		memcpy(to->address + 12, &at.v4.sin_addr, 4);
	else
		memcpy(to->address, &at.v6.sin6_addr, 16);
	return true;
}

/* Returns 0 or an errno; EAGAIN: the limit for a non-blocking caller. */
static int
await_far_side(const struct connect_call *c, const struct proxy_request *asking, bool waits)
{
	int64_t end = clock_ms() + FAR_MS, deadline = connect_deadline(c->fd);
	int due, looks = 0;

	while (!proxy_client_wait(c->request.broker, asking, LOOK_MS)) {
		if (!notif_is_valid(&c->request))
			return EINTR;
		due = notif_interruption(&c->request, &looks);
		if (due != 0)
			return due;
		if (waits && deadline != 0 && clock_ms() >= deadline)
			return ETIMEDOUT;
		if (!waits && clock_ms() >= end)
			return EAGAIN;
	}
	return asking->why;
}

/*
 * One attempt. Tells the proxy before it that a connection comes, and afterwards from where, or that it
 * does not.
 */
static int
try_announced(struct connect_call *c, uint64_t id, enum egress_kind kind)
{
	int why = proxy_client_say(c->request.broker, id, EGRESS_EXPECT, NULL);
	struct destination local;
	bool comes;

	if (why != 0)
		return why;
	why = try_once(c);
	comes = (why == 0 || is_under_way(c, why)) && local_end(c, &local);
	proxy_client_say(c->request.broker, id, comes ? kind : EGRESS_FORGET,
			 comes ? &local : NULL);
	return why;
}

static void
finish_try(struct connect_call *c, bool waits, int why)
{
	if (waits)
		watch(c, why);
	else
		connect_finish(c, why);
}

/*
 * The caller continues, connected to a proxy that keeps the connection, and has to wait for the far side
 * itself. If that fails the connection is shut down.
 */
static void
finish_early(struct connect_call *c, struct proxy_request *asking)
{
	static const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
	int64_t end = clock_ms() + LATE_MS;
	bool is_answered = false;
	int why = try_announced(c, asking->id, EGRESS_COMES);

	if (why != 0 && !is_under_way(c, why)) {
		proxy_client_drop(c->request.broker, asking);
		connect_finish(c, why);
		return;
	}
	notif_fail(&c->request, EINPROGRESS);
	while (!is_answered && clock_ms() < end)
		is_answered = proxy_client_wait(c->request.broker, asking, 1000);
	why = is_answered ? asking->why : ETIMEDOUT;
	proxy_client_drop(c->request.broker, asking);
	if (why != 0) {
		connect(c->fd, &nowhere, sizeof nowhere);
		proxy_client_say(c->request.broker, asking->id, EGRESS_FORGET, NULL);
	}
	socket_copies_settle(c->request.broker, c->fd, SOCKET_ARRIVED);
	close(c->fd);
}

static void
turn(struct connect_call *c)
{
	struct proxy_request asking;
	bool waits = is_waiting(c);
	int why = proxy_client_ask(c->request.broker, &c->asks, &asking);

	if (why != 0) {
		connect_finish(c, why);
		return;
	}
	why = await_far_side(c, &asking, waits);
	if (why == EAGAIN && !waits) {
		finish_early(c, &asking);
		return;
	}
	proxy_client_drop(c->request.broker, &asking);
	if (why == 0)
		why = try_announced(c, asking.id, EGRESS_COMES);
	else
		proxy_client_say(c->request.broker, asking.id, EGRESS_FORGET, NULL);
	finish_try(c, waits, why);
}

static void
redirect_to_stub(struct connect_call *c)
{
	bool waits = is_waiting(c);

	finish_try(c, waits, try_announced(c, proxy_client_number(c->request.broker), EGRESS_ASKS));
}

/* ---- threads ---- */

void
connect_end_thread(struct broker *broker)
{
	__atomic_sub_fetch(&broker->connecting, 1, __ATOMIC_RELAXED);
}

static void *
thread_main(void *argument)
{
	struct connect_call *c = argument;
	struct broker *broker = c->request.broker;

	if (c->to_proxy)
		turn(c);
	else if (c->is_stub)
		redirect_to_stub(c);
	else
		watch(c, c->address.any.sa_family == AF_UNIX || c->to_own_server ? EAGAIN
										 : EINPROGRESS);
	free(c);
	connect_end_thread(broker);
	return NULL;
}

/* Each uses two fds while it waits: together at most a quarter of the broker's. */
static int
most_waiting(const struct broker *broker)
{
	return broker->numbers > 0 && broker->numbers / 8 < CONNECTING_MAX ? broker->numbers / 8
									   : CONNECTING_MAX;
}

/* Further calls of a caller with many waiting connects fail with EAGAIN. */
bool
connect_begin_thread(struct broker *broker)
{
	if (__atomic_add_fetch(&broker->connecting, 1, __ATOMIC_RELAXED) <= most_waiting(broker))
		return true;
	connect_end_thread(broker);
	return false;
}

static void
park(struct connect_call *c)
{
	struct broker *broker = c->request.broker;
	struct connect_call *copy = malloc(sizeof *copy);
	int why = EAGAIN;

	if (copy != NULL && connect_begin_thread(broker)) {
		*copy = *c;
		copy->request = notif_copy(&c->request);
		why = thread_start(STACK_SIZE, thread_main, copy);
		if (why == 0)
			return;
		connect_end_thread(broker);
	}
	free(copy);
	connect_finish(c, why);
}

void
connect_start(const struct connect_call *connecting)
{
	struct connect_call c = *connecting;
	bool waits = is_waiting(&c);
	int why;

	if (c.to_proxy || c.is_stub) {
		park(&c);
		return;
	}
	why = try_once(&c);
	/* on loopback the result is there by now */
	if (waits && is_under_way(&c, why) && is_ready(&c, why, 0))
		why = try_once(&c);
	if ((waits || c.to_own_server) && is_under_way(&c, why))
		park(&c);
	else
		connect_finish(&c, why);
}
