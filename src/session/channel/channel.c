// SPDX-License-Identifier: MIT
/* Sends and receives whole values over a socket, or nothing. */
#include "session/channel/channel.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"

/* Retries also if the kernel lacks memory: a lost message would end the session. */
static bool
try_again(int *tries)
{
	if (errno == EINTR)
		return true;
	if (!error_errno_is_fault(errno) || ++*tries > 1000)
		return false;
	clock_sleep_us(1000);
	return true;
}

bool
channel_send(int line, const void *value, size_t size)
{
	const char *at = value;
	int tries = 0;

	while (size > 0) {
		ssize_t n = send(line, at, size, MSG_NOSIGNAL);

		if (n < 0 && try_again(&tries))
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

bool
channel_receive(int line, void *value, size_t size)
{
	char *at = value;
	int tries = 0;

	while (size > 0) {
		ssize_t n = recv(line, at, size, 0);

		if (n < 0 && try_again(&tries))
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

bool
channel_signal_stops_job(int signal)
{
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
		if (stops[i] == signal)
			return true;
	return false;
}
