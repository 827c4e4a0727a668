// SPDX-License-Identifier: MIT
/*
 * Reads listening sockets by sock_diag: address, port and cookie of each. All sockets that could accept
 * the connection must be the session's, also if the kernel would prefer one of them. Missing or malformed
 * answers count as a foreign socket.
 */
#include "linux/broker/own_listeners.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

#define LISTENING 10 /* TCP_LISTEN of the kernel */
#define ROOM_FIRST 32
#define ROOM_MAX 65536
#define ANSWER 16384

#ifndef SO_COOKIE
#define SO_COOKIE 57
#endif

struct diag_query {
	struct own_listeners *listeners;
	const uint8_t *address; /* NULL: any */
	uint16_t port;		/* likewise 0 */
	enum listening found;
	struct listening_by by;
	bool is_full;
	bool *seen; /* One flag per remembered listener; NULL if the caller does not need it. */
};

/* ---- remembered sockets ---- */

/* Returns count if it is not remembered. */
static size_t
slot_of(const struct own_listeners *listeners, uint64_t cookie)
{
	size_t i = 0;

	while (i < listeners->count && listeners->all[i].cookie != cookie)
		i++;
	return i;
}

static uint64_t
mix(uint64_t cookie)
{
	uint64_t mixed = cookie * 0xbf58476d1ce4e5b9u;

	return mixed ^ mixed >> 31;
}

/* ---- the kernel's answer ---- */

static bool
is_v6_only(const struct nlmsghdr *header, const struct inet_diag_msg *one)
{
	const char *at = (const char *)(one + 1), *end = (const char *)header + header->nlmsg_len;
	struct nlattr part;

	while ((size_t)(end - at) > sizeof part) {
		memcpy(&part, at, sizeof part);
		if (part.nla_len <= sizeof part || part.nla_len > (size_t)(end - at))
			break;
		if (part.nla_type == INET_DIAG_SKV6ONLY)
			return at[sizeof part] != 0;
		if (NLA_ALIGN(part.nla_len) >= end - at)
			break;
		at += NLA_ALIGN(part.nla_len);
	}
	return false;
}

/* Would it accept a connection to this address? */
static bool
takes(const struct nlmsghdr *header, const struct inet_diag_msg *one, const uint8_t address[16])
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff}, zero[16];
	bool wants_v4 = memcmp(address, prefix, sizeof prefix) == 0;
	const uint8_t *own = (const uint8_t *)one->id.idiag_src;

	if (one->idiag_family == AF_INET)
		return wants_v4 && (memcmp(own, zero, 4) == 0 || memcmp(own, address + 12, 4) == 0);
	if (memcmp(own, zero, 16) == 0)
		return !wants_v4 || !is_v6_only(header, one);
	return memcmp(own, address, 16) == 0 ||
	       (wants_v4 && memcmp(own, prefix, 12) == 0 && memcmp(own + 12, zero, 4) == 0);
}

static void
note(struct diag_query *question, const struct nlmsghdr *header)
{
	const struct inet_diag_msg *one = NLMSG_DATA(header);
	uint64_t cookie;
	size_t slot;

	if (header->nlmsg_len < NLMSG_LENGTH(sizeof *one)) {
		question->found = LISTENS_OTHER;
		return;
	}
	if (one->idiag_state != LISTENING ||
	    (question->port != 0 && ntohs(one->id.idiag_sport) != question->port) ||
	    (question->address != NULL && !takes(header, one, question->address)))
		return;
	cookie = one->id.idiag_cookie[0] | (uint64_t)one->id.idiag_cookie[1] << 32;
	slot = slot_of(question->listeners, cookie);
	if (slot == question->listeners->count) {
		question->found = LISTENS_OTHER;
		return;
	}
	if (question->seen != NULL)
		question->seen[slot] = true;
	if (question->found == LISTENS_NOBODY) {
		question->found = LISTENS_OWN;
		question->by.nest = question->listeners->all[slot].by;
	}
	if (question->by.nest != question->listeners->all[slot].by)
		question->by.nest = 0;
	/* for a listening socket: queue length and its limit */
	question->is_full = question->is_full || one->idiag_rqueue > one->idiag_wqueue;
	question->by.listener_set += mix(cookie);
}

static bool
ask(int line, int family, uint16_t port)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 body;
	} request = {
		.header = {.nlmsg_len = sizeof request,
			   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.body = {.sdiag_family = (uint8_t)family,
			 .sdiag_protocol = IPPROTO_TCP,
			 .idiag_states = 1u << LISTENING,
			 .id.idiag_sport = htons(port)},
	};

	return send(line, &request, sizeof request, 0) == (ssize_t)sizeof request;
}

/* Returns 1 if more follows, 0 at the end, -1 if malformed. */
static int
read_answer(struct diag_query *question, int line)
{
	_Alignas(struct nlmsghdr) char bytes[ANSWER];
	size_t at = 0;
	ssize_t n;

	do
		n = recv(line, bytes, sizeof bytes, MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n <= 0 || n > (ssize_t)sizeof bytes)
		return -1;
	while ((size_t)n - at >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *header = (const void *)(bytes + at);

		if (header->nlmsg_len < sizeof *header || header->nlmsg_len > (size_t)n - at)
			return -1;
		if (header->nlmsg_type == NLMSG_DONE)
			return header->nlmsg_flags & NLM_F_DUMP_INTR ? -1 : 0;
		if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_flags & NLM_F_DUMP_INTR)
			return -1;
		note(question, header);
		if (NLMSG_ALIGN(header->nlmsg_len) >= (size_t)n - at)
			break;
		at += NLMSG_ALIGN(header->nlmsg_len);
	}
	return 1;
}

/* Returns false if the answer is incomplete. */
static bool
find(struct diag_query *question)
{
	static const int families[] = {AF_INET, AF_INET6};
	bool is_whole = true;

	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
		auto_fd int line = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
		bool asked = line >= 0 && ask(line, families[i], question->port);
		int more = asked ? 1 : -1;

		while (more > 0)
			more = read_answer(question, line);
		is_whole = is_whole && more == 0;
	}
	if (!is_whole)
		question->found = LISTENS_OTHER;
	return is_whole;
}

enum listening
own_listeners_find(struct own_listeners *listeners, const uint8_t address[16], uint16_t port,
		   struct listening_by *ret_by)
{
	struct diag_query question = {.listeners = listeners, .address = address, .port = port};

	pthread_mutex_lock(&listeners->lock);
	find(&question);
	pthread_mutex_unlock(&listeners->lock);
	if (question.found == LISTENS_OTHER)
		question.by.nest = 0;
	*ret_by = question.by;
	return question.found == LISTENS_OWN && question.is_full ? LISTENS_FULL : question.found;
}

/* ---- remember and forget ---- */

/* Forgets sockets that do not listen any more; none, if the kernel's answer is incomplete. */
static void
forget_gone(struct own_listeners *listeners)
{
	struct diag_query question = {.listeners = listeners,
				      .seen = calloc(listeners->count, sizeof *question.seen)};
	size_t kept = 0;

	if (question.seen != NULL && find(&question)) {
		for (size_t i = 0; i < listeners->count; i++)
			if (question.seen[i])
				listeners->all[kept++] = listeners->all[i];
		listeners->count = kept;
	}
	free(question.seen);
}

static bool
make_room(struct own_listeners *listeners)
{
	size_t room = listeners->room == 0 ? ROOM_FIRST : 2 * listeners->room;
	struct listener *moved;

	if (listeners->count < listeners->room)
		return true;
	if (listeners->count > 0)
		forget_gone(listeners);
	if (listeners->count < listeners->room / 2)
		return true;
	moved = room > ROOM_MAX ? NULL : realloc(listeners->all, room * sizeof *moved);
	if (moved == NULL)
		return listeners->count < listeners->room;
	listeners->all = moved;
	listeners->room = room;
	return true;
}

void
own_listeners_add(struct own_listeners *listeners, int fd, uint64_t by)
{
	uint64_t cookie = 0;
	socklen_t size = sizeof cookie;

	if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) < 0)
		return;
	pthread_mutex_lock(&listeners->lock);
	if (slot_of(listeners, cookie) == listeners->count && make_room(listeners))
		listeners->all[listeners->count++] = (struct listener){cookie, by};
	pthread_mutex_unlock(&listeners->lock);
}
