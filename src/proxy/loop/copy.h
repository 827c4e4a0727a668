/* SPDX-License-Identifier: MIT */
/*
 * Bytes from one socket to another without looking at them. What the other side does not take stays
 * in the socket it came from: nothing is held here, however slow anybody is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define RELAY_SIZE (1024 * 1024)

struct flow {
	size_t piece; /* what is passed on at once: more as long as all of it is taken */
	bool ended;   /* nothing more comes */
	bool is_told; /* and the other side was told */
};

enum flow_wait {
	FLOW_FOR_INPUT,
	FLOW_FOR_OUTPUT,
	FLOW_AGAIN, /* there may be more at once; others have their turn first */
	FLOW_DONE,
	FLOW_BROKEN
};

/* Passes on what there is, but not for ever, and not the end; says what to wait for. */
enum flow_wait copy_pump(struct flow *flow, char buffer[RELAY_SIZE], int from, int to);
