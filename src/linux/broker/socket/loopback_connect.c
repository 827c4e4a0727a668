// SPDX-License-Identifier: MIT
/*
 * A thread outside the broker's layer that connects sockets of the session to servers of the session only.
 * It checks the listening sockets before and after, and which socket accepted: if another process listened
 * in between, the connection is shut down before the caller knows of it. A server with a full queue is not
 * tried, and a connect that is not complete at once is undone: which process would accept it later is
 * unknown, and a caller could make the thread wait.
 */
#include "linux/broker/socket/loopback_connect.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>

#include "linux/broker/own_listeners.h"
#include "linux/broker/socket/listener_owner.h"
#include "linux/process/privileges.h"
#include "linux/process/thread.h"

#define STACK_SIZE (64 * 1024)
#define SETTLE_MS 10 /* on a busy machine the answer of an own server takes a moment */
#define STATE_ESTABLISHED 1
#define STATE_CLOSED 7
#define STATE_CLOSE_WAIT 8

/* On the stack of the waiting thread. */
struct loopback_job {
	const struct connect_call *what;
	bool waits, is_done;
	int why;
	struct loopback_job *next;
};

static int
state_of(int fd)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof info;

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_state : -1;
}

static void
disconnect(int fd)
{
	static const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};

	connect(fd, &nowhere, sizeof nowhere);
}

/*
 * A non-blocking caller queries the result itself and gets the error it would have got. A fast server may
 * have closed its end by now.
 */
static int
look_again(const struct connect_call *c, bool waits)
{
	int state = state_of(c->fd);

	if (!waits && state != STATE_CLOSED)
		return state == STATE_ESTABLISHED || state == STATE_CLOSE_WAIT ? 0 : EAGAIN;
	if (connect(c->fd, &c->address.any, c->size) == 0 || errno == EISCONN)
		return 0;
	return errno == EALREADY ? EAGAIN : errno;
}

/* Connects without blocking, whatever the socket's flags are. Returns 0, EAGAIN or an errno. */
static int
reach(const struct connect_call *c)
{
	struct pollfd settles = {.fd = c->fd, .events = POLLOUT};
	int flags = fcntl(c->fd, F_GETFL), why = 0;
	bool waits = flags >= 0 && !(flags & O_NONBLOCK);

	if (waits)
		fcntl(c->fd, F_SETFL, flags | O_NONBLOCK);
	if (connect(c->fd, &c->address.any, c->size) < 0)
		why = errno;
	if (why == EINPROGRESS) {
		poll(&settles, 1, SETTLE_MS);
		why = look_again(c, waits);
	}
	if (waits && fcntl(c->fd, F_GETFL) == (flags | O_NONBLOCK))
		fcntl(c->fd, F_SETFL, flags);
	return why;
}

/* Requires still: no process of the session begins to listen meanwhile. */
static int
connect_locked(const struct connect_call *c, bool waits)
{
	struct own_listeners *listeners = &c->request.broker->own_servers;
	struct listening_by before, after;
	enum listening owner =
		own_listeners_find(listeners, c->asks.address, c->asks.port, &before);
	int why;

	if (owner != LISTENS_OWN)
		return owner == LISTENS_FULL ? EAGAIN : ECONNREFUSED;
	if (c->listener_set != 0 && before.listener_set != c->listener_set)
		return ECONNREFUSED;
	/* another thread of the caller has connected it: do not undo that */
	if (state_of(c->fd) != STATE_CLOSED)
		return EISCONN;
	why = reach(c);
	owner = why != 0 ? LISTENS_OWN
			 : own_listeners_find(listeners, c->asks.address, c->asks.port, &after);
	if (why == 0 &&
	    ((owner != LISTENS_OWN && owner != LISTENS_FULL) ||
	     before.listener_set != after.listener_set || !listener_owner_is_on_lo(c->fd)))
		why = EAGAIN;
	if (why != 0)
		disconnect(c->fd);
	return why != 0 || waits ? why : EINPROGRESS;
}

static int
connect_own(const struct connect_call *c, bool waits)
{
	pthread_mutex_t *still = &c->request.broker->own_servers.still;
	int why;

	pthread_mutex_lock(still);
	why = connect_locked(c, waits);
	pthread_mutex_unlock(still);
	return why;
}

/* ---- the thread ---- */

static void *
thread_main(void *argument)
{
	struct broker *broker = argument;
	struct cordon_error err = {0};
	/* the same privileges as the command: it does nothing that the command could not */
	bool is_fit = privileges_drop(&err) == 0;

	pthread_mutex_lock(&broker->sockets);
	for (;;) {
		struct loopback_job *job = broker->loopback_jobs;

		if (job == NULL) {
			pthread_cond_wait(&broker->answered, &broker->sockets);
			continue;
		}
		broker->loopback_jobs = job->next;
		pthread_mutex_unlock(&broker->sockets);
		job->why = is_fit ? connect_own(job->what, job->waits) : ECONNREFUSED;
		pthread_mutex_lock(&broker->sockets);
		job->is_done = true;
		pthread_cond_broadcast(&broker->answered);
	}
	return NULL;
}

void
loopback_connect_start(struct broker *broker)
{
	broker->has_loopback_thread = thread_start(STACK_SIZE, thread_main, broker) == 0;
}

int
loopback_connect(const struct connect_call *connecting, bool waits)
{
	struct broker *broker = connecting->request.broker;
	struct loopback_job job = {.what = connecting, .waits = waits},
			    **at = &broker->loopback_jobs;

	if (!broker->has_loopback_thread)
		return ECONNREFUSED;
	pthread_mutex_lock(&broker->sockets);
	while (*at != NULL)
		at = &(*at)->next;
	*at = &job;
	pthread_cond_broadcast(&broker->answered);
	while (!job.is_done)
		pthread_cond_wait(&broker->answered, &broker->sockets);
	pthread_mutex_unlock(&broker->sockets);
	return job.why;
}
