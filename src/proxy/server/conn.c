// SPDX-License-Identifier: MIT
/*
 * Connections: created, counted, freed. Unauthenticated connections are capped; when the cap is reached the
 * oldest is closed, so flooding the port cannot lock out clients with the token.
 */
#include "base/os.h"

#include "proxy/server/conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GREET_MS 30000
#define LEAVE_MS 5000

static void
unlink_conn(struct conn *conn)
{
	struct proxy *proxy = conn->proxy;

	if (conn->next != NULL)
		conn->next->previous = conn->previous;
	if (conn->previous != NULL)
		conn->previous->next = conn->next;
	else
		proxy->conns = conn->next;
}

void
conn_authenticated(struct conn *conn)
{
	if (!conn->is_proven)
		conn->proxy->unproven--;
	conn->is_proven = true;
}

/* Send RST: the client would take a plain end of file for an empty answer. */
static void
reset(int fd)
{
	struct linger none = {.l_onoff = 1, .l_linger = 0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
	close(fd);
}

void
conn_free(struct conn *conn)
{
	struct proxy *proxy = conn->proxy;

	conn_authenticated(conn);
	unlink_conn(conn);
	proxy->conn_count--;
	timer_clear(&conn->timed);
	dial_free(conn);
	loop_remove(conn->client);
	loop_remove(conn->server);
	if (conn->early >= 0)
		reset(conn->early);
	free(conn->in.at);
	free(conn->out.at);
	free(conn);
}

static void
conn_late(struct timer *timed)
{
	conn_free((struct conn *)(void *)((char *)timed - offsetof(struct conn, timed)));
}

static void
drop_oldest_unproven(struct proxy *proxy)
{
	struct conn *oldest = NULL;

	for (struct conn *conn = proxy->conns; conn != NULL; conn = conn->next)
		if (!conn->is_proven)
			oldest = conn;
	if (oldest != NULL)
		conn_free(oldest);
}

static void
tell_full(struct proxy *proxy)
{
	struct refusal why = {.cause = CAUSE_NET_FULL, .number = proxy->conns_max};

	if (proxy->conns_max != CONNS_MAX)
		why.cause = CAUSE_NET_FEW_FILES;
	snprintf(why.name, sizeof why.name, "%u", proxy->descriptors);
	proxy_refuse(proxy, REFUSED_CONNECT, "one more", &why);
}

struct conn *
conn_new(struct proxy *proxy, enum conn_kind kind)
{
	struct conn *conn;

	if (proxy->unproven >= UNPROVEN_MAX)
		drop_oldest_unproven(proxy);
	if (proxy->conn_count >= proxy->conns_max) {
		tell_full(proxy);
		return NULL;
	}
	conn = calloc(1, sizeof *conn);
	if (conn == NULL)
		return NULL;
	conn->proxy = proxy;
	conn->kind = kind;
	conn->early = -1;
	conn->next = proxy->conns;
	if (conn->next != NULL)
		conn->next->previous = conn;
	proxy->conns = conn;
	proxy->conn_count++;
	proxy->unproven++;
	timer_set(&proxy->timers, &conn->timed, GREET_MS, conn_late);
	return conn;
}

/* ---- bytes ---- */

bool
conn_bytes_add(struct conn_bytes *bytes, const char *at, size_t length)
{
	size_t room = bytes->room == 0 ? 1024 : bytes->room;
	char *moved;

	while (room - bytes->length < length)
		room *= 2;
	if (room != bytes->room) {
		moved = realloc(bytes->at, room);
		if (moved == NULL)
			return false;
		bytes->at = moved;
		bytes->room = room;
	}
	memcpy(bytes->at + bytes->length, at, length);
	bytes->length += length;
	return true;
}

void
conn_bytes_drop(struct conn_bytes *bytes, size_t length)
{
	bytes->length -= length;
	if (bytes->length > 0) {
		memmove(bytes->at, bytes->at + length, bytes->length);
		return;
	}
	free(bytes->at);
	*bytes = (struct conn_bytes){0};
}

bool
conn_read(struct conn *conn)
{
	char piece[CHECK_MAX];
	size_t room = CHECK_MAX - conn->in.length;
	ssize_t n;

	if (room == 0 || conn->is_ended)
		return true;
	n = recv(conn->client->fd, piece, room, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	conn->is_ended = n == 0;
	if (n >= 0 && (n == 0 || conn_bytes_add(&conn->in, piece, (size_t)n)))
		return true;
	conn_free(conn);
	return false;
}

void
conn_check(struct conn *conn, bool (*is_name)(const void *conn, const char *name))
{
	const struct network *network = conn->proxy->network;

	conn->check =
		(struct inspection){.is_name = is_name,
				    .context = conn,
				    .port = conn->port,
				    .takes_hidden = network->ech == ECH_ALLOW,
				    .is_opaque = policy_ports_have(&network->opaque, conn->port)};
}

/* ---- closing message ---- */

/*
 * Drain the client's input: closing a socket with unread input sends RST, and the client would lose our
 * message.
 */
static void
leaving(void *owner, int events)
{
	struct conn *conn = owner;
	char rest[4096];
	ssize_t n = 0;

	if (conn->out.length > 0) {
		n = send(conn->client->fd, conn->out.at, conn->out.length,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0)
			conn_bytes_drop(&conn->out, (size_t)n);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			conn_free(conn);
			return;
		}
		if (conn->out.length == 0)
			shutdown(conn->client->fd, SHUT_WR);
	}
	if (events & WATCH_READ) {
		n = recv(conn->client->fd, rest, sizeof rest, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			conn_free(conn);
			return;
		}
	}
	loop_want(conn->client, WATCH_READ | (conn->out.length > 0 ? WATCH_WRITE : 0));
}

void
conn_say(struct conn *conn, const char *text, size_t length)
{
	ssize_t n = 0;

	if (conn->out.length == 0)
		n = send(conn->client->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < (ssize_t)length)
		conn_bytes_add(&conn->out, text + (n > 0 ? n : 0),
			       length - (n > 0 ? (size_t)n : 0));
}

void
conn_leave(struct conn *conn)
{
	struct proxy *proxy = conn->proxy;

	dial_free(conn);
	conn->state = CONN_LEAVES;
	conn->server = loop_remove(conn->server);
	conn_bytes_drop(&conn->in, conn->in.length);
	if (conn->client == NULL) {
		conn_free(conn);
		return;
	}
	timer_set(&proxy->timers, &conn->timed, LEAVE_MS, conn_late);
	conn->client->ready = leaving;
	if (conn->out.length == 0)
		shutdown(conn->client->fd, SHUT_WR);
	loop_want(conn->client, WATCH_READ | (conn->out.length > 0 ? WATCH_WRITE : 0));
}
