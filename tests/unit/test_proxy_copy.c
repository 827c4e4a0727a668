// SPDX-License-Identifier: MIT
/* Relaying between two real connections: every byte in its order, whoever is slow, nothing held. */
#include "tap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os.h"
#include "proxy/loop/copy.h"

#define ALL (24u << 20)

struct pair {
	int near, far;
};

static struct pair
connect_pair(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pair pair = {socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), -1};

	if (bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0 &&
	    getsockname(listener, (struct sockaddr *)&at, &length) == 0 &&
	    connect(pair.near, (struct sockaddr *)&at, sizeof at) == 0)
		pair.far = accept(listener, NULL, NULL);
	close(listener);
	fcntl(pair.near, F_SETFL, O_NONBLOCK);
	fcntl(pair.far, F_SETFL, O_NONBLOCK);
	return pair;
}

static char
byte_at(size_t at)
{
	return (char)(at * 2654435761u >> 13);
}

static size_t
push(int fd, size_t sent, size_t most)
{
	char bytes[65536];
	size_t count = ALL - sent < most ? ALL - sent : most;
	ssize_t n;

	for (size_t i = 0; i < count; i++)
		bytes[i] = byte_at(sent + i);
	n = count == 0 ? 0 : send(fd, bytes, count, MSG_NOSIGNAL);
	if (sent + (size_t)(n < 0 ? 0 : n) == ALL)
		shutdown(fd, SHUT_WR);
	return sent + (size_t)(n < 0 ? 0 : n);
}

/* Takes up to most; *ret_right turns false with the first wrong byte. */
static size_t
pull(int fd, size_t got, size_t most, bool *ret_right)
{
	static char bytes[1 << 20];
	ssize_t n = recv(fd, bytes, most, 0);

	for (ssize_t i = 0; i < n; i++)
		*ret_right = *ret_right && bytes[i] == byte_at(got + (size_t)i);
	return got + (size_t)(n < 0 ? 0 : n);
}

struct pace {
	size_t sends; /* bytes at a time; as often as it can */
	size_t takes;
	int turns; /* of the relay for one of the client, who then takes by turns once and often */
};

static void
relay(struct pace pace)
{
	struct pair in = connect_pair(), out = connect_pair();
	char *buffer = malloc(RELAY_SIZE);
	struct flow flow = {0};
	enum flow_wait wait = FLOW_AGAIN;
	size_t sent = 0, got = 0, most = 0, before;
	bool is_right = true;

	for (int i = 0; got < ALL && wait != FLOW_BROKEN && i < 10000000; i++) {
		do {
			before = sent;
			sent = push(in.near, sent, pace.sends);
		} while (sent > before);
		wait = copy_pump(&flow, buffer, in.far, out.near);
		most = flow.piece > most ? flow.piece : most;
		for (int j = 0; i % pace.turns == 0 && j <= 20 * (i / pace.turns % 2); j++)
			got = pull(out.far, got, pace.takes, &is_right);
	}
	check(wait != FLOW_BROKEN);
	check_int(got, ALL);
	check(is_right);
	check(most <= RELAY_SIZE);
	check_int(copy_pump(&flow, buffer, in.far, out.near), FLOW_DONE);
	check(flow.ended);
	free(buffer);
	close(in.near), close(in.far), close(out.near), close(out.far);
}

static void
everything_arrives_between_fast_ends(void)
{
	relay((struct pace){65536, 1 << 20, 1});
}

static void
everything_arrives_at_a_slow_client(void)
{
	relay((struct pace){65536, 300000, 40});
}

static void
everything_arrives_in_odd_pieces(void)
{
	relay((struct pace){65521, 77777, 3});
}

static void
everything_arrives_in_small_pieces(void)
{
	relay((struct pace){3001, 1 << 20, 1});
}

static void
a_missing_reader_is_reported(void)
{
	struct pair in = connect_pair(), out = connect_pair();
	struct linger at_once = {1, 0};
	struct pollfd coming = {.fd = in.far, .events = POLLIN};
	static char buffer[RELAY_SIZE];
	struct flow flow = {0};

	check_int(copy_pump(&flow, buffer, in.far, out.near), FLOW_FOR_INPUT);
	setsockopt(out.far, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close(out.far);
	check_int(push(in.near, 0, 100), 100);
	check_int(poll(&coming, 1, 30000), 1);
	check_int(copy_pump(&flow, buffer, in.far, out.near), FLOW_BROKEN);
	close(in.near), close(in.far), close(out.near);
}

int
main(void)
{
	run(everything_arrives_between_fast_ends);
	run(everything_arrives_at_a_slow_client);
	run(everything_arrives_in_odd_pieces);
	run(everything_arrives_in_small_pieces);
	run(a_missing_reader_is_reported);
	return tap_end();
}
