/* SPDX-License-Identifier: MIT */
/* Shared by the socket handlers: a socket of the caller and an address that was read once. */
#pragma once

#include "linux/broker/connect.h"

#define TYPE_BITS 0xf /* the type without flags */

struct socket_call {
	const struct notif_call *request;
	int fd; /* duplicate of the caller's fd */
	int domain, type, protocol;
	union socket_address address; /* zero-padded */
	socklen_t size;
	enum socket_state state; /* without fd: what is known about it (socket_copies.h) */
	/*
	 * address on this machine, caller in a nest: which sockets listen there, and whether a nest's plan
	 * allowed it for that reason
	 */
	struct listening_by by;
	bool is_here;
};

/* Fills in the rest from the fd in the first argument. Returns false if the call has been answered. */
bool socket_take(struct socket_call *call, bool has_address);
/* Lets the kernel continue, after the duplicate is closed: the caller's close must be the last one. */
void socket_continue(struct socket_call *call);
/* Continues in connect.c, which takes the fd. pin as there. */
void socket_connect(struct socket_call *call, int pin);

/* Does a nest of the caller refuse this address? An invalid address is refused by the call itself. */
bool socket_is_unreachable(struct socket_call *call, bool is_bind);

/* unix.c, unix_bind.c */
void unix_connect(struct socket_call *call);
void unix_bind(struct socket_call *call);
/*
 * Checks the address of a datagram and replaces it by one that the broker can use. Returns 0 or an errno.
 * *ret_pin: O_PATH fd of the socket, as in connect.h; -1: none.
 */
int unix_send_to(struct socket_call *call, int *ret_pin);
/* May the object get another path? Not a socket that can be reached only there. */
bool unix_may_move(const struct notif_call *request, int folder, const char *name, const char *from,
		   const char *to);
bool unix_may_connect(const struct notif_call *request, const char *path, int64_t born,
		      int64_t changed);
/* inet_connect.c, inet_socket.c; each answers */
void inet_connect(struct socket_call *call);
void inet_bind(struct socket_call *call);
void inet_listen(struct socket_call *call, int backlog);
void inet_make(const struct notif_call *request);
/* As unix_send_to. With size 0 there is no address, and only the socket is checked. */
int inet_send_to(struct socket_call *call);
/* The address of a call. Returns 0, or the kernel's errno for an address of another family. */
int inet_destination(const struct socket_call *call, struct destination *to);
/*
 * May it be connected or bound by the session's own plan? For queries of an outer broker. *ret_here: only
 * while it is the same server.
 */
struct nest_question;
bool inet_may_reach(const struct broker *broker, const struct nest_question *question,
		    bool *ret_here);
