// SPDX-License-Identifier: MIT
/*
 * Socket calls, by family. The caller's fd is duplicated first and its type is read from that socket; the
 * address is read once. All actions use that socket and that address, so changes by the caller's other
 * threads have no effect. Calls without an address to check, and those that Landlock restricts, continue in
 * the kernel.
 */
#include "linux/broker/socket/sys_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/nest.h"

static bool
read_option(int fd, int option, int *to)
{
	socklen_t size = sizeof *to;

	return getsockopt(fd, SOL_SOCKET, option, to, &size) == 0;
}

/* Returns 0 or an errno. */
static int
take_socket(struct socket_call *call)
{
	int why = EBADF;

	call->fd = notif_descriptor(call->request, (int)call->request->notif.data.args[0], &why);
	if (call->fd < 0)
		return why;
	if (!read_option(call->fd, SO_DOMAIN, &call->domain) ||
	    !read_option(call->fd, SO_TYPE, &call->type) ||
	    !read_option(call->fd, SO_PROTOCOL, &call->protocol))
		return errno;
	return 0;
}

static int
take_address(struct socket_call *call)
{
	const __u64 *a = call->request->notif.data.args;
	int size = (int)a[2];

	if (size < 0 || size > (int)sizeof(struct sockaddr_storage))
		return EINVAL;
	call->size = (socklen_t)size;
	return size == 0 ? 0 : notif_bytes(call->request, a[1], &call->address, (size_t)size);
}

bool
socket_take(struct socket_call *call, bool has_address)
{
	int why = take_socket(call), other;

	if (why == 0 && has_address)
		why = take_address(call);
	/* connect(2) reads the address before it checks the fd */
	if (why == ENOTSOCK && call->request->notif.data.nr == SYS_connect) {
		other = take_address(call);
		why = other != 0 ? other : why;
	}
	if (why == 0 && !notif_is_valid(call->request))
		why = EINTR;
	if (why == 0)
		return true;
	if (call->fd >= 0)
		close(call->fd);
	call->fd = -1;
	notif_fail(call->request, why);
	return false;
}

static inline void
auto_call_fn(const struct socket_call *call)
{
	if (call->fd >= 0)
		close(call->fd);
}
#define auto_call __attribute__((cleanup(auto_call_fn)))

void
socket_connect(struct socket_call *call, int pin)
{
	struct connect_call connecting = {.request = *call->request,
					  .fd = call->fd,
					  .pin = pin,
					  .address = call->address,
					  .size = call->size};

	call->fd = -1;
	connect_start(&connecting);
}

static bool
sees_unix_names(const struct broker *broker)
{
	return broker->plan->facts.values[FACT_LANDLOCK_ABI] >= 9;
}

/* Unix sockets are queried by name. */
static bool
is_refused_inside(const struct socket_call *call)
{
	if (call->domain == AF_UNIX || call->domain == AF_NETLINK)
		return false;
	return !nest_may_network(call->request) ||
	       (call->type == SOCK_DGRAM && !nest_may_datagrams(call->request));
}

bool
socket_is_unreachable(struct socket_call *call, bool is_bind)
{
	enum net_mode mode = call->request->broker->plan->settings.network.mode;
	struct destination to;

	if (is_refused_inside(call))
		return true;
	if ((call->domain != AF_INET && call->domain != AF_INET6) ||
	    nest_depth(call->request) == 0 || !call->request->broker->plan->routes_network)
		return false;
	if (inet_destination(call, &to) != 0)
		return false;
	if (!is_bind && mode == NET_DOMAINS)
		own_listeners_find(&call->request->broker->own_servers, to.address, to.port,
				   &call->by);
	return !nest_may_reach(call->request, &to, is_bind, call->by.nest, &call->is_here);
}

void
sys_connect(const struct notif_call *request)
{
	auto_call struct socket_call call = {.request = request, .fd = -1};

	if (!socket_take(&call, true))
		return;
	if (socket_is_unreachable(&call, false))
		notif_fail(request, EACCES);
	else if (call.domain == AF_UNIX && sees_unix_names(request->broker))
		notif_continue(request);
	else if (call.domain == AF_UNIX)
		unix_connect(&call);
	else if (call.domain == AF_INET || call.domain == AF_INET6)
		inet_connect(&call);
	else if (call.domain == AF_NETLINK ||
		 request->broker->plan->settings.network.mode == NET_ALL)
		socket_connect(&call, -1);
	else
		notif_fail(request, EACCES);
}

void
sys_bind(const struct notif_call *request)
{
	auto_call struct socket_call call = {.request = request, .fd = -1};

	if (!socket_take(&call, true))
		return;
	if (socket_is_unreachable(&call, true))
		notif_fail(request, EACCES);
	else if (call.domain == AF_UNIX)
		unix_bind(&call);
	else if (call.domain == AF_INET || call.domain == AF_INET6)
		inet_bind(&call);
	else
		notif_continue(request);
}

/* SO_PEERCRED reports the process that called listen(): that must be the caller. */
void
sys_listen(const struct notif_call *request)
{
	auto_call struct socket_call call = {.request = request, .fd = -1};

	if (!socket_take(&call, false))
		return;
	if (is_refused_inside(&call))
		notif_fail(request, EACCES);
	else if (call.domain == AF_INET || call.domain == AF_INET6)
		inet_listen(&call, (int)request->notif.data.args[1]);
	else
		notif_continue(request);
}

/*
 * Creates sockets for networks other than none and all. Without a network the filter sends these calls here
 * to be reported: nothing is created, and nothing continues in the kernel.
 */
void
sys_socket(const struct notif_call *request)
{
	bool is_datagram = (request->notif.data.args[1] & TYPE_BITS) == SOCK_DGRAM;

	if (!request->broker->plan->routes_network) {
		refuse_request(request, REFUSED_NETWORK, CAUSE_NO_NETWORK);
		notif_fail(request, EACCES);
	} else if ((int)request->notif.data.args[0] == AF_UNIX) {
		refuse_datagrams(request);
		notif_fail(request, EACCES);
	} else if (nest_may_network(request) &&
		   (!is_datagram || !request->broker->plan->has_datagrams ||
		    nest_may_datagrams(request))) {
		inet_make(request);
	} else {
		notif_fail(request, EACCES);
	}
}

/*
 * A datagram socketpair where datagrams are refused, because each end could send to any path.
 * SOCK_SEQPACKET keeps messages apart as well. Differences: SO_TYPE, and closing one end is visible at the
 * other.
 */
void
sys_socketpair(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	int type = (int)a[1], kind = type & TYPE_BITS, pair[2];

	if ((type & ~(TYPE_BITS | SOCK_NONBLOCK | SOCK_CLOEXEC)) != 0 || kind > SOCK_PACKET)
		notif_fail(request, EINVAL);
	else if (kind != SOCK_DGRAM && kind != SOCK_RAW)
		notif_fail(request, ESOCKTNOSUPPORT);
	else if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (type & SOCK_NONBLOCK),
			    (int)a[2], pair) < 0)
		notif_fail(request, errno);
	else
		notif_give_pair(request, pair, a[3], (type & SOCK_CLOEXEC) != 0);
}
