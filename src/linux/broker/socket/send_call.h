/* SPDX-License-Identifier: MIT */
/*
 * A message sent on behalf, on the caller's own socket. Address and control data are read once and checked,
 * the data is copied from the caller. A receiving thread never waits for it.
 */
#pragma once

#include <sys/uio.h>

#include "linux/broker/connect.h"

struct send_call {
	struct notif_call request;
	int fd;	  /* duplicate of the caller's fd; owned, as everything below */
	int pin;  /* O_PATH fd of a unix socket, which address names; -1: none */
	int type; /* socket type */
	int flags;
	union socket_address address;
	socklen_t size;	     /* 0: no address */
	struct iovec *parts; /* the data in the caller's memory */
	size_t part_count;
	size_t length, done; /* total, and sent so far */
	char *data;	     /* copy of the next part: for a stream a piece, else the message */
	size_t from, have;   /* bytes of the copy already sent, and its size */
	char *control;	     /* for sendmsg(2); NULL: none, or sent */
	socklen_t control_size;
	int *files; /* fds in control */
	size_t file_count;
	uint64_t length_at; /* sendmmsg: address for the length; 0: the length is the result */
};

/* One attempt that never blocks. Returns 0 or an errno. */
#define SENDING_MORE EINPROGRESS /* a piece was sent, others are left */
int send_call_try(struct send_call *sending);
/* Would the caller block on EAGAIN? */
bool send_call_waits(const struct send_call *sending);
/* Continues in its own thread until it is sent or fails, and answers. */
void send_call_park(const struct send_call *sending);
/* Frees everything it owns. */
void send_call_drop(struct send_call *sending);
/* Frees everything and answers with 0 or an errno. */
void send_call_finish(struct send_call *sending, int why);
/* Writes the length of one message of sendmmsg. */
void send_call_note_length(const struct send_call *sending);
