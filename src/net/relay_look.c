// SPDX-License-Identifier: MIT
/* A system without splice has no pipes for relaying: everything is looked at, sent, and then taken. */
#include "net/relay.h"

struct pipe_pair *
pipe_take(struct pipes *pipes)
{
	(void)pipes;
	return NULL;
}

enum flow_wait
pipe_drain(struct flow *flow, int to)
{
	(void)flow, (void)to;
	return FLOW_BROKEN;
}

enum flow_wait
pipe_turn(struct pipes *pipes, struct flow *flow, int from, int to)
{
	(void)pipes, (void)flow, (void)from, (void)to;
	return FLOW_BROKEN;
}

void
flow_drop(struct pipes *pipes, struct flow *flow)
{
	(void)pipes, (void)flow;
}

void
pipes_free(struct pipes *pipes)
{
	(void)pipes;
}
