/* SPDX-License-Identifier: MIT */
/* What the files about sockets share: one of the caller's, and an address that was read once. */
#pragma once

#include "linux/broker/connect.h"

#define TYPE_BITS 0xf /* of a socket's type; the others are flags */

struct socket_call {
	const struct notif_call *request;
	int fd; /* the caller's, shared with it */
	int domain, type, protocol;
	union socket_address address; /* zeros behind it */
	socklen_t size;
	/* of one to this machine, by a caller in a sandbox inside: who listens there, and whether a
	 * plan of these sandboxes said yes because of that */
	struct listening_by by;
	bool is_here;
};

/* Fills in the rest for the descriptor in the first argument; false: the call has been answered. */
bool socket_take(struct socket_call *call, bool has_address);
/* Goes on in connect.c, which gets the descriptor. pin as there. */
void socket_connect(struct socket_call *call, int pin);

/*
 * Does a sandbox inside, which the caller is in, refuse this address? What is no address is refused, or
 * taken back, by the call itself.
 */
bool socket_is_unreachable(struct socket_call *call, bool is_bind);

/* unix.c, unix_bind.c */
void unix_connect(struct socket_call *call);
void unix_bind(struct socket_call *call);
/*
 * The address of a datagram, judged and replaced by one that the broker can use: 0, or an errno for the
 * caller. *ret_pin holds the socket that the address names, as in connect.h; -1: none.
 */
int unix_send_to(struct socket_call *call, int *ret_pin);
/* May what lies at that name have another path? Not a socket that could only be reached there. */
bool unix_may_move(const struct notif_call *request, int folder, const char *name, const char *from,
		   const char *to);
bool unix_may_connect(const struct notif_call *request, const char *path, int64_t born,
		      int64_t changed);
/* inet_connect.c, inet_socket.c; each answers */
void inet_connect(struct socket_call *call);
void inet_bind(struct socket_call *call);
void inet_listen(struct socket_call *call, int backlog);
void inet_make(const struct notif_call *request);
/* Like unix_send_to. With size 0 there is no address, and the socket alone is checked. */
int inet_send_to(struct socket_call *call);
/* The address of a call: 0, or the errno that the kernel has for one of another kind. */
int inet_destination(const struct socket_call *call, struct destination *to);
/*
 * May it be connected or bound to by our own plan, which a broker around us asks about? *ret_here: only
 * if it is still the same server.
 */
struct nest_question;
bool inet_may_reach(const struct broker *broker, const struct nest_question *question,
		    bool *ret_here);
