// SPDX-License-Identifier: MIT
/*
 * Internet sockets with network localhost and domains. Each is created here and bound to the loopback
 * device, which without privileges cannot be undone: nothing leaves the machine by it, whatever its address.
 */
#include "linux/broker/socket/inet.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/nest.h"
#include "plan/network.h"

#define PROTOCOLS 263 /* IPPROTO_MAX, lower in old headers */

/* ---- creating ---- */

static int
bind_to_lo(int fd)
{
	char name[IF_NAMESIZE] = "";
	socklen_t size = sizeof name;

	if (getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &size) == 0 &&
	    strcmp(name, "lo") == 0)
		return 0;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof "lo");
}

int
inet_check_socket(const struct socket_call *call)
{
	bool is_udp = call->type == SOCK_DGRAM && call->protocol == IPPROTO_UDP;

	if (is_udp ? !call->request->broker->plan->has_datagrams
		   : call->type != SOCK_STREAM || call->protocol != IPPROTO_TCP)
		return EACCES;
	return bind_to_lo(call->fd) < 0 ? EACCES : 0;
}

/*
 * libcurl tests for IPv6 by creating a datagram socket, and without one looks up no IPv6 addresses. It gets
 * a unix socket, which the command may create anyway, and which serves only to query interfaces, as
 * if_nametoindex(3) does. A real IPv6 socket that cannot send could still join groups, which the kernel
 * announces on any device.
 */
static int
answer_whether_v6(int type)
{
	auto_fd int real = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return real < 0 ? -1
			: socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (type & SOCK_NONBLOCK), 0);
}

static int
socket_on_lo(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd >= 0 && bind_to_lo(fd) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Returns the kernel's own error for an invalid combination; valid ones are refused as EPROTONOSUPPORT. */
static int
refuse_kind(int family, int type, int protocol)
{
	if (type == SOCK_PACKET && family == AF_INET)
		return EPERM;
	if (protocol < 0 || protocol >= PROTOCOLS)
		return EINVAL;
	if (type == SOCK_RAW)
		return protocol == 0 ? EPROTONOSUPPORT : EPERM;
	return type == SOCK_STREAM || type == SOCK_DGRAM ? EPROTONOSUPPORT : ESOCKTNOSUPPORT;
}

/* TCP only: MPTCP and SCTP are stream sockets, too, and not covered by Landlock's rules. */
static int
make_socket(const struct notif_call *request, int type)
{
	int family = (int)request->notif.data.args[0], kind = type & TYPE_BITS;
	int protocol = (int)request->notif.data.args[2];
	bool is_udp = kind == SOCK_DGRAM && (protocol == 0 || protocol == IPPROTO_UDP);

	if ((kind == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP)) ||
	    (is_udp && request->broker->plan->has_datagrams))
		return socket_on_lo(family, type, protocol);
	if (family == AF_INET6 && kind == SOCK_DGRAM && protocol == 0)
		return answer_whether_v6(type);
	if (is_udp)
		refuse_datagrams(request);
	errno = refuse_kind(family, kind, protocol);
	return -1;
}

void
inet_make(const struct notif_call *request)
{
	int type = (int)request->notif.data.args[1], fd = make_socket(request, type);

	if (fd < 0)
		notif_fail(request, errno);
	else
		socket_copies_give(request, fd, (type & SOCK_CLOEXEC) != 0);
}

void
socket_finish(struct socket_call *call, int why)
{
	close(call->fd);
	call->fd = -1;
	if (why == 0)
		notif_return(call->request, 0);
	else
		notif_fail(call->request, why);
}

/* ---- bind and listen ---- */

/* For an address that may not be bound: EADDRNOTAVAIL if the machine does not have it either. */
static int
refuse_address(const struct socket_call *call)
{
	auto_fd int fd = socket(call->domain, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	union socket_address any_port = call->address;

	if (call->domain == AF_INET)
		any_port.v4.sin_port = 0;
	else
		any_port.v6.sin6_port = 0;
	return fd >= 0 && bind(fd, &any_port.any, call->size) < 0 && errno == EADDRNOTAVAIL
		       ? EADDRNOTAVAIL
		       : EACCES;
}

/* A server may bind any address of this machine, or all: the device accepts loopback only. */
static int
check_bind(struct socket_call *call)
{
	const struct network *network = &call->request->broker->plan->settings.network;
	struct destination to;
	int why = inet_check_socket(call);

	/* the kernel accepts AF_UNSPEC with INADDR_ANY on an AF_INET socket */
	if (call->domain == AF_INET && call->address.any.sa_family == AF_UNSPEC &&
	    call->address.v4.sin_addr.s_addr == INADDR_ANY)
		call->address.any.sa_family = AF_INET;
	if (why == 0)
		why = inet_destination(call, &to);
	if (why != 0)
		return why;
	if (!inet_is_loopback(to.address) && !inet_is_any(to.address))
		return refuse_address(call);
	if (to.port != 0 && network->mode == NET_LOCALHOST &&
	    !network_decide_local(network, to.port).allowed)
		return EACCES;
	return 0;
}

void
inet_bind(struct socket_call *call)
{
	int why = call->request->broker->plan->routes_network ? check_bind(call) : 0;

	if (why == 0 && bind(call->fd, &call->address.any, call->size) < 0)
		why = errno;
	if (why == EADDRINUSE && socket_copies_are_kept(call->request->broker)) {
		/* perhaps a socket that its owner has closed */
		socket_copies_sweep(call->request->broker);
		why = bind(call->fd, &call->address.any, call->size) < 0 ? errno : 0;
	}
	socket_finish(call, why);
}

/* listen on an unbound socket binds a port, on all addresses of the device. */
void
inet_listen(struct socket_call *call, int backlog)
{
	struct own_listeners *own = &call->request->broker->own_servers;
	int why = inet_check_socket(call);

	if (why == 0) {
		pthread_mutex_lock(&own->still);
		own_listeners_add(own, call->fd, nest_innermost(call->request));
		why = listen(call->fd, backlog) < 0 ? errno : 0;
		pthread_mutex_unlock(&own->still);
	}
	if (why == 0)
		socket_copies_drop(call->request->broker, call->fd, SOCKET_LISTENING);
	socket_finish(call, why);
}

/* ---- datagrams ---- */

/* IPv6 sockets also accept an IPv4 address; AF_UNSPEC means the socket's own family, or no address. */
static void
settle_family(struct socket_call *call)
{
	sa_family_t *family = &call->address.any.sa_family;

	if (call->domain == AF_INET && *family == AF_UNSPEC)
		*family = AF_INET;
	else if (call->domain == AF_INET6 && *family == AF_UNSPEC)
		call->size = 0;
	else if (call->domain == AF_INET6 && *family == AF_INET)
		call->domain = AF_INET;
}

/* Keeps address and port only: no scope id, and no flow label, which may select a route. */
static void
strip_address(struct socket_call *call)
{
	if (call->domain == AF_INET6) {
		call->address.v6.sin6_flowinfo = 0;
		call->address.v6.sin6_scope_id = 0;
	}
}

int
inet_send_to(struct socket_call *call)
{
	struct destination to;
	int why = inet_check_socket(call);

	if (why == 0 && call->size > 0 && call->size < sizeof(sa_family_t))
		why = EINVAL;
	if (why == 0 && call->size > 0)
		settle_family(call);
	if (why != 0 || call->size == 0)
		return why;
	why = inet_destination(call, &to);
	if (why != 0)
		return call->domain == AF_INET6 ? EINVAL : why;
	if (socket_is_unreachable(call, false) || !inet_may_reach_local(call, &to))
		return EACCES;
	strip_address(call);
	return 0;
}
