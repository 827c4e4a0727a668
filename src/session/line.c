// SPDX-License-Identifier: MIT
/* Whole values over a socket, or nothing. */
#include "session/line.h"

#include <errno.h>
#include <sys/socket.h>

bool
line_send(int line, const void *value, size_t size)
{
	const char *at = value;

	while (size > 0) {
		ssize_t n = send(line, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

bool
line_receive(int line, void *value, size_t size)
{
	char *at = value;

	while (size > 0) {
		ssize_t n = recv(line, at, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}
