// SPDX-License-Identifier: MIT
/*
 * Copying between sockets: peek, send, then drop what was sent. With large buffers this is faster than
 * splice() through a pipe (measured: 0.86 of the direct speed against 0.56 to 0.7), because both ends wake
 * up less often.
 */
#include "proxy/loop/copy.h"

#include "base/os.h"

#define PIECE_MIN 16384u
#define TURNS 8

static bool
is_later(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void
adapt(struct flow *flow, size_t had, size_t sent)
{
	if (sent == flow->piece)
		flow->piece = sent < RELAY_SIZE / 2 ? 2 * sent : RELAY_SIZE;
	else if (sent < had)
		flow->piece = sent > PIECE_MIN ? sent : PIECE_MIN;
}

static enum flow_wait
turn(struct flow *flow, char *buffer, int from, int to)
{
	ssize_t n = recv(from, buffer, flow->piece, MSG_PEEK | MSG_DONTWAIT), sent;

	if (n < 0)
		return is_later() ? FLOW_FOR_INPUT : FLOW_BROKEN;
	flow->ended = n == 0;
	if (n == 0)
		return FLOW_DONE;
	sent = send(to, buffer, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent < 0)
		return is_later() ? FLOW_FOR_OUTPUT : FLOW_BROKEN;
	if (recv(from, buffer, (size_t)sent, COMPAT_MSG_DROP | MSG_DONTWAIT) != sent)
		return FLOW_BROKEN;
	adapt(flow, (size_t)n, (size_t)sent);
	return sent < n ? FLOW_FOR_OUTPUT : (size_t)n < PIECE_MIN ? FLOW_FOR_INPUT : FLOW_AGAIN;
}

enum flow_wait
copy_pump(struct flow *flow, char buffer[RELAY_SIZE], int from, int to)
{
	enum flow_wait wait = flow->ended ? FLOW_DONE : FLOW_AGAIN;

	if (flow->piece == 0)
		flow->piece = PIECE_MIN;
	for (int i = 0; wait == FLOW_AGAIN && i < TURNS; i++)
		wait = turn(flow, buffer, from, to);
	return wait;
}
