/* SPDX-License-Identifier: MIT */
/*
 * A connection of the command: the client's socket, the socket to the far side, and the buffers between. An
 * explicit connection starts with a client that names its destination, a transparent one (CONN_THROUGH)
 * with a request from the broker. It ends when both sides have ended.
 */
#pragma once

#include "ipc/proxy_task.h"
#include "ipc/refusal.h"
#include "proxy/loop/copy.h"
#include "proxy/loop/timers.h"
#include "proxy/resolve/answer_cache.h"
#include "proxy/resolve/dns_client.h"
#include "proxy/resolve/upstream_proxy.h"
#include "proxy/server/own_conns.h"
#include "proxy/wire/inspect.h"

#define CONNS_MAX 16384
#define UNPROVEN_MAX 512 /* cap of connections that have not shown the token */

struct proxy {
	const struct proxy_task *task;
	const struct network *network;
	struct watches watches;
	struct timers timers;
	struct dns_client lookup;
	struct upstreams upstreams;
	struct answers answers;
	char *bulk; /* copy buffer of RELAY_SIZE bytes, shared by all connections */
	struct loop_watch *listeners[PROXY_SOCKETS];
	unsigned tries[PROXY_SOCKETS]; /* connections to accept per event */
	struct loop_watch *line;
	struct conn *conns, *unproven_last; /* newest first */
	unsigned conn_count, unproven, conns_max;
	unsigned descriptors; /* RLIMIT_NOFILE, from which conns_max follows */
	struct own_conns own_conns;
	struct stub_client *stub_clients;
	unsigned stub_count;
	struct refusal_memory {
		uint64_t hash;
		uint64_t at;
	} reported[16]; /* recent refusals, not reported again */
	unsigned reported_next;
	uint64_t reached[64]; /* hashes of destinations that were reported */
};

enum conn_kind { CONN_HTTP, CONN_SOCKS, CONN_THROUGH };

enum conn_state {
	CONN_HANDSHAKE, /* reading the client's request */
	CONN_DIALS,	/* connecting to the far side */
	CONN_READY,	/* transparent: connected to the far side, no client yet */
	CONN_FLOWS,
	CONN_LEAVES /* sending our closing message */
};

/* How bytes from the client reach the far side. */
enum conn_up {
	UP_CHECKED, /* as far as inspect_look accepts them */
	UP_ONE,	    /* one request body, then nothing */
	UP_RAW,
	UP_CLOSED /* no longer */
};

struct conn_bytes {
	char *at;
	size_t length, room;
};

struct conn {
	struct proxy *proxy;
	struct conn *next, *previous;
	struct timer timed;
	struct loop_watch *client, *server;
	struct dial *dial; /* while CONN_DIALS */
	enum conn_kind kind;
	enum conn_state state;
	enum conn_up up;
	int step;	/* step of the handshake */
	bool is_proven; /* showed the token, or the broker announced it */
	bool is_ended;	/* end of file from the client */
	bool is_broken; /* one side was reset */
	bool is_plain;	/* a single http request, no tunnel */
	char name[NAME_SIZE];
	unsigned port;
	struct ip_address address; /* transparent only */
	uint64_t id;
	struct ip_address comes_from; /* transparent: address of the client's end, once announced */
	unsigned comes_port;
	int early;	      /* transparent: a client that arrived before the far side; -1: none */
	struct conn_bytes in; /* received from the client */
	size_t good;	      /* prefix of in that may go to the far side */
	struct conn_bytes out; /* our messages for the client */
	struct inspection check;
	struct http_body body; /* for UP_ONE */
	struct flow rise, fall;
	struct wants {
		int client, server; /* events on each socket that this direction waits for */
	} up_wants, down_wants;
	unsigned seen; /* bytes of the server's answer read so far, for inspect_response */
	char answer[CHECK_ANSWER_MAX];
};

/* conn.c. Returns NULL if there are too many connections or memory is short. */
struct conn *conn_new(struct proxy *proxy, enum conn_kind kind);
void conn_free(struct conn *conn);
void conn_authenticated(struct conn *conn);
bool conn_bytes_add(struct conn_bytes *bytes, const char *at, size_t length);
void conn_bytes_drop(struct conn_bytes *bytes, size_t length);
/* Reads from the client into in. Returns false if the connection was freed. */
bool conn_read(struct conn *conn);
/* Queues text for the client. */
void conn_say(struct conn *conn, const char *text, size_t length);
/* Sends what out holds, then closes the connection. */
void conn_leave(struct conn *conn);

/* Inspect what the client sends; is_name tells whether the connection may use a name. */
void conn_check(struct conn *conn, bool (*is_name)(const void *conn, const char *name));

/* tunnel.c: starts copying in both directions. */
void tunnel_start(struct conn *conn);
/* Socket options for both sides. Accepted sockets inherit them from the listener. */
void tunnel_options(int fd);

/*
 * dial.c: connects to name and port, or to one address, then calls explicit_dialled or transparent_dialled.
 */
void dial_start(struct conn *conn, const struct ip_address *only);
void dial_free(struct conn *conn);
/* why: 0 or an errno. EACCES: refusal has the cause; else reason is text for the client. */
struct dial_end {
	int why;
	struct refusal refusal;
	char reason[120];
};
void explicit_dialled(struct conn *conn, const struct dial_end *end);
void transparent_dialled(struct conn *conn, const struct dial_end *end);

/* explicit.c, transparent.c, dns_stub.c: called when a listener is readable. */
void explicit_accept(void *proxy, int events);
void explicit_accept_6(void *proxy, int events);
void transparent_accept(void *proxy, int events);
void transparent_accept_6(void *proxy, int events);
void transparent_broker_message(void *proxy, int events);
void dns_stub_accept(void *proxy, int events);
void dns_stub_accept_6(void *proxy, int events);
/* transparent.c: reads all pending messages of the broker. */
void transparent_drain(struct proxy *proxy);
/* dns_stub.c: takes a client of this session. */
void dns_stub_start(struct proxy *proxy, int fd);

/* proxy.c: reports a refusal; repeats within a while are dropped. */
void proxy_refuse(struct proxy *proxy, enum refused what, const char *subject,
		  const struct refusal *why);
/* proxy.c: reports a destination that was reached, repeats are dropped. */
void proxy_reached(struct proxy *proxy, const char *name, unsigned port);
/* Returns true if the policy allows this name and port; else *ret_why has the reason. */
bool proxy_allows(struct proxy *proxy, const char *name, unsigned port, struct dial_end *ret_why);
/* Returns CAUSE_NONE if a name may resolve to the address, else what kind of address it is. */
enum cause proxy_address_denied_reason(const struct proxy *proxy, const struct ip_address *address);
/* Is this one of the proxy's listeners? */
bool proxy_is_own(const struct proxy *proxy, const struct ip_address *address, unsigned port);
/* Called for each accepted connection; takes ownership of fd. proxy_accept may leave some in the queue. */
typedef void proxy_arrived_fn(struct proxy *proxy, int fd, const struct sockaddr_storage *from);
void proxy_accept(struct proxy *proxy, enum proxy_socket which, proxy_arrived_fn *arrived);
