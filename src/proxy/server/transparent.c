// SPDX-License-Identifier: MIT
/*
 * Connections that the broker redirects. The broker sends a request first, so the far side is connected
 * when the client arrives; the client is recognised by its address. Connections of other processes are
 * closed (own_conns.c).
 */
#include "base/os.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "proxy/server/conn.h"

#define COMES_MS 30000
/* ---- names of an address ---- */

/* Returns the first name of this address that is allowed on this port. */
static const char *
allowed_name(struct proxy *proxy, const struct ip_address *address, unsigned port,
	     struct dial_end *ret_why)
{
	uint64_t now = proxy->timers.now;
	const char *name;
	size_t at = 0;

	ret_why->why = EACCES;
	ret_why->refusal.cause = CAUSE_NET_NOT_LOOKED_UP;
	while ((name = answers_next(&proxy->answers, address, now, &at)) != NULL)
		if (proxy_allows(proxy, name, port, ret_why))
			return name;
	return NULL;
}

static bool
is_name_of_address(const void *context, const char *name)
{
	const struct conn *conn = context;
	uint64_t now = conn->proxy->timers.now;
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

/* ---- messages of the broker ---- */

/* Never block: if the broker does not read, one connection is lost and not the session. */
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
refuse(struct proxy *proxy, const struct egress_message *ask, const struct ip_address *address,
       const struct dial_end *why)
{
	char text[ADDRESS_TEXT_SIZE], subject[ADDRESS_TEXT_SIZE + 16];

	ip_print(address, text);
	snprintf(subject, sizeof subject, ip_is_v4(address) ? "%s:%u" : "[%s]:%u", text, ask->port);
	proxy_refuse(proxy, REFUSED_CONNECT, subject, &why->refusal);
	answer(proxy, ask->id, ECONNREFUSED);
}

static void
asked(struct proxy *proxy, const struct egress_message *ask)
{
	struct dial_end why = {0};
	struct ip_address address;
	const char *name;
	enum cause what;
	struct conn *conn;

	memcpy(address.bytes, ask->address, sizeof address.bytes);
	name = allowed_name(proxy, &address, ask->port, &why);
	what = proxy_address_denied_reason(proxy, &address);
	if (what == CAUSE_NONE && proxy_is_own(proxy, &address, ask->port))
		what = CAUSE_ADDRESS_THIS_PROXY;
	if (name != NULL && what != CAUSE_NONE)
		why.refusal = (struct refusal){.cause = CAUSE_NET_IS, .detail = (uint16_t)what};
	if (name == NULL || what != CAUSE_NONE) {
		refuse(proxy, ask, &address, &why);
		return;
	}
	conn = conn_new(proxy, CONN_THROUGH);
	if (conn == NULL) {
		answer(proxy, ask->id, ENOBUFS);
		return;
	}
	conn_authenticated(conn);
	conn->id = ask->id;
	conn->address = address;
	conn->port = ask->port;
	strcpy(conn->name, name);
	dial_start(conn, &address);
}

static void
conn_late(struct timer *timed)
{
	conn_free((struct conn *)(void *)((char *)timed - offsetof(struct conn, timed)));
}

static void
meet(struct conn *conn, int fd)
{
	conn->client = loop_add(&conn->proxy->watches, fd, conn, NULL);
	if (conn->client == NULL) {
		conn_free(conn);
		return;
	}
	conn_check(conn, is_name_of_address);
	conn->up = UP_CHECKED;
	tunnel_start(conn);
}

void
transparent_dialled(struct conn *conn, const struct dial_end *end)
{
	answer(conn->proxy, conn->id, end->why);
	if (end->why != 0) {
		conn_free(conn);
		return;
	}
	conn->state = CONN_READY;
	loop_want(conn->server, 0);
	if (conn->early >= 0) {
		int fd = conn->early;

		conn->early = -1;
		meet(conn, fd);
		return;
	}
	timer_set(&conn->proxy->timers, &conn->timed, COMES_MS, conn_late);
}

/* ---- the client ---- */

/* A non-blocking client may arrive before the far side is connected. */
static void
arrive(struct conn *conn, int fd)
{
	if (conn->state == CONN_READY)
		meet(conn, fd);
	else if (conn->early < 0)
		conn->early = fd;
	else
		close(fd);
}

static struct own_conn_end
end_of(const struct egress_message *message)
{
	struct own_conn_end end = {.port = message->port, .is_stub = message->kind == EGRESS_ASKS};

	memcpy(end.address.bytes, message->address, sizeof end.address.bytes);
	return end;
}

static void
announced(struct proxy *proxy, const struct egress_message *comes)
{
	struct own_conn_end end = end_of(comes);
	struct conn *conn = find(proxy, comes->id);
	int fd = conn == NULL || conn->comes_port != 0 ? -1
						       : own_conns_take(&proxy->own_conns, &end);

	if (conn != NULL && conn->comes_port == 0) {
		conn->comes_from = end.address;
		conn->comes_port = end.port;
	}
	if (fd >= 0)
		arrive(conn, fd);
	own_conns_resolve(&proxy->own_conns, comes->id);
}

static void
announced_to_stub(struct proxy *proxy, const struct egress_message *asks)
{
	struct own_conn_end end = end_of(asks);
	int fd = own_conns_take(&proxy->own_conns, &end);

	if (fd >= 0)
		dns_stub_start(proxy, fd);
	else
		own_conns_name(&proxy->own_conns, &end, proxy->timers.now);
	own_conns_resolve(&proxy->own_conns, asks->id);
}

static void
expected(struct proxy *proxy, const struct egress_message *expect)
{
	own_conns_expect(&proxy->own_conns, expect->id);
}

static void
forgotten(struct proxy *proxy, const struct egress_message *forget)
{
	struct conn *conn = find(proxy, forget->id);

	if (conn != NULL)
		conn_free(conn);
	own_conns_resolve(&proxy->own_conns, forget->id);
}

/* Reads one message; false if none is pending. End of file means that the session has ended. */
static bool
take_message(struct proxy *proxy)
{
	static void (*const handlers[])(struct proxy *, const struct egress_message *) = {
		[EGRESS_ASK] = asked,	     [EGRESS_COMES] = announced,
		[EGRESS_EXPECT] = expected,  [EGRESS_ASKS] = announced_to_stub,
		[EGRESS_FORGET] = forgotten,
	};
	struct egress_message message;
	ssize_t n = recv(proxy->line->fd, &message, sizeof message, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		proxy->watches.is_over = true;
		return false;
	}
	if (n == (ssize_t)sizeof message && message.kind < COUNT(handlers))
		handlers[message.kind](proxy, &message);
	return true;
}

void
transparent_drain(struct proxy *proxy)
{
	while (take_message(proxy))
		;
}

void
transparent_broker_message(void *owner, int events)
{
	(void)events;
	for (int i = 0; i < 64 && take_message(owner); i++)
		;
}

static void
arrived(struct proxy *proxy, int fd, const struct sockaddr_storage *from)
{
	struct own_conn_end end = {.is_stub = false};

	/* the broker announced this connection before it arrived */
	transparent_drain(proxy);
	if (!ip_from_socket((const struct sockaddr *)from, &end.address, &end.port)) {
		close(fd);
		return;
	}
	for (struct conn *conn = proxy->conns; conn != NULL; conn = conn->next)
		if (conn->kind == CONN_THROUGH &&
		    (conn->state == CONN_DIALS || conn->state == CONN_READY) &&
		    conn->comes_port == end.port && ip_equal(&conn->comes_from, &end.address)) {
			arrive(conn, fd);
			return;
		}
	own_conns_add(&proxy->own_conns, fd, &end);
}

void
transparent_accept(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_THROUGH, arrived);
}

void
transparent_accept_6(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_THROUGH_6, arrived);
}
