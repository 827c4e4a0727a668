/* SPDX-License-Identifier: MIT */
/*
 * A message sent on behalf, on the caller's own socket: address and control data were read once and judged,
 * the data is copied from the caller. It never keeps a receiving thread waiting.
 */
#pragma once

#include <sys/uio.h>

#include "linux/broker/connect.h"

struct send_call {
	struct notif_call request;
	int fd;	  /* the caller's, shared with it; belongs to us, as everything below */
	int pin;  /* of a unix socket by path, which address names; -1: none */
	int type; /* of the socket */
	int flags;
	union socket_address address;
	socklen_t size;	     /* 0: no address */
	struct iovec *parts; /* where the data lies in the caller */
	size_t part_count;
	size_t length, done; /* of all of it */
	char *data;	     /* a copy of what comes next: of a stream a piece, else everything */
	size_t from, have;   /* what of the copy has been sent, and its size */
	char *control;	     /* as sendmsg(2) takes it; NULL: none, or sent */
	size_t control_size;
	int *files; /* that control passes on */
	size_t file_count;
	uint64_t length_at; /* sendmmsg: where the caller wants what was sent; 0: as the result */
};

/* One try that never waits: 0, or an errno. */
#define SENDING_MORE EINPROGRESS /* a piece is sent, others are left */
int send_call_try(struct send_call *sending);
/* Would the caller wait where EAGAIN is said? */
bool send_call_waits(const struct send_call *sending);
/* Goes on until it is sent or cannot be, in a thread of its own, and answers. */
void send_call_park(const struct send_call *sending);
/* Lets go of everything that belongs to it. */
void send_call_drop(struct send_call *sending);
/* Lets go, and answers: 0 or an errno. */
void send_call_finish(struct send_call *sending, int why);
/* What sendmmsg has to write for one message. */
void send_call_note_length(const struct send_call *sending);
