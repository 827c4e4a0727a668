/* SPDX-License-Identifier: MIT */
/*
 * Copies of the session's sockets, where pidfd_getfd is refused: then the broker makes every socket that may
 * be connected or bound, and keeps a copy until it is connected or listens. A copy of such a socket would
 * keep the connection open after the caller has closed it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct broker;
struct notif_call;

#define SOCKET_COPIES 512

enum socket_state {
	SOCKET_UNKNOWN,
	SOCKET_IDLE,
	SOCKET_CONNECTED,
	SOCKET_ARRIVED, /* connected after its connect returned EINPROGRESS: the next one returns 0 */
	SOCKET_LISTENING,
	SOCKET_NATIVE /* of the unix family, where Landlock decides about names */
};

struct socket_copies {
	pthread_mutex_t lock; /* protects the rest; all zero initially */
	struct socket_copy {
		ino_t inode; /* of the socket, unique while it is open */
		int fd;	     /* SOCKET_IDLE: the copy */
		enum socket_state state;
		bool is_given; /* the caller has it: once no process has it open, it is closed here */
	} all[SOCKET_COPIES];
	size_t count, next;
	int64_t swept; /* ms */
};

/* Are there copies, because sockets of callers cannot be duplicated? */
bool socket_copies_are_kept(const struct broker *broker);
/* Keeps a copy of fd and gives fd to the caller, like notif_give. */
void socket_copies_give(const struct notif_call *request, int fd, bool close_on_exec);
/*
 * A duplicate of the copy of the socket of which fd is an O_PATH fd; -1: none, and *ret_state is what it
 * became. connects: for connect(2).
 */
int socket_copies_take(struct broker *broker, int fd, bool connects, enum socket_state *ret_state);
/*
 * Closes the copy if the socket, of which fd is one, is connected, and notes the state. Returns whether it
 * is.
 */
bool socket_copies_settle(struct broker *broker, int fd, enum socket_state state);
/* Closes the copy. */
void socket_copies_drop(struct broker *broker, int fd, enum socket_state state);
/* Closes copies of sockets that no process of the session has open. */
void socket_copies_sweep(struct broker *broker);
