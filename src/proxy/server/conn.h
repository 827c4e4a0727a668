/* SPDX-License-Identifier: MIT */
/*
 * A connection of the command's: the client's side, the far side, and what lies between. It starts
 * with a client that says where it wants to go (named), or with an address the broker asks about
 * (through); it ends when both sides have.
 */
#pragma once

#include "ipc/proxy_task.h"
#include "proxy/loop/copy.h"
#include "proxy/loop/timers.h"
#include "proxy/resolve/answer_cache.h"
#include "proxy/resolve/dns_client.h"
#include "proxy/resolve/upstream_proxy.h"
#include "proxy/server/own_conns.h"
#include "proxy/wire/inspect.h"

#define CONNS_MAX 16384
#define UNPROVEN_MAX 512 /* connections of whoever, that have shown no token yet */

struct proxy {
	const struct proxy_task *task;
	const struct network *network;
	struct watches watches;
	struct timers timers;
	struct lookup lookup;
	struct upstreams upstreams;
	struct answers answers;
	char *bulk; /* of RELAY_SIZE: what is on its way from one socket to another */
	struct poll_watch *listeners[PROXY_SOCKETS];
	unsigned tries[PROXY_SOCKETS]; /* connections that are looked for at once */
	struct poll_watch *line;
	struct conn *conns, *unproven_last; /* newest first */
	unsigned conn_count, unproven, conns_max;
	unsigned descriptors; /* the limit that conns_max comes from */
	struct own_conns own_conns;
	struct stub_client *stub_clients;
	unsigned stub_count;
	struct refusal_memory {
		uint64_t hash;
		uint64_t at;
	} told[16]; /* what was told lately is not told again */
	unsigned told_next;
};

enum conn_kind { CONN_HTTP, CONN_SOCKS, CONN_THROUGH };

enum conn_state {
	CONN_HANDSHAKE, /* the client says what it wants */
	CONN_DIALS,	/* the far side is being reached */
	CONN_READY,	/* through: the far side is there, the client is not */
	CONN_FLOWS,
	CONN_LEAVES /* our last words are on their way */
};

/* How the client's bytes go up. */
enum conn_up {
	UP_CHECKED, /* what inspect_look found good */
	UP_ONE,	    /* the body of one request, then nothing */
	UP_RAW,
	UP_CLOSED /* nothing is taken any more */
};

struct conn_bytes {
	char *at;
	size_t length, room;
};

struct conn {
	struct proxy *proxy;
	struct conn *next, *previous;
	struct timer timed;
	struct poll_watch *client, *server;
	struct dial *dial; /* while CONN_DIALS */
	enum conn_kind kind;
	enum conn_state state;
	enum conn_up up;
	int step;	/* of the greeting */
	bool is_proven; /* it showed the token, or is the broker's */
	bool is_ended;	/* the client says nothing more */
	bool is_broken; /* one side is gone without an end */
	bool is_plain;	/* one http request, not a tunnel */
	char name[NAME_SIZE];
	unsigned port;
	struct ip_address address; /* through */
	uint64_t id;
	struct ip_address comes_from; /* through: the client's own end, once announced */
	unsigned comes_port;
	int early; /* through: the client, while the far side is not there yet; -1: none */
	struct conn_bytes in;  /* from the client */
	size_t good;	       /* of them, from the front: may go up */
	struct conn_bytes out; /* ours, for the client */
	struct inspection check;
	struct http_body body; /* UP_ONE */
	struct flow rise, fall;
	struct wants {
		int client, server; /* events of either side that a direction waits for */
	} up_wants, down_wants;
	unsigned seen; /* bytes of an answer that decides what may go up */
	char answer[CHECK_ANSWER_MAX];
};

/* conn.c: life and death. NULL: too many, or no memory; client (may be NULL) is freed then. */
struct conn *conn_new(struct proxy *proxy, enum conn_kind kind);
void conn_free(struct conn *conn);
void conn_authenticated(struct conn *conn);
bool conn_bytes_add(struct conn_bytes *bytes, const char *at, size_t length);
void conn_bytes_drop(struct conn_bytes *bytes, size_t length);
/* Reads what the client sent into in; false: the connection is gone. */
bool conn_read(struct conn *conn);
/* Something for the client; sent as it can be. */
void conn_say(struct conn *conn, const char *text, size_t length);
/* Says what out holds, and then ends. */
void conn_leave(struct conn *conn);

/* What the client says will be held against the policy, and against is_name. */
void conn_check(struct conn *conn, bool (*is_name)(const void *conn, const char *name));

/* tunnel.c: from now on the two sides talk. */
void tunnel_start(struct conn *conn);
/* For both sides; those that a listener has are its connections' too. */
void tunnel_options(int fd);

/* dial.c: reaches name and port, or the one address; then conn_dialled. */
void dial_start(struct conn *conn, const struct ip_address *only);
void dial_free(struct conn *conn);
/* why: 0 or an errno. subject and reason are for people; allow may be "". */
struct dial_end {
	int why;
	char reason[200], allow[120];
};
void explicit_dialled(struct conn *conn, const struct dial_end *end);
void transparent_dialled(struct conn *conn, const struct dial_end *end);

/* explicit.c, transparent.c, dns_stub.c: what comes in at each listener. */
void explicit_accept(void *proxy, int events);
void explicit_accept_6(void *proxy, int events);
void transparent_accept(void *proxy, int events);
void transparent_accept_6(void *proxy, int events);
void transparent_broker_message(void *proxy, int events);
void dns_stub_accept(void *proxy, int events);
void dns_stub_accept_6(void *proxy, int events);
/* transparent.c: what the broker has said so far is known. */
void transparent_drain(struct proxy *proxy);
/* dns_stub.c: a client that is the session's own. */
void dns_stub_start(struct proxy *proxy, int fd);

/* proxy.c: the words of a refusal, told once in a while each. */
void proxy_refuse(struct proxy *proxy, const char *what, const char *subject, const char *reason,
		  const char *allow);
/* NULL: this name and port may be reached. Else why not, with the option that would allow it. */
bool proxy_allows(struct proxy *proxy, const char *name, unsigned port, struct dial_end *ret_why);
/* NULL: a name may lead there. Else what it is, to follow "which is". */
const char *proxy_address_denied_reason(const struct proxy *proxy,
					const struct ip_address *address);
#define PROXY_HERE "this machine"
/* Is that one of our own listeners? */
bool proxy_is_own(const struct proxy *proxy, const struct ip_address *address, unsigned port);
/* For each connection that waits at a listener, or for some of them; it is arrived's then. */
typedef void proxy_arrived_fn(struct proxy *proxy, int fd, const struct sockaddr_storage *from);
void proxy_accept(struct proxy *proxy, enum proxy_socket which, proxy_arrived_fn *arrived);
