// SPDX-License-Identifier: MIT
/*
 * What the caller may leave on 0-2. A command uses these as they are, and no layer or filter is asked
 * about what was opened before it: what could be led elsewhere from there would be a way around every
 * rule. So files, devices, pipes, and sockets with their other end. Nothing here allocates.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "session/session.h"

static int
number_of(int fd, int option)
{
	int value = -1;
	socklen_t size = sizeof value;

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) < 0 ? -1 : value;
}

/*
 * Those that are not streams, or have no other end yet, send to whatever is named with the data. One
 * that listens has its name; only those of the network lose it again.
 */
static const char *
judge_socket(int fd, bool free_connect)
{
	struct sockaddr_storage name, peer;
	socklen_t size = sizeof name, peer_size = sizeof peer;
	int type = number_of(fd, SO_TYPE);

	if (getsockname(fd, (struct sockaddr *)&name, &size) < 0)
		return "a socket that cannot be told";
	if (name.ss_family != AF_UNIX && name.ss_family != AF_INET && name.ss_family != AF_INET6)
		return "a socket of the system";
	if (name.ss_family != AF_UNIX && free_connect)
		return "a socket of the network";
	if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
		return "a socket that sends anywhere";
	if (name.ss_family == AF_UNIX && number_of(fd, SO_ACCEPTCONN) == 1)
		return NULL;
	return getpeername(fd, (struct sockaddr *)&peer, &peer_size) < 0
		       ? "a socket that is not connected"
		       : NULL;
}

static const char *
judge(int fd, mode_t mode, bool free_connect)
{
	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISSOCK(mode))
		return judge_socket(fd, free_connect);
	/* rings of calls, memory of others: what has no place in a file system has no kind, either */
	return (mode & S_IFMT) == 0 ? "a part of the kernel" : NULL;
}

int
stdio_check(int fd, int number, bool free_connect, struct cordon_error *err)
{
	struct stat st;
	const char *what;

	if (fstat(fd, &st) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot look at descriptor %d",
				   number);
	what = judge(fd, st.st_mode, free_connect);
	return what == NULL ? 0
			    : cordon_fail(err, CORDON_E_USAGE, 0,
					  "descriptor %d is %s; it would lead around the policy",
					  number, what);
}

/*
 * A connection of the network can be given up, and then be led elsewhere: by the data that opens it, or by
 * listening, of which Landlock does not know. Between none and all everything is asked of the broker, and
 * with it where it looks at the names of unix sockets.
 */
bool
stdio_check_connect_is_free(const struct plan *plan)
{
	return plan->host->system == SYSTEM_LINUX && !plan->routes_sockets &&
	       plan->settings.network.mode == NET_NONE;
}
