// SPDX-License-Identifier: MIT
/*
 * Connecting to the session's own servers, with somebody else who takes the port just before the
 * connection is made, and gives it back just after: connect is this test's own, so that neither
 * has to be quick. Whoever else was reached must see its end, and the caller must not get it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/broker/socket/loopback_connect.h"
#include "tap.h"

#define LATE_MS 60000
#define TRIES 200

#define must(condition)                                                          \
	do {                                                                     \
		if (!(condition)) {                                              \
			printf("Bail out! line %d: %s\n", __LINE__, #condition); \
			exit(1);                                                 \
		}                                                                \
	} while (0)

static struct broker broker = {.sockets = PTHREAD_MUTEX_INITIALIZER,
			       .answered = PTHREAD_COND_INITIALIZER,
			       .own_servers = {.still = PTHREAD_MUTEX_INITIALIZER,
					       .lock = PTHREAD_MUTEX_INITIALIZER}};

/* What happens at the next connect to an address. */
static struct hooks {
	void (*before)(void), (*after)(void);
} hooks;
static uint16_t port;
static int own = -1, other = -1, taken = -1;
static bool is_tied; /* the other one, too: it is of another session */

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t size);

int
__wrap_connect(int fd, const struct sockaddr *to, socklen_t size)
{
	struct hooks now = {NULL, NULL};
	int rc, why;

	if (to->sa_family == AF_INET) {
		now = hooks;
		hooks = (struct hooks){NULL, NULL};
	}
	if (now.before != NULL)
		now.before();
	rc = (int)syscall(SYS_connect, fd, to, size);
	why = errno;
	if (now.after != NULL)
		now.after();
	errno = why;
	return rc;
}

static struct sockaddr_in
here(void)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				    .sin_port = htons(port)};
}

/* A server at the port; -1: the port is in use. */
static int
serve(bool is_own, bool shares)
{
	struct sockaddr_in at = here();
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

	must(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (shares)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
	if (is_own || is_tied)
		must(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) == 0);
	if (is_own)
		own_listeners_add(&broker.own_servers, fd, 0);
	if (bind(fd, (struct sockaddr *)&at, size) < 0 || listen(fd, 8) < 0) {
		close(fd);
		return -1;
	}
	must(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	port = ntohs(at.sin_port);
	return fd;
}

static void
stop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* One try of a program that waits. */
static int
reach(void)
{
	struct connect_call c = {.request.broker = &broker, .pin = -1, .asks = {.port = port}};
	static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};
	int why;

	c.address.v4 = here();
	c.size = sizeof c.address.v4;
	memcpy(c.asks.address, mapped, sizeof mapped);
	c.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(c.fd >= 0);
	why = loopback_connect(&c, true);
	/* it is still ours here: closing it must not be what ends a connection that must not be */
	if (taken >= 0 && why != 0) {
		struct pollfd ends = {.fd = taken, .events = POLLIN};
		char byte;

		check_int(poll(&ends, 1, LATE_MS), 1);
		check(recv(taken, &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET);
	}
	close(c.fd);
	return why;
}

static void
begin(bool shares)
{
	stop(&own);
	stop(&other);
	stop(&taken);
	port = 0;
	own = serve(true, shares);
	must(own >= 0);
}

/* ---- what happens meanwhile ---- */

static void
other_takes_it(void)
{
	stop(&own);
	other = serve(false, false);
}

static void
other_joins(void)
{
	other = serve(false, true);
}

/* Keeps the connection that it accepted, and leaves no other trace. One server accepts it. */
static void
other_leaves(void)
{
	struct pollfd both[] = {{.fd = other, .events = POLLIN}, {.fd = own, .events = POLLIN}};

	if (other < 0)
		return;
	poll(both, 2, LATE_MS);
	taken = accept(other, NULL, NULL);
	stop(&other);
}

static void
other_gives_back(void)
{
	other_leaves();
	own = serve(true, false);
}

/* ---- cases ---- */

static void
own_servers_are_reached(void)
{
	begin(false);
	check_int(reach(), 0);
	check(accept(own, NULL, NULL) >= 0);
	stop(&own);
	check_int(reach(), ECONNREFUSED);
	other = serve(false, false);
	check_int(reach(), ECONNREFUSED);
}

/* Another program may take a port that is free for a moment: then once more. */
static int
reach_while(void (*before)(void), void (*after)(void))
{
	int why = ECONNREFUSED;

	for (int i = 0; i < TRIES && why == ECONNREFUSED; i++) {
		begin(false);
		hooks = (struct hooks){before, after};
		why = reach();
	}
	return why;
}

static void
a_process_that_took_the_port_before_is_not_reached(void)
{
	for (int i = 0; i < 2; i++) {
		is_tied = i == 1;
		check_int(reach_while(other_takes_it, NULL), EAGAIN);
		taken = accept(other, NULL, NULL);
		check(taken >= 0);
	}
}

static void
a_process_that_gave_the_port_back_is_not_reached(void)
{
	for (int i = 0; i < 2; i++) {
		is_tied = i == 1;
		check_int(reach_while(other_takes_it, other_gives_back), EAGAIN);
		check(taken >= 0);
	}
}

/* The kernel chooses one of two, so it is tried until it was the other. */
static void
a_process_that_shared_the_port_briefly_is_not_reached(void)
{
	int i = 0;

	is_tied = false;
	stop(&taken);
	for (; i < TRIES && taken < 0; i++) {
		begin(true);
		hooks = (struct hooks){other_joins, other_leaves};
		check_int(reach(), taken < 0 ? 0 : EAGAIN);
	}
	printf("# the other one was chosen after %d tries\n", i);
}

int
main(void)
{
	loopback_connect_start(&broker);
	must(broker.has_loopback_thread);
	run(own_servers_are_reached);
	run(a_process_that_took_the_port_before_is_not_reached);
	run(a_process_that_gave_the_port_back_is_not_reached);
	run(a_process_that_shared_the_port_briefly_is_not_reached);
	return tap_end();
}
