// SPDX-License-Identifier: MIT
/* Relaying through pipes, by splice: bytes never leave the kernel. For Linux. */
#include "base/compat.h"

#include <stdlib.h>
#include <unistd.h>

#include "net/relay.h"

#define PIPES_MAX 64
#define PIPE_SIZE (256 * 1024)
#define PIECE (1024 * 1024)
#define LITTLE 16384 /* less than that was all there was */

struct pipe_pair *
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
enum flow_wait
pipe_drain(struct flow *flow, int to)
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

enum flow_wait
pipe_turn(struct pipes *pipes, struct flow *flow, int from, int to)
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
	wait = n == 0 ? FLOW_AGAIN : pipe_drain(flow, to);
	if (wait != FLOW_AGAIN || n == 0 || n >= LITTLE)
		return wait;
	flow_drop(pipes, flow);
	return FLOW_FOR_INPUT;
}
