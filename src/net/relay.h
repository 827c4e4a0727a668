/* SPDX-License-Identifier: MIT */
/*
 * Bytes from one socket to another without looking at them. They stay in the kernel: in a pipe while
 * they move, or, when all pipes are taken, in the socket they came from.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pipe_pair {
	struct pipe_pair *next;
	int ends[2];
};

/* Pipes that are free; a connection holds one only while something is in it. */
struct pipes {
	struct pipe_pair *free;
	unsigned made;
};

struct flow {
	struct pipe_pair *pipe;
	size_t held;  /* bytes in it */
	bool ended;   /* nothing more comes */
	bool is_done; /* and all of it was passed on */
	bool is_told; /* and the end */
};

enum flow_wait {
	FLOW_FOR_INPUT,
	FLOW_FOR_OUTPUT,
	FLOW_AGAIN, /* there may be more at once; others have their turn first */
	FLOW_DONE,
	FLOW_BROKEN
};

/* Passes on what there is, but not for ever, and not the end; says what to wait for. */
enum flow_wait flow_pump(struct pipes *pipes, struct flow *flow, int from, int to);
/* Gives the pipe back. */
void flow_drop(struct pipes *pipes, struct flow *flow);
void pipes_free(struct pipes *pipes);
