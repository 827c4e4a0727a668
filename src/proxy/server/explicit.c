// SPDX-License-Identifier: MIT
/*
 * The listener for programs that use proxy variables: HTTP CONNECT, http URLs and SOCKS5, recognised by the
 * first byte. Nothing is resolved or connected for a client without the session's token.
 */
#include "base/os.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "proxy/server/conn.h"
#include "proxy/wire/socks.h"

enum { STEP_FIRST, STEP_HTTP, STEP_SOCKS_GREETING, STEP_SOCKS_PASSWORD, STEP_SOCKS_REQUEST };

/* The reason phrase of each status. */
static const struct {
	int status;
	const char *word;
} words[] = {
	{400, "Bad Request"},
	{403, "Forbidden"},
	{407, "Proxy Authentication Required"},
	{431, "Request Header Fields Too Large"},
	{502, "Bad Gateway"},
	{504, "Gateway Timeout"},
	{505, "HTTP Version Not Supported"},
};

static const char *
word_of(int status)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (words[i].status == status)
			return words[i].word;
	return "Refused";
}

static bool
is_own_name(const void *context, const char *name)
{
	return strcmp(((const struct conn *)context)->name, name) == 0;
}

/* ---- refusals ---- */

static void
refuse_http(struct conn *conn, int status, const char *reason)
{
	char body[700], text[1100];
	int length = snprintf(body, sizeof body, "cordon: %s\n", reason);
	int size = snprintf(text, sizeof text,
			    "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\n%s"
			    "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
			    status, word_of(status),
			    status == 407 ? "Proxy-Authenticate: Basic realm=\"cordon\"\r\n" : "",
			    length, body);

	conn_say(conn, text, (size_t)size);
	conn_leave(conn);
}

static void
say_socks(struct conn *conn, enum socks_reply reply)
{
	const char text[10] = {SOCKS_VERSION, (char)reply, 0, 1};

	conn_say(conn, text, sizeof text);
}

static enum socks_reply
socks_reply_for(int why)
{
	switch (why) {
	case 0:
		return SOCKS_OK;
	case EACCES:
		return SOCKS_NOT_ALLOWED;
	case ECONNREFUSED:
		return SOCKS_REFUSED;
	case ETIMEDOUT:
		return SOCKS_TIMED_OUT;
	default:
		return SOCKS_HOST_UNREACHABLE;
	}
}

/* Not connected: refused by the policy (EACCES) or failed. */
static void
refuse(struct conn *conn, const struct dial_end *end)
{
	auto_str struct str body = {0}, option = {0};
	char subject[NAME_SIZE + 16];

	snprintf(subject, sizeof subject, "%s:%u", conn->name, conn->port);
	if (end->why == EACCES)
		proxy_refuse(conn->proxy, REFUSED_CONNECT, subject, &end->refusal);
	if (conn->kind == CONN_SOCKS) {
		say_socks(conn, socks_reply_for(end->why));
		conn_leave(conn);
		return;
	}
	str_printf(&body, "%s %s", conn->name, end->reason);
	if (end->why == EACCES) {
		struct refusal refusal = end->refusal;

		strcpy(refusal.subject, subject);
		refusal_print_reason(&refusal, &body);
		refusal_print_option(&refusal, &option);
	}
	if (option.length > 0 && *option.text == '-')
		str_printf(&body, "; allow it with %s", option.text);
	refuse_http(conn,
		    end->why == EACCES	    ? 403
		    : end->why == ETIMEDOUT ? 504
					    : 502,
		    body.failed ? conn->name : body.text);
}

static void
go(struct conn *conn)
{
	struct dial_end why = {0};

	if (proxy_allows(conn->proxy, conn->name, conn->port, &why))
		dial_start(conn, NULL);
	else
		refuse(conn, &why);
}

/* ---- HTTP ---- */

/* Replaces the client's request by the one for the far side. */
static bool
put_request(struct conn *conn)
{
	const struct upstream *upstream = upstream_for(&conn->proxy->upstreams, true, conn->name);
	char head[HTTP_HEAD_MAX + 1024];
	struct http_request request;
	struct conn_bytes rest = {0};
	enum cause reason;
	int size = http_parse(conn->in.at, conn->in.length, &request, &reason);
	ssize_t length = size <= 0 ? -1
				   : http_rewrite(&request, upstream == NULL,
						  upstream == NULL ? "" : upstream->header, head,
						  sizeof head);

	if (length < 0 || !conn_bytes_add(&rest, head, (size_t)length))
		return false;
	http_body_begin(&conn->body, &request);
	if (!conn_bytes_add(&rest, conn->in.at + size, conn->in.length - (size_t)size)) {
		conn_bytes_drop(&rest, rest.length);
		return false;
	}
	conn_bytes_drop(&conn->in, conn->in.length);
	conn->in = rest;
	conn->good = (size_t)length;
	return true;
}

/* Reports requests of this session only: any process on the machine can connect to the port. */
static void
report(struct conn *conn, const struct http_request *request, enum cause why)
{
	char subject[NAME_SIZE + 16];

	if (!http_is_authorized(&request->authorization, PROXY_USER, conn->proxy->task->token))
		return;
	snprintf(subject, sizeof subject, "%s:%u", request->name, request->port);
	proxy_refuse(conn->proxy, REFUSED_CONNECT, subject,
		     &(struct refusal){.cause = (uint16_t)why});
}

static void
take_http(struct conn *conn)
{
	struct http_request request;
	enum cause reason;
	int size = http_parse(conn->in.at, conn->in.length, &request, &reason);
	char text[300];

	if (size == 0) {
		if (conn->is_ended)
			conn_free(conn);
		return;
	}
	if (size == -403)
		report(conn, &request, reason);
	if (size < 0) {
		snprintf(text, sizeof text, "this request is refused: %s", cause_text(reason));
		refuse_http(conn, -size, text);
		return;
	}
	if (!http_is_authorized(&request.authorization, PROXY_USER, conn->proxy->task->token)) {
		refuse_http(conn, 407,
			    "this proxy is for one session, whose HTTP_PROXY has its token");
		return;
	}
	conn_authenticated(conn);
	if (request.form == HTTP_ORIGIN) {
		refuse_http(conn, 400, "this is a proxy: it accepts CONNECT and http URLs");
		return;
	}
	memcpy(conn->name, request.name, sizeof conn->name);
	conn->port = request.port;
	conn->is_plain = request.form == HTTP_ABSOLUTE;
	if (!conn->is_plain)
		conn_bytes_drop(&conn->in, (size_t)size);
	go(conn);
}

/* ---- SOCKS ---- */

static bool
take_greeting(struct conn *conn, const uint8_t *bytes)
{
	bool takes_password = false;
	int size = socks_greeting(bytes, conn->in.length, &takes_password);
	char answer[2] = {SOCKS_VERSION, SOCKS_METHOD_PASSWORD};

	if (size == 0)
		return false;
	if (size < 0 || !takes_password)
		answer[1] = (char)SOCKS_METHOD_NONE;
	conn_say(conn, answer, sizeof answer);
	if (size < 0 || !takes_password) {
		conn_leave(conn);
		return false;
	}
	conn_bytes_drop(&conn->in, (size_t)size);
	conn->step = STEP_SOCKS_PASSWORD;
	return true;
}

static bool
take_password(struct conn *conn, const uint8_t *bytes)
{
	bool right = false;
	int size = socks_password(bytes, conn->in.length, PROXY_USER, conn->proxy->task->token,
				  &right);
	char answer[2] = {SOCKS_AUTH_VERSION, 0};

	if (size == 0)
		return false;
	answer[1] = size < 0 || !right;
	conn_say(conn, answer, sizeof answer);
	if (answer[1] != 0) {
		conn_leave(conn);
		return false;
	}
	conn_authenticated(conn);
	conn_bytes_drop(&conn->in, (size_t)size);
	conn->step = STEP_SOCKS_REQUEST;
	return true;
}

static bool
take_request(struct conn *conn, const uint8_t *bytes)
{
	struct socks_request request = {.reply = SOCKS_FAILED};
	int size = socks_request(bytes, conn->in.length, &request);

	if (size == 0)
		return false;
	if (size < 0 || request.reply != SOCKS_OK) {
		say_socks(conn, size < 0 ? SOCKS_FAILED : request.reply);
		conn_leave(conn);
		return false;
	}
	conn_bytes_drop(&conn->in, (size_t)size);
	memcpy(conn->name, request.name, sizeof conn->name);
	conn->port = request.port;
	go(conn);
	return false;
}

static void
take_socks(struct conn *conn)
{
	static bool (*const steps[])(struct conn *, const uint8_t *) = {
		[STEP_SOCKS_GREETING] = take_greeting,
		[STEP_SOCKS_PASSWORD] = take_password,
		[STEP_SOCKS_REQUEST] = take_request,
	};
	bool ended = conn->is_ended;

	/* a step returns false after it ended or freed the connection */
	while (conn->in.length > 0)
		if (!steps[conn->step](conn, (const uint8_t *)conn->in.at))
			return;
	if (ended)
		conn_free(conn);
}

static void
greeted(void *owner, int events)
{
	struct conn *conn = owner;

	/* stop reading from a client that sends before the far side is connected */
	if (conn->state == CONN_DIALS) {
		loop_want(conn->client, 0);
		if (events & WATCH_BROKEN)
			conn_free(conn);
		return;
	}
	if (!conn_read(conn))
		return;
	if (conn->in.length == 0) {
		if (conn->is_ended)
			conn_free(conn);
		return;
	}
	if (conn->step == STEP_FIRST) {
		conn->kind = conn->in.at[0] == SOCKS_VERSION ? CONN_SOCKS : CONN_HTTP;
		conn->step = conn->kind == CONN_SOCKS ? STEP_SOCKS_GREETING : STEP_HTTP;
	}
	if (conn->kind == CONN_SOCKS)
		take_socks(conn);
	else
		take_http(conn);
}

void
explicit_dialled(struct conn *conn, const struct dial_end *end)
{
	static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";

	if (end->why != 0) {
		refuse(conn, end);
		return;
	}
	conn_check(conn, is_own_name);
	conn->up = conn->is_plain ? UP_ONE : UP_CHECKED;
	if (conn->is_plain && !put_request(conn)) {
		refuse_http(conn, 431, "this request is too long");
		return;
	}
	if (conn->kind == CONN_SOCKS)
		say_socks(conn, SOCKS_OK);
	else if (!conn->is_plain)
		conn_say(conn, established, sizeof established - 1);
	tunnel_start(conn);
}

static void
arrived(struct proxy *proxy, int fd, const struct sockaddr_storage *from)
{
	struct conn *conn = conn_new(proxy, CONN_HTTP);

	(void)from;
	if (conn == NULL) {
		close(fd);
		return;
	}
	conn->client = loop_add(&proxy->watches, fd, conn, greeted);
	if (conn->client == NULL) {
		conn_free(conn);
		return;
	}
	loop_want(conn->client, WATCH_READ);
	greeted(conn, 0);
}

void
explicit_accept(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_NAMED, arrived);
}

void
explicit_accept_6(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_NAMED_6, arrived);
}
