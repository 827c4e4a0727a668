// SPDX-License-Identifier: MIT
/*
 * Relaying: through a pipe where there is one to be had, else by looking, sending and then taking what
 * was sent.
 */
#include "base/compat.h"

#include "net/relay.h"

#define LOOK 16384
#define TURNS 8

static bool
is_later(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Nothing is taken that the other side has not got. */
static enum flow_wait
turn_by_look(struct flow *flow, int from, int to)
{
	char bytes[LOOK];
	ssize_t n = recv(from, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT), sent;

	if (n < 0)
		return is_later() ? FLOW_FOR_INPUT : FLOW_BROKEN;
	flow->ended = n == 0;
	if (n == 0)
		return FLOW_AGAIN;
	sent = send(to, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent < 0)
		return is_later() ? FLOW_FOR_OUTPUT : FLOW_BROKEN;
	if (recv(from, bytes, (size_t)sent, MSG_DONTWAIT) != sent)
		return FLOW_BROKEN;
	return sent < n ? FLOW_FOR_OUTPUT : FLOW_AGAIN;
}

enum flow_wait
flow_pump(struct pipes *pipes, struct flow *flow, int from, int to)
{
	enum flow_wait wait = flow->held > 0 ? pipe_drain(flow, to) : FLOW_AGAIN;

	for (int i = 0; wait == FLOW_AGAIN && !flow->ended && i < TURNS; i++) {
		if (flow->pipe == NULL)
			flow->pipe = pipe_take(pipes);
		wait = flow->pipe != NULL ? pipe_turn(pipes, flow, from, to)
					  : turn_by_look(flow, from, to);
	}
	if (wait != FLOW_AGAIN || !flow->ended)
		return wait;
	flow_drop(pipes, flow);
	flow->is_done = true;
	return FLOW_DONE;
}
