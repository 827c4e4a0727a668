// SPDX-License-Identifier: MIT
/*
 * Connects to the far side: looks up the name, vets each address and tries the vetted ones in turn. With an
 * upstream proxy, the name is sent to that proxy instead. A function that may end a dial must be the last
 * call of its caller, because the connection may be freed.
 */
#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxy/resolve/local_address.h"
#include "proxy/server/conn.h"

#define DIAL_MS 30000
#define ATTEMPT_MS 3000 /* per address, while others are left */
#define ADDRESSES (2 * DNS_ADDRESSES)

struct dial {
	struct query *queries[2];
	struct timer attempt;
	const struct upstream *upstream; /* NULL: connect directly */
	char host[NAME_SIZE];		 /* the name to connect to */
	unsigned port;
	struct ip_address addresses[ADDRESSES];
	size_t count, next;
	bool is_asked;	    /* CONNECT was sent to the upstream proxy */
	bool is_given;	    /* the addresses need no vetting */
	bool has_name;	    /* a resolver knew the name */
	enum dns_code code; /* the last response code */
	int why;	    /* errno of the last attempt */
	struct ip_address forbidden;
	enum cause forbidden_as; /* kind of a refused address, or CAUSE_NONE */
	struct conn *conn;
};

static void
drop_queries(struct dial *dial)
{
	for (int i = 0; i < 2; i++)
		dial->queries[i] = dns_client_drop(dial->queries[i]);
}

void
dial_free(struct conn *conn)
{
	struct dial *dial = conn->dial;

	if (dial == NULL)
		return;
	drop_queries(dial);
	timer_clear(&dial->attempt);
	free(dial);
	conn->dial = NULL;
}

static void
finish(struct conn *conn, struct dial_end *end)
{
	dial_free(conn);
	timer_clear(&conn->timed);
	if (end->why != 0)
		conn->server = loop_remove(conn->server);
	if (conn->kind == CONN_THROUGH)
		transparent_dialled(conn, end);
	else
		explicit_dialled(conn, end);
}

static void
succeed(struct conn *conn)
{
	struct dial_end end = {0};

	proxy_reached(conn->proxy, conn->name, conn->port);
	finish(conn, &end);
}

static void
fail(struct conn *conn, int why, const char *reason)
{
	struct dial_end end = {.why = why};

	snprintf(end.reason, sizeof end.reason, "%s", reason);
	finish(conn, &end);
}

static void
fail_by(struct conn *conn, int why)
{
	char reason[120];

	snprintf(reason, sizeof reason, "cannot be reached: %s", error_errno_text(why));
	fail(conn, why, reason);
}

static void
dial_late(struct timer *timed)
{
	struct conn *conn = (struct conn *)(void *)((char *)timed - offsetof(struct conn, timed));

	fail(conn, ETIMEDOUT, "does not answer");
}

/* ---- upstream proxy ---- */

static void
ask_upstream(struct conn *conn)
{
	const struct upstream *upstream = conn->dial->upstream;
	char text[1400];
	int length = snprintf(text, sizeof text, "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n%s\r\n",
			      conn->name, conn->port, conn->name, conn->port, upstream->header);

	conn->dial->is_asked = true;
	if (send(conn->server->fd, text, (size_t)length, MSG_NOSIGNAL) != length)
		fail(conn, ECONNREFUSED,
		     "cannot be reached: the proxy of your environment does not listen");
	else
		loop_want(conn->server, WATCH_READ);
}

/* Takes the head only: the bytes behind it come from the far side. */
static void
hear_upstream(struct conn *conn)
{
	char bytes[HTTP_HEAD_MAX], reason[100];
	ssize_t n = recv(conn->server->fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
	int status = 0, head;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	head = n <= 0 ? -1 : http_parse_status(bytes, (size_t)n, &status);
	if (head == 0) {
		int more = (int)n + 1;

		/* wake up when more than this has arrived */
		setsockopt(conn->server->fd, SOL_SOCKET, SO_RCVLOWAT, &more, sizeof more);
		return;
	}
	if (head > 0) {
		int one = 1;

		setsockopt(conn->server->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
		head = recv(conn->server->fd, bytes, (size_t)head, MSG_DONTWAIT) == head ? head
											 : -1;
	}
	snprintf(reason, sizeof reason, "cannot be reached: the proxy of your environment says %d",
		 status);
	if (head < 0)
		fail(conn, ECONNREFUSED,
		     "cannot be reached: the proxy of your environment gave no answer");
	else if (status < 200 || status > 299)
		fail(conn, ECONNREFUSED, reason);
	else
		succeed(conn);
}

/* ---- connecting ---- */

static void try_next(struct conn *conn);
static void fail_without_address(struct conn *conn);

/* A connection to this machine that was not recognised before connect(). */
static bool
came_home(const struct conn *conn)
{
	const struct dial *dial = conn->dial;
	const struct ip_address *address = &dial->addresses[dial->next - 1];

	return !dial->is_given && !network_covers_private(conn->proxy->network, address->bytes) &&
	       local_address_is_other_end(conn->server->fd);
}

static bool
is_asking(const struct dial *dial)
{
	return dial->queries[0] != NULL || dial->queries[1] != NULL;
}

static void
is_there(struct conn *conn)
{
	timer_clear(&conn->dial->attempt);
	drop_queries(conn->dial);
	if (came_home(conn)) {
		conn->dial->forbidden = conn->dial->addresses[conn->dial->next - 1];
		conn->dial->forbidden_as = CAUSE_ADDRESS_THIS_MACHINE;
		fail_without_address(conn);
		return;
	}
	if (conn->dial->upstream != NULL && !conn->is_plain)
		ask_upstream(conn);
	else
		succeed(conn);
}

static void
connected(void *owner, int events)
{
	struct conn *conn = owner;
	int why = 0;
	socklen_t size = sizeof why;

	(void)events;
	if (conn->dial->is_asked) {
		hear_upstream(conn);
		return;
	}
	getsockopt(conn->server->fd, SOL_SOCKET, SO_ERROR, &why, &size);
	conn->dial->why = why;
	if (why != 0)
		try_next(conn);
	else
		is_there(conn);
}

static void
attempt_late(struct timer *timed)
{
	struct dial *dial = (struct dial *)(void *)((char *)timed - offsetof(struct dial, attempt));

	dial->why = ETIMEDOUT;
	try_next(dial->conn);
}

/* Returns the result of a repeated connect(): 0 if connected, EINPROGRESS, or the error. */
static int
look_again(int fd, const struct sockaddr_storage *to, socklen_t length)
{
	int why = connect(fd, (const struct sockaddr *)to, length) == 0 ? 0 : errno, kept = 0;
	socklen_t size = sizeof kept;

	if (why == 0 || why == EISCONN)
		return 0;
	if (why == EALREADY)
		return EINPROGRESS;
	/* BSD keeps the first error and returns another one for the second connect() */
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &kept, &size) == 0 && kept != 0 ? kept : why;
}

/* *ret_why: as above. A connection within this machine completes at once. */
static bool
try_one(struct conn *conn, const struct ip_address *address, int *ret_why)
{
	struct sockaddr_storage to;
	socklen_t length = ip_to_socket(address, conn->dial->port, &to);
	int fd = os_socket(to.ss_family, SOCK_STREAM);

	*ret_why = errno;
	if (fd >= 0) {
		tunnel_options(fd);
		*ret_why = connect(fd, (struct sockaddr *)&to, length) == 0 ? 0 : errno;
		if (*ret_why == EINPROGRESS)
			*ret_why = look_again(fd, &to, length);
	}
	if (fd >= 0 && (*ret_why == 0 || *ret_why == EINPROGRESS)) {
		conn->server = loop_add(&conn->proxy->watches, fd, conn, connected);
		if (conn->server != NULL)
			return true;
		fd = -1;
		*ret_why = ENOMEM;
	}
	/* Landlock or Seatbelt denies the port */
	conn->dial->why = *ret_why == EACCES || *ret_why == EPERM ? ECONNREFUSED : *ret_why;
	if (fd >= 0)
		close(fd);
	return false;
}

/* The attempt gets a limited time while there is another address. */
static void
expect_attempt(struct conn *conn)
{
	struct dial *dial = conn->dial;

	if (dial->next < dial->count)
		timer_set(&conn->proxy->timers, &dial->attempt, ATTEMPT_MS, attempt_late);
}

static void
try_next(struct conn *conn)
{
	struct dial *dial = conn->dial;
	bool is_open = false;
	int why = 0;

	conn->server = loop_remove(conn->server);
	while (!is_open && dial->next < dial->count)
		is_open = try_one(conn, &dial->addresses[dial->next++], &why);
	if (!is_open) {
		/* looked_up goes on with the addresses of the other family */
		if (!is_asking(dial))
			fail_by(conn, dial->why);
		return;
	}
	if (why == 0) {
		is_there(conn);
		return;
	}
	loop_want(conn->server, WATCH_WRITE);
	expect_attempt(conn);
}

/* ---- looking up ---- */

/* The next to be tried, once the other family has been: its network may drop everything. */
static void
add_address(struct dial *dial, const struct ip_address *address, size_t at)
{
	memmove(dial->addresses + at + 1, dial->addresses + at,
		(dial->count - at) * sizeof *dial->addresses);
	dial->addresses[at] = *address;
	dial->count++;
}

/* Keeps the addresses that are allowed. An upstream proxy may have any address. */
static void
take_addresses(struct conn *conn, const struct dns_answer *answer)
{
	struct dial *dial = conn->dial;
	size_t at = dial->next > 0 ? dial->next : dial->count;

	dial->code = answer->code;
	dial->has_name = dial->has_name || answer->code == DNS_OK;
	for (size_t i = 0; i < answer->count && dial->count < ADDRESSES; i++) {
		const struct ip_address *address = &answer->addresses[i];
		enum cause what = dial->is_given
					  ? CAUSE_NONE
					  : proxy_address_denied_reason(conn->proxy, address);

		if (what == CAUSE_NONE && !dial->is_given &&
		    proxy_is_own(conn->proxy, address, dial->port))
			what = CAUSE_ADDRESS_THIS_PROXY;
		if (what == CAUSE_NONE) {
			add_address(dial, address, at++);
		} else {
			dial->forbidden = *address;
			dial->forbidden_as = what;
		}
	}
}

static void
fail_without_address(struct conn *conn)
{
	struct dial *dial = conn->dial;
	struct dial_end end = {.why = EHOSTUNREACH};

	if (dial->forbidden_as != CAUSE_NONE) {
		end.why = EACCES;
		end.refusal.cause = CAUSE_NET_LEADS_TO;
		end.refusal.detail = (uint16_t)dial->forbidden_as;
		ip_print(&dial->forbidden, end.refusal.name);
	} else if (dial->has_name || dial->code == DNS_NO_NAME) {
		snprintf(end.reason, sizeof end.reason, "has no address that the resolver knows");
	} else {
		snprintf(end.reason, sizeof end.reason,
			 "cannot be looked up: the resolver does not answer");
	}
	finish(conn, &end);
}

/* The first family with an address is tried at once; addresses of the other are tried when they come. */
static void
go_on(struct conn *conn)
{
	struct dial *dial = conn->dial;

	if (conn->server != NULL) {
		expect_attempt(conn);
		return;
	}
	if (dial->next == dial->count && is_asking(dial))
		return;
	if (dial->count > 0)
		try_next(conn);
	else
		fail_without_address(conn);
}

static void
looked_up(void *owner, enum dns_type type, const struct dns_answer *answer)
{
	struct conn *conn = owner;

	conn->dial->queries[type == DNS_AAAA] = NULL;
	take_addresses(conn, answer);
	go_on(conn);
}

static void
look_up(struct conn *conn)
{
	static const enum dns_type types[2] = {DNS_A, DNS_AAAA};
	struct dns_client *lookup = &conn->proxy->lookup;
	struct dial *dial = conn->dial;
	struct ip_address literal;
	struct dns_answer answer;

	if (ip_parse(dial->host, &literal)) {
		answer = (struct dns_answer){.count = 1, .addresses = {literal}};
		take_addresses(conn, &answer);
	}
	for (int i = 0; dial->count == 0 && i < 2; i++) {
		if (dns_client_known(lookup, dial->host, types[i], &answer))
			take_addresses(conn, &answer);
		else
			dial->queries[i] =
				dns_client_start(lookup, dial->host, types[i], conn, looked_up);
	}
	go_on(conn);
}

void
dial_start(struct conn *conn, const struct ip_address *only)
{
	struct dial *dial = calloc(1, sizeof *dial);

	conn->state = CONN_DIALS;
	if (dial == NULL) {
		conn_free(conn);
		return;
	}
	conn->dial = dial;
	dial->conn = conn;
	dial->why = EHOSTUNREACH;
	dial->upstream = upstream_for(&conn->proxy->upstreams, conn->is_plain, conn->name);
	dial->port = dial->upstream != NULL ? dial->upstream->port : conn->port;
	dial->is_given = dial->upstream != NULL;
	strcpy(dial->host, dial->upstream != NULL ? dial->upstream->host : conn->name);
	timer_set(&conn->proxy->timers, &conn->timed, DIAL_MS, dial_late);
	if (only == NULL || dial->upstream != NULL) {
		look_up(conn);
		return;
	}
	/* vetted already */
	dial->addresses[dial->count++] = *only;
	try_next(conn);
}
