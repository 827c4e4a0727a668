// SPDX-License-Identifier: MIT
/*
 * Socket calls, by family. The caller's fd is duplicated first and its type is read from that socket; the
 * address is read once. All actions use that socket and that address, so changes by the caller's other
 * threads have no effect. Calls without an address to check, and those that Landlock restricts, continue in
 * the kernel.
 */
#include "linux/broker/socket/sys_socket.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/nest.h"
#include "linux/broker/socket/inet.h"

static bool
read_option(int fd, int option, int *to)
{
	socklen_t size = sizeof *to;

	return getsockopt(fd, SOL_SOCKET, option, to, &size) == 0;
}

/* fd becomes the copy of the socket, or stays -1. Returns 0 or an errno. */
static int
take_copy(struct socket_call *call, int number)
{
	int why = EBADF;
	auto_fd int named = notif_descriptor(call->request, number, &why);
	struct stat at;

	if (named < 0)
		return why;
	if (fstat(named, &at) < 0 || !S_ISSOCK(at.st_mode))
		return ENOTSOCK;
	call->fd = socket_copies_take(call->request->broker, named,
				      call->request->notif.data.nr == SYS_connect, &call->state);
	return 0;
}

/* Returns 0 or an errno. */
static int
take_socket(struct socket_call *call)
{
	int why = EBADF, number = (int)call->request->notif.data.args[0];

	if (socket_copies_are_kept(call->request->broker)) {
		why = take_copy(call, number);
		if (why != 0 || call->fd < 0)
			return why;
	} else {
		call->fd = notif_descriptor(call->request, number, &why);
		if (call->fd < 0)
			return why;
	}
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

/*
 * There is no copy of the socket, and a call without one would be made with whatever socket the caller has
 * under this number by then.
 */
static void
answer_without(const struct socket_call *call)
{
	int number = call->request->notif.data.nr;

	if (call->state == SOCKET_NATIVE) {
		notif_continue(call->request);
	} else if ((call->state == SOCKET_LISTENING && number == SYS_listen) ||
		   (call->state == SOCKET_ARRIVED && number == SYS_connect)) {
		notif_return(call->request, 0);
	} else if (call->state != SOCKET_UNKNOWN) {
		notif_fail(call->request, number == SYS_connect ? EISCONN : EINVAL);
	} else {
		refuse_request(call->request, REFUSED_SOCKET, CAUSE_SOCKET_UNCOPIED);
		notif_fail(call->request, EACCES);
	}
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
	if (why == 0 && call->fd < 0) {
		answer_without(call);
		return false;
	}
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
socket_continue(struct socket_call *call)
{
	close(call->fd);
	call->fd = -1;
	notif_continue(call->request);
}

/* The copy is closed before the call is made: it must not keep open what the caller closes. */
static void
continue_without(struct socket_call *call, enum socket_state state)
{
	if (socket_copies_are_kept(call->request->broker))
		socket_copies_drop(call->request->broker, call->fd, state);
	socket_continue(call);
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
		continue_without(&call, SOCKET_NATIVE);
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
		continue_without(&call, SOCKET_UNKNOWN);
}

/* Listens for any network: no address is decided about. */
static void
listen_freely(struct socket_call *call, int backlog)
{
	int why = listen(call->fd, backlog) < 0 ? errno : 0;

	if (why == 0)
		socket_copies_drop(call->request->broker, call->fd, SOCKET_LISTENING);
	socket_finish(call, why);
}

/* SO_PEERCRED reports the process that called listen(): that must be the caller. */
void
sys_listen(const struct notif_call *request)
{
	auto_call struct socket_call call = {.request = request, .fd = -1};
	int backlog = (int)request->notif.data.args[1];

	if (!socket_take(&call, false))
		return;
	if (is_refused_inside(&call))
		notif_fail(request, EACCES);
	else if (call.domain != AF_INET && call.domain != AF_INET6)
		continue_without(&call, SOCKET_LISTENING);
	else if (request->broker->plan->routes_network)
		inet_listen(&call, backlog);
	else
		listen_freely(&call, backlog);
}

/* ---- new sockets ---- */

static bool
is_kind_granted(const struct notif_call *request, int family, int kind)
{
	if (family == AF_NETLINK)
		return (int)request->notif.data.args[2] == 0;
	return family != AF_UNIX || sees_unix_names(request->broker) || kind == SOCK_STREAM ||
	       kind == SOCK_SEQPACKET;
}

/* The filter lets the kernel make these, unless copies of them are kept. */
static void
make_copied(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	int family = (int)a[0], type = (int)a[1], fd;

	if (!is_kind_granted(request, family, type & TYPE_BITS)) {
		if (family == AF_UNIX)
			refuse_datagrams(request);
		notif_fail(request, family == AF_UNIX ? EACCES : EPROTONOSUPPORT);
		return;
	}
	fd = socket(family, type | SOCK_CLOEXEC, (int)a[2]);
	if (fd < 0)
		notif_fail(request, errno);
	else
		socket_copies_give(request, fd, (type & SOCK_CLOEXEC) != 0);
}

/*
 * Creates sockets for networks other than none and all. Without a network the filter sends these calls here
 * to be reported: nothing is created, and nothing continues in the kernel.
 */
void
sys_socket(const struct notif_call *request)
{
	bool is_datagram = (request->notif.data.args[1] & TYPE_BITS) == SOCK_DGRAM;
	int family = (int)request->notif.data.args[0];

	if (socket_copies_are_kept(request->broker) &&
	    (family == AF_UNIX || family == AF_NETLINK ||
	     request->broker->plan->settings.network.mode == NET_ALL)) {
		make_copied(request);
	} else if (!request->broker->plan->routes_network) {
		refuse_request(request, REFUSED_NETWORK, CAUSE_NO_NETWORK);
		notif_fail(request, EACCES);
	} else if (family == AF_UNIX) {
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
