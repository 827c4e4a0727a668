// SPDX-License-Identifier: MIT
/*
 * Copies in both directions. Bytes to the client pass unchanged; bytes to the far side pass as far as
 * inspection accepts them, and without inspection once it is complete.
 */
#include "base/os.h"

#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "proxy/server/conn.h"

/* Seconds. The peer of a dead connection answers a keepalive with RST. */
#define ALIVE_IDLE 60

/* alert fatal, access_denied: TLS libraries show it as text */
static const char tls_denied[] = {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x31};

static void
refuse_http(struct conn *conn)
{
	char body[600], head[800];
	int length = snprintf(body, sizeof body, "cordon: %s%s%s (this connection is to %s)\n",
			      conn->check.name, conn->check.name[0] == '\0' ? "" : ": ",
			      cause_text(conn->check.cause), conn->name);
	int size = snprintf(head, sizeof head,
			    "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n"
			    "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
			    length, body);

	conn_say(conn, head, (size_t)size);
}

/* If part of an answer was sent, no error message would fit behind it. */
static void
refuse(struct conn *conn, enum check_verdict verdict)
{
	char subject[NAME_SIZE + 16];

	snprintf(subject, sizeof subject, "%s:%u",
		 conn->check.name[0] == '\0' ? conn->name : conn->check.name, conn->port);
	proxy_refuse(conn->proxy, REFUSED_CONNECT, subject,
		     &(struct refusal){.cause = (uint16_t)conn->check.cause, .number = conn->port});
	if (verdict == CHECK_TLS_BAD)
		conn_say(conn, tls_denied, sizeof tls_denied);
	else if (verdict == CHECK_HTTP_BAD)
		refuse_http(conn);
	conn_leave(conn);
}

/* ---- up ---- */

/* Does inspection need the server's first bytes, before any request? */
static bool
hears_first(const struct conn *conn)
{
	return conn->check.state == CHECK_FIRST || conn->check.state == CHECK_SSH;
}

static void
forget_answer(struct conn *conn)
{
	memset(conn->answer, 0, sizeof conn->answer);
	conn->seen = 0;
}

/* Inspects in and sets good. Returns false if the connection was freed or is closing. */
static bool
judge(struct conn *conn)
{
	size_t good = 0;

	if (conn->up == UP_CHECKED) {
		bool is_first = hears_first(conn);
		enum check_verdict verdict = inspect_look(&conn->check, conn->in.at + conn->good,
							  conn->in.length - conn->good, &good);

		conn->good += good;
		conn->in.length -= conn->check.cut;
		if (is_first && !hears_first(conn))
			forget_answer(conn);
		if (verdict == CHECK_RAW)
			conn->up = UP_RAW;
		if (verdict >= CHECK_TLS_BAD) {
			refuse(conn, verdict);
			return false;
		}
	} else if (conn->up == UP_ONE) {
		ssize_t n = conn->body.is_over
				    ? 0
				    : http_body_take(&conn->body, conn->in.at + conn->good,
						     conn->in.length - conn->good);

		if (n < 0) {
			conn_free(conn);
			return false;
		}
		conn->good += (size_t)n;
		if (conn->body.is_over) {
			/* more bytes would be another request, which may be for another host */
			conn->in.length = conn->good;
			conn->up = UP_CLOSED;
		}
	} else if (conn->up == UP_RAW) {
		conn->good = conn->in.length;
	}
	return true;
}

static bool
send_good(struct conn *conn)
{
	ssize_t n;

	if (conn->good == 0)
		return true;
	n = send(conn->server->fd, conn->in.at, conn->good, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		conn_free(conn);
		return false;
	}
	if (n > 0) {
		conn->good -= (size_t)n;
		conn_bytes_drop(&conn->in, (size_t)n);
	}
	return true;
}

/* Sets the events that this direction waits for on each side. Returns -1 if the connection was freed. */
static int
pump_held(struct conn *conn, int *client, int *server)
{
	bool reads = conn->up != UP_CLOSED && conn->check.state != CHECK_UPGRADE;

	if ((reads && !conn_read(conn)) || !judge(conn) || !send_good(conn))
		return -1;
	if (conn->good > 0)
		*server |= WATCH_WRITE;
	else if (conn->is_ended && (conn->in.length == 0 || conn->up == UP_CHECKED)) {
		conn->rise.ended = true;
	}
	/* do not read while the server has to speak first: the buffer is bounded */
	if (!conn->is_ended && conn->up != UP_CLOSED && conn->in.length < CHECK_MAX &&
	    conn->check.state != CHECK_UPGRADE)
		*client |= WATCH_READ;
	return 0;
}

static int
want(struct conn *conn, enum flow_wait wait, int *from_events, int *to_events)
{
	switch (wait) {
	case FLOW_FOR_INPUT:
	case FLOW_AGAIN:
		*from_events |= WATCH_READ;
		/* fall through */
	case FLOW_DONE:
		return 0;
	case FLOW_FOR_OUTPUT:
		*to_events |= WATCH_WRITE;
		return 0;
	case FLOW_BROKEN:
		break;
	}
	conn_free(conn);
	return -1;
}

static int
pump_up(struct conn *conn, int *client, int *server)
{
	bool is_raw = conn->up == UP_RAW && conn->in.length == 0 && !conn->is_ended;

	if (!is_raw)
		return pump_held(conn, client, server);
	return want(conn,
		    copy_pump(&conn->rise, conn->proxy->bulk, conn->client->fd, conn->server->fd),
		    client, server);
}

/* ---- down ---- */

static bool
is_waiting(const struct conn *conn)
{
	return conn->up == UP_CHECKED && inspect_waits(&conn->check) > 0;
}

/* Keeps the first bytes of an answer that inspection needs. */
static int
pump_answer(struct conn *conn, int *client, int *server)
{
	char *at = conn->answer + conn->seen;
	size_t wanted = inspect_waits(&conn->check);
	ssize_t n = recv(conn->server->fd, at, wanted - conn->seen, MSG_DONTWAIT);

	(void)client;
	*server |= WATCH_READ;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 || send(conn->client->fd, at, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) != n) {
		conn_free(conn);
		return -1;
	}
	conn->seen += (unsigned)n;
	/* at end of file the rest stays zero, which is no valid answer */
	if (n == 0 || conn->seen == wanted) {
		inspect_response(&conn->check, conn->answer);
		if (inspect_waits(&conn->check) <= wanted)
			forget_answer(conn);
	}
	return 0;
}

static int
pump_down(struct conn *conn, int *client, int *server)
{
	if (conn->out.length > 0) {
		ssize_t n = send(conn->client->fd, conn->out.at, conn->out.length,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			conn_bytes_drop(&conn->out, (size_t)n);
		*client |= WATCH_WRITE;
		return 0;
	}
	if (is_waiting(conn))
		return pump_answer(conn, client, server);
	return want(conn,
		    copy_pump(&conn->fall, conn->proxy->bulk, conn->server->fd, conn->client->fd),
		    server, client);
}

/* ---- both ---- */

static void
pass_on_end(struct flow *flow, int to)
{
	if (flow->ended && !flow->is_shut) {
		shutdown(to, SHUT_WR);
		flow->is_shut = true;
	}
}

/* After a single request only the answer is left. */
static bool
is_over(const struct conn *conn)
{
	return conn->is_broken || (conn->fall.ended && (conn->rise.ended || conn->up == UP_ONE ||
							conn->up == UP_CLOSED));
}

static void
go_on(struct conn *conn, bool down, bool up)
{
	struct wants *downs = &conn->down_wants, *ups = &conn->up_wants;
	int client, server;

	if (down) {
		*downs = (struct wants){0};
		if (pump_down(conn, &downs->client, &downs->server) < 0)
			return;
	}
	if (up) {
		*ups = (struct wants){0};
		if (pump_up(conn, &ups->client, &ups->server) < 0)
			return;
	}
	if (conn->state != CONN_FLOWS)
		return;
	/* shut down one direction; close() would cut off a side that still sends */
	if (!is_over(conn) || !conn->rise.ended) {
		pass_on_end(&conn->fall, conn->client->fd);
		pass_on_end(&conn->rise, conn->server->fd);
	}
	if (is_over(conn)) {
		conn_free(conn);
		return;
	}
	client = downs->client | ups->client;
	server = downs->server | ups->server;
	/* WATCH_BROKEN: notice a reset also while waiting for nothing */
	loop_want(conn->client, client != 0 ? client : WATCH_BROKEN);
	loop_want(conn->server, server != 0 ? server : WATCH_BROKEN);
}

/* While bytes are inspected, progress in one direction may be what the other waits for. */
static void
side_ready(struct conn *conn, int events, int down, int up)
{
	bool both = (events & WATCH_BROKEN) != 0 || is_waiting(conn);

	conn->is_broken = conn->is_broken || (events & WATCH_BROKEN) != 0;
	go_on(conn, both || (events & down) != 0, both || (events & up) != 0);
}

static void
client_ready(void *owner, int events)
{
	side_ready(owner, events, WATCH_WRITE, WATCH_READ);
}

static void
server_ready(void *owner, int events)
{
	side_ready(owner, events, WATCH_READ, WATCH_WRITE);
}

void
tunnel_options(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},
		{SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, COMPAT_TCP_KEEPIDLE, ALIVE_IDLE},
	};

	for (size_t i = 0; i < COUNT(options); i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			   sizeof options[i].value);
}

void
tunnel_start(struct conn *conn)
{
	conn->state = CONN_FLOWS;
	timer_clear(&conn->timed);
	conn->client->ready = client_ready;
	conn->server->ready = server_ready;
	conn->down_wants.server = conn->up_wants.client = WATCH_READ;
	if (conn->in.length > 0 || conn->is_ended || conn->out.length > 0) {
		go_on(conn, true, true);
		return;
	}
	loop_want(conn->client, WATCH_READ);
	loop_want(conn->server, WATCH_READ);
}
