// SPDX-License-Identifier: MIT
/*
 * What may be left on 0 to 2 where nobody is asked before a socket gets another end: no connection of the
 * network, which can be given up. That it can, and what then opens another, is tried here as well.
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session/session.h"
#include "tap.h"

/* Connected to a server of our own. */
static int
connected(int family, int *ret_server)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int fds[2];

	if (family == AF_UNIX) {
		check(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
		*ret_server = fds[1];
		return fds[0];
	}
	*ret_server = socket(AF_INET, SOCK_STREAM, 0);
	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	check(bind(*ret_server, (struct sockaddr *)&at, size) == 0 && listen(*ret_server, 4) == 0);
	check(getsockname(*ret_server, (struct sockaddr *)&at, &size) == 0);
	check(connect(fds[0], (struct sockaddr *)&at, size) == 0);
	return fds[0];
}

static bool
passes(int family, bool free_connect)
{
	struct cordon_error err = {0};
	int server, fd = connected(family, &server);
	bool fine = stdio_check(fd, 0, free_connect, &err) == 0;

	check(fine || strstr(err.text, "a socket of the network") != NULL);
	close(fd);
	close(server);
	return fine;
}

static void
a_connected_socket_passes_unless_connect_is_free(void)
{
	check(passes(AF_INET, false));
	check(!passes(AF_INET, true));
	check(passes(AF_UNIX, true));
}

static void
a_connected_socket_can_be_disconnected(void)
{
	const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
	int server, fd = connected(AF_INET, &server);

	check(listen(fd, 1) < 0);
	check(connect(fd, &nowhere, sizeof nowhere) == 0);
	check(listen(fd, 1) == 0);
	close(fd);
	close(server);
}

int
main(void)
{
	run(a_connected_socket_passes_unless_connect_is_free);
	run(a_connected_socket_can_be_disconnected);
	return tap_end();
}
