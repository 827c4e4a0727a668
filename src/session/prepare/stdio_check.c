// SPDX-License-Identifier: MIT
/*
 * Which files the command may inherit as fds 0-2. Landlock does not check fds that were opened
 * before the layer, so one that can reach other files or peers would bypass the policy. Allowed are
 * files, devices, pipes, and connected sockets. Must not allocate memory.
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
 * A datagram socket or an unconnected one can send to any address. A listening unix socket cannot
 * be connected any more, but one of the network can.
 */
static const char *
judge_socket(int fd, bool free_connect)
{
	struct sockaddr_storage name, peer;
	socklen_t size = sizeof name, peer_size = sizeof peer;
	int type = number_of(fd, SO_TYPE);

	if (getsockname(fd, (struct sockaddr *)&name, &size) < 0)
		return "a socket that cannot be examined";
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
	/* anonymous inodes (io_uring, userfaultfd, eventfd) have no file type */
	return (mode & S_IFMT) == 0 ? "a part of the kernel" : NULL;
}

int
stdio_check(int fd, int number, bool free_connect, struct cordon_error *err)
{
	struct stat st;
	const char *what;

	if (fstat(fd, &st) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot examine descriptor %d",
				   number);
	what = judge(fd, st.st_mode, free_connect);
	return what == NULL ? 0
			    : cordon_fail(err, CORDON_E_USAGE, 0,
					  "descriptor %d is %s; it would bypass the policy", number,
					  what);
}

/*
 * A network socket can be disconnected, and then connect by TCP fast open or listen, neither of
 * which Landlock restricts. The broker checks these if the network is limited to some peers, or if
 * it checks the paths of unix sockets.
 */
bool
stdio_check_connect_is_free(const struct plan *plan)
{
	return plan->host->system == SYSTEM_LINUX && !plan->routes_sockets &&
	       plan->settings.network.mode == NET_NONE;
}
