/* SPDX-License-Identifier: MIT */
/*
 * Copies bytes from one socket to another without inspecting them. Bytes that the destination does not
 * accept stay in the receive queue of the source: the proxy buffers nothing, so a slow peer costs no
 * memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define RELAY_SIZE (1024 * 1024)

struct flow {
	size_t piece; /* bytes to copy at once; grows while sends are complete */
	bool ended;   /* the source is at end of file */
	bool is_shut; /* the destination has been shut down for writing */
};

enum flow_wait {
	FLOW_FOR_INPUT,
	FLOW_FOR_OUTPUT,
	FLOW_AGAIN, /* more may be ready; returned so that other connections run first */
	FLOW_DONE,
	FLOW_BROKEN
};

/* Copies what is ready, a bounded amount. Does not pass on end of file. Returns what to wait for. */
enum flow_wait copy_pump(struct flow *flow, char buffer[RELAY_SIZE], int from, int to);
