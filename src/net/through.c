// SPDX-License-Identifier: MIT
/*
 * Connections that the broker turns round. It asks before, so the far side is there when the client
 * comes; which client that is, it tells by the client's own address. Whoever else comes to this port
 * is announced by nobody, and is let go after a while.
 */
#include "base/compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "net/conn.h"

#define COMES_MS 30000
#define PARKED_MS 10000
#define PARKED_MAX 256

struct parked {
	struct proxy *proxy;
	struct parked *next;
	struct timed timed;
	int fd;
	struct address address;
	unsigned port;
};

/* ---- which names an address stands for ---- */

/* One of them is allowed on this port: the first such name. */
static const char *
allowed_name(struct proxy *proxy, const struct address *address, unsigned port,
	     struct dial_end *ret_why)
{
	uint64_t now = uv_now(&proxy->loop);
	const char *name;
	size_t at = 0;

	ret_why->why = EACCES;
	snprintf(ret_why->reason, sizeof ret_why->reason,
		 "was not looked up as a name of the allowed domains");
	while ((name = answers_next(&proxy->answers, address, now, &at)) != NULL)
		if (proxy_allows(proxy, name, port, ret_why))
			return name;
	return NULL;
}

static bool
is_name_of_address(const void *context, const char *name)
{
	const struct conn *conn = context;
	uint64_t now = uv_now(&conn->proxy->loop);
	struct dial_end why;
	const char *one;
	size_t at = 0;

	if (strcmp(name, conn->name) == 0)
		return true;
	while ((one = answers_next(&conn->proxy->answers, &conn->address, now, &at)) != NULL)
		if (strcmp(one, name) == 0)
			return proxy_allows(conn->proxy, name, conn->port, &why);
	return false;
}

/* ---- the line ---- */

/* The broker reads; should it not, one connection is lost, and not the session. */
static void
answer(struct proxy *proxy, uint64_t id, int why)
{
	struct egress_message message = {.id = id, .kind = EGRESS_ASK, .why = why};

	(void)!send(proxy->line->fd, &message, sizeof message, MSG_NOSIGNAL);
}

static struct conn *
find(struct proxy *proxy, uint64_t id)
{
	for (struct conn *conn = proxy->conns; conn != NULL; conn = conn->next)
		if (conn->kind == CONN_THROUGH && conn->id == id &&
		    (conn->state == CONN_DIALS || conn->state == CONN_READY))
			return conn;
	return NULL;
}

static void
refuse(struct proxy *proxy, const struct egress_message *ask, const struct address *address,
       const struct dial_end *why)
{
	char text[ADDRESS_TEXT_SIZE], subject[ADDRESS_TEXT_SIZE + 16];

	address_print(address, text);
	snprintf(subject, sizeof subject, address_is_v4(address) ? "%s:%u" : "[%s]:%u", text,
		 ask->port);
	proxy_refuse(proxy, "connect", subject, why->reason, why->allow);
	answer(proxy, ask->id, ECONNREFUSED);
}

static void
asked(struct proxy *proxy, const struct egress_message *ask)
{
	struct dial_end why = {0};
	struct address address;
	const char *name, *what;
	struct conn *conn;

	memcpy(address.bytes, ask->address, sizeof address.bytes);
	name = allowed_name(proxy, &address, ask->port, &why);
	what = proxy_vet(proxy, &address);
	if (what == NULL && proxy_is_own(proxy, &address, ask->port))
		what = "this proxy";
	if (name != NULL && what != NULL)
		snprintf(why.reason, sizeof why.reason, "is %s", what);
	if (name == NULL || what != NULL) {
		refuse(proxy, ask, &address, &why);
		return;
	}
	conn = conn_new(proxy, CONN_THROUGH);
	if (conn == NULL) {
		answer(proxy, ask->id, ENOBUFS);
		return;
	}
	conn_proven(conn);
	conn->id = ask->id;
	conn->address = address;
	conn->port = ask->port;
	strcpy(conn->name, name);
	dial_start(conn, &address);
}

static void
conn_late(struct timed *timed)
{
	conn_free((struct conn *)(void *)((char *)timed - offsetof(struct conn, timed)));
}

void
through_dialled(struct conn *conn, const struct dial_end *end)
{
	answer(conn->proxy, conn->id, end->why);
	if (end->why != 0) {
		conn_free(conn);
		return;
	}
	conn->state = CONN_READY;
	watch_want(conn->server, 0);
	timed_set(&conn->proxy->clockwork, &conn->timed, COMES_MS, conn_late);
}

/* ---- the client ---- */

static void
meet(struct conn *conn, int fd)
{
	conn->client = watch_new(&conn->proxy->watches, fd, conn, NULL);
	if (conn->client == NULL) {
		conn_free(conn);
		return;
	}
	conn_check(conn, is_name_of_address);
	conn->up = UP_CHECKED;
	conn_flow(conn);
}

static void
unpark(struct parked *parked)
{
	struct parked **at = &parked->proxy->parked;

	while (*at != parked)
		at = &(*at)->next;
	*at = parked->next;
	parked->proxy->parked_count--;
	timed_clear(&parked->timed);
	free(parked);
}

static void
parked_late(struct timed *timed)
{
	struct parked *parked =
		(struct parked *)(void *)((char *)timed - offsetof(struct parked, timed));

	close(parked->fd);
	unpark(parked);
}

static void
park(struct proxy *proxy, int fd, const struct address *address, unsigned port)
{
	struct parked *parked = proxy->parked_count >= PARKED_MAX ? NULL
								  : calloc(1, sizeof *parked);

	if (parked == NULL) {
		close(fd);
		return;
	}
	*parked = (struct parked){.proxy = proxy,
				  .next = proxy->parked,
				  .fd = fd,
				  .address = *address,
				  .port = port};
	proxy->parked = parked;
	proxy->parked_count++;
	timed_set(&proxy->clockwork, &parked->timed, PARKED_MS, parked_late);
}

static void
announced(struct proxy *proxy, const struct egress_message *comes)
{
	struct conn *conn = find(proxy, comes->id);

	if (conn == NULL || conn->state != CONN_READY)
		return;
	memcpy(conn->comes_from.bytes, comes->address, sizeof conn->comes_from.bytes);
	conn->comes_port = comes->port;
	for (struct parked *one = proxy->parked; one != NULL; one = one->next) {
		int fd = one->fd;

		if (one->port != conn->comes_port ||
		    !address_equal(&one->address, &conn->comes_from))
			continue;
		unpark(one);
		meet(conn, fd);
		return;
	}
}

static void
forgotten(struct proxy *proxy, const struct egress_message *forget)
{
	struct conn *conn = find(proxy, forget->id);

	if (conn != NULL)
		conn_free(conn);
}

/* The session ends with its line: so do we. */
void
through_line(void *owner, int events)
{
	static void (*const takers[])(struct proxy *, const struct egress_message *) = {
		[EGRESS_ASK] = asked,
		[EGRESS_COMES] = announced,
		[EGRESS_FORGET] = forgotten,
	};
	struct proxy *proxy = owner;
	struct egress_message message;

	(void)events;
	for (int i = 0; i < 64; i++) {
		ssize_t n = recv(proxy->line->fd, &message, sizeof message, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			proxy->watches.is_over = true;
			return;
		}
		if (n == (ssize_t)sizeof message && message.kind < COUNT(takers))
			takers[message.kind](proxy, &message);
	}
}

static void
arrived(struct proxy *proxy, int fd, const struct sockaddr_storage *from)
{
	struct address address;
	unsigned port;

	if (!address_from_socket((const struct sockaddr *)from, &address, &port)) {
		close(fd);
		return;
	}
	for (struct conn *conn = proxy->conns; conn != NULL; conn = conn->next)
		if (conn->kind == CONN_THROUGH && conn->state == CONN_READY &&
		    conn->comes_port == port && address_equal(&conn->comes_from, &address)) {
			meet(conn, fd);
			return;
		}
	park(proxy, fd, &address, port);
}

void
through_accept(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_THROUGH, arrived);
}

void
through_accept_6(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_THROUGH_6, arrived);
}
