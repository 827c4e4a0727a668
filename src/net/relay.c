// SPDX-License-Identifier: MIT
/* Relaying by splice, and without a pipe by looking, sending and then taking what was sent. */
#include "base/compat.h"

#include "net/relay.h"

#include <stdlib.h>
#include <unistd.h>

#define PIPES_MAX 64
#define PIPE_SIZE (256 * 1024)
#define PIECE (1024 * 1024)
#define LOOK 4096
#define LITTLE 16384 /* less than that was all there was */
#define TURNS 8

static struct pipe_pair *
pipe_take(struct pipes *pipes)
{
	struct pipe_pair *pair = pipes->free;

	if (pair != NULL) {
		pipes->free = pair->next;
		return pair;
	}
	if (pipes->made >= PIPES_MAX)
		return NULL;
	pair = malloc(sizeof *pair);
	if (pair == NULL || pipe2(pair->ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		free(pair);
		return NULL;
	}
	/* fewer turns; a refusal, for want of pages, costs nothing but them */
	fcntl(pair->ends[0], F_SETPIPE_SZ, PIPE_SIZE);
	pipes->made++;
	return pair;
}

static void
pipe_close(struct pipes *pipes, struct pipe_pair *pair)
{
	close(pair->ends[0]);
	close(pair->ends[1]);
	free(pair);
	pipes->made--;
}

void
flow_drop(struct pipes *pipes, struct flow *flow)
{
	struct pipe_pair *pair = flow->pipe;

	flow->pipe = NULL;
	if (pair == NULL)
		return;
	/* what one connection left must not come out of another */
	if (flow->held > 0) {
		pipe_close(pipes, pair);
		flow->held = 0;
		return;
	}
	pair->next = pipes->free;
	pipes->free = pair;
}

void
pipes_free(struct pipes *pipes)
{
	while (pipes->free != NULL) {
		struct pipe_pair *pair = pipes->free;

		pipes->free = pair->next;
		pipe_close(pipes, pair);
	}
}

static bool
is_later(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* What waits in the pipe. */
static enum flow_wait
drain(struct flow *flow, int to)
{
	while (flow->held > 0) {
		ssize_t n = splice(flow->pipe->ends[0], NULL, to, NULL, flow->held,
				   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0)
			return is_later() ? FLOW_FOR_OUTPUT : FLOW_BROKEN;
		flow->held -= (size_t)n;
	}
	return FLOW_AGAIN;
}

static enum flow_wait
turn_by_pipe(struct pipes *pipes, struct flow *flow, int from, int to)
{
	ssize_t n = splice(from, NULL, flow->pipe->ends[1], NULL, PIECE,
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	enum flow_wait wait;

	if (n < 0 && is_later()) {
		flow_drop(pipes, flow);
		return FLOW_FOR_INPUT;
	}
	if (n < 0)
		return FLOW_BROKEN;
	flow->ended = n == 0;
	flow->held = (size_t)n;
	wait = n == 0 ? FLOW_AGAIN : drain(flow, to);
	if (wait != FLOW_AGAIN || n == 0 || n >= LITTLE)
		return wait;
	flow_drop(pipes, flow);
	return FLOW_FOR_INPUT;
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
	enum flow_wait wait = flow->held > 0 ? drain(flow, to) : FLOW_AGAIN;

	for (int i = 0; wait == FLOW_AGAIN && !flow->ended && i < TURNS; i++) {
		if (flow->pipe == NULL)
			flow->pipe = pipe_take(pipes);
		wait = flow->pipe != NULL ? turn_by_pipe(pipes, flow, from, to)
					  : turn_by_look(flow, from, to);
	}
	if (wait != FLOW_AGAIN || !flow->ended)
		return wait;
	flow_drop(pipes, flow);
	flow->is_done = true;
	return FLOW_DONE;
}
