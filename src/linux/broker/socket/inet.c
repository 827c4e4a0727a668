// SPDX-License-Identifier: MIT
/*
 * Internet sockets with network localhost and domains. Each is made here and tied to the loopback
 * device, which without privileges cannot be undone: whatever else is forgotten, nothing leaves the
 * machine by it. The rest is decided by address and port, or by the proxy, which then connects.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/nest.h"
#include "linux/broker/socket/sys_socket.h"
#include "plan/network.h"

#define DNS_PORT 53
#define PROTOCOLS 263  /* IPPROTO_MAX, which older headers have smaller */
#define STATE_CLOSED 7 /* TCP_CLOSE of the kernel */

/* ---- addresses ---- */

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static bool
is_mapped(const uint8_t address[16])
{
	return memcmp(address, mapped, sizeof mapped) == 0;
}

static bool
is_loopback(const uint8_t address[16])
{
	static const uint8_t one[16] = {[15] = 1};

	return is_mapped(address) ? address[12] == 127 : memcmp(address, one, sizeof one) == 0;
}

/* "This machine", when it is connected to; "all of its addresses", when it is bound to. */
static bool
is_any(const uint8_t address[16])
{
	static const uint8_t zero[16];

	return memcmp(address, zero, 16) == 0 ||
	       (is_mapped(address) && memcmp(address + 12, zero, 4) == 0);
}

int
inet_destination(const struct socket_call *call, struct destination *to)
{
	const union socket_address *at = &call->address;

	*to = (struct destination){0};
	if (call->domain == AF_INET) {
		if (call->size < sizeof at->v4)
			return EINVAL;
		if (at->any.sa_family != AF_INET)
			return EAFNOSUPPORT;
		memcpy(to->address, mapped, sizeof mapped);
		memcpy(to->address + 12, &at->v4.sin_addr, 4);
		to->port = ntohs(at->v4.sin_port);
		return 0;
	}
	/* the shorter form of old has no scope */
	if (call->size < offsetof(struct sockaddr_in6, sin6_scope_id))
		return EINVAL;
	if (at->any.sa_family != AF_INET6)
		return EAFNOSUPPORT;
	memcpy(to->address, &at->v6.sin6_addr, 16);
	to->port = ntohs(at->v6.sin6_port);
	return 0;
}

bool
inet_may_reach(const struct broker *broker, const struct nest_question *question, bool *ret_here)
{
	const struct destination *to = &question->at;
	const struct network *network = &broker->plan->settings.network;
	bool here = is_loopback(to->address) || is_any(to->address);

	*ret_here = network->mode == NET_DOMAINS;
	if (network->mode == NET_ALL)
		return true;
	/* our proxy, whose number is nobody else's while we live, and servers of our own */
	if (network->mode == NET_DOMAINS)
		return here && (question->is_bind || question->is_own ||
				(is_loopback(to->address) && to->port != 0 &&
				 to->port == broker->egress.named));
	if (network->mode != NET_LOCALHOST || question->is_far || !here)
		return false;
	return (question->is_bind && to->port == 0) ||
	       network_decide_local(network, to->port).allowed;
}

/* The address to connect to instead: loopback, of the kind that the caller named. */
static void
set_loopback(struct socket_call *call, const struct destination *named, uint16_t port)
{
	union socket_address to = {0};

	if (call->domain == AF_INET) {
		to.v4 = (struct sockaddr_in){.sin_family = AF_INET,
					     .sin_port = htons(port),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		call->size = sizeof to.v4;
	} else {
		to.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6,
					      .sin6_port = htons(port),
					      .sin6_addr = IN6ADDR_LOOPBACK_INIT};
		if (is_mapped(named->address)) {
			memcpy(&to.v6.sin6_addr, mapped, sizeof mapped);
			to.v6.sin6_addr.s6_addr[12] = 127;
			to.v6.sin6_addr.s6_addr[15] = 1;
		}
		call->size = sizeof to.v6;
	}
	call->address = to;
}

/* ---- the floor ---- */

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

/* Also what came from elsewhere, by descriptor, is tied before it is used. 0 or an errno. */
static int
check_socket(const struct socket_call *call)
{
	bool is_udp = call->type == SOCK_DGRAM && call->protocol == IPPROTO_UDP;

	if (is_udp ? !call->request->broker->plan->has_datagrams
		   : call->type != SOCK_STREAM || call->protocol != IPPROTO_TCP)
		return EACCES;
	return bind_to_lo(call->fd) < 0 ? EACCES : 0;
}

/*
 * Is there IPv6? libcurl asks by making a datagram socket, and without one looks up no such addresses.
 * What it gets is of the unix family, as the command may make by itself, and good for nothing but asking
 * about interfaces, as if_nametoindex(3) does: a real one that cannot send would still join groups, which
 * the kernel announces on any device.
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

/* The kernel's own error for what is neither TCP nor that question; what it has is refused as a protocol. */
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

/* MPTCP and SCTP are streams, too, and pass Landlock's rules. */
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
		refuse_datagrams(request->broker, request);
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
		notif_give(request, fd, (type & SOCK_CLOEXEC) != 0);
}

static void
finish(struct socket_call *call, int why)
{
	close(call->fd);
	call->fd = -1;
	if (why == 0)
		notif_return(call->request, 0);
	else
		notif_fail(call->request, why);
}

/* ---- connecting ---- */

static void
report(const struct socket_call *call, const struct destination *to, enum cause why)
{
	char host[INET6_ADDRSTRLEN], subject[INET6_ADDRSTRLEN + 16];
	struct refusal refusal = {.what = call->type == SOCK_DGRAM ? REFUSED_SEND : REFUSED_CONNECT,
				  .cause = (uint16_t)why,
				  .number = (uint32_t)to->port};

	if (is_mapped(to->address))
		inet_ntop(AF_INET, to->address + 12, host, sizeof host);
	else
		inet_ntop(AF_INET6, to->address, host, sizeof host);
	snprintf(subject, sizeof subject, is_mapped(to->address) ? "%s:%u" : "[%s]:%u", host,
		 (unsigned)to->port);
	refuse_event(call->request->broker, &refusal, subject);
}

static void
refuse(struct socket_call *call, const struct destination *to, enum cause why)
{
	bool is_local = call->request->broker->plan->settings.network.mode == NET_LOCALHOST;

	report(call, to, why);
	/* where names decide, to a program it is as if nobody were there */
	finish(call, is_local ? EACCES : ECONNREFUSED);
}

/* Is it loopback, at a port that is granted? If not that is told. */
static bool
may_reach_local(struct socket_call *call, const struct destination *to)
{
	const struct network *network = &call->request->broker->plan->settings.network;
	struct net_answer answer = network_decide_local(network, to->port);

	if (!is_loopback(to->address) && !is_any(to->address)) {
		report(call, to, CAUSE_NET_LOCAL_ONLY);
		return false;
	}
	if (!answer.allowed)
		report(call, to, answer.cause);
	else if (is_any(to->address))
		set_loopback(call, to, to->port);
	return answer.allowed;
}

static void
connect_local(struct socket_call *call, const struct destination *to)
{
	if (may_reach_local(call, to))
		socket_connect(call, -1);
	else
		finish(call, EACCES);
}

static bool
is_idle(const struct socket_call *call)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof info;

	return getsockopt(call->fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
	       info.tcpi_state == STATE_CLOSED;
}

static void
redirect_to_proxy(struct socket_call *call, const struct destination *to)
{
	struct connect_call connecting = {.request = *call->request,
					  .pin = -1,
					  .to_proxy = !call->is_here && is_idle(call),
					  .asks = *to};

	/* one that is on its way, or there, is only asked how it went */
	set_loopback(call, to, call->request->broker->egress.through);
	connecting.fd = call->fd;
	connecting.address = call->address;
	connecting.size = call->size;
	call->fd = -1;
	connect_start(&connecting);
}

static void
turn_to_stub(struct socket_call *call, const struct destination *to)
{
	struct connect_call connecting = {.request = *call->request, .pin = -1, .is_stub = true};

	set_loopback(call, to, call->request->broker->egress.stub);
	connecting.fd = call->fd;
	connecting.address = call->address;
	connecting.size = call->size;
	call->fd = -1;
	connect_start(&connecting);
}

static void
connect_own_server(struct socket_call *call, const struct destination *to)
{
	struct connect_call connecting = {.request = *call->request,
					  .fd = call->fd,
					  .pin = -1,
					  .address = call->address,
					  .size = call->size,
					  .to_own_server = true,
					  .asks = *to,
					  .mark = call->is_here ? call->by.mark : 0};

	call->fd = -1;
	connect_start(&connecting);
}

/*
 * On this machine: who listens decides. False: nobody of the session does; never where a sandbox inside
 * means one server only.
 */
static bool
connect_here(struct socket_call *call, const struct destination *to)
{
	struct destination at = *to;
	struct listening_by by;
	enum listening who;

	if (is_any(to->address)) {
		set_loopback(call, to, to->port);
		inet_destination(call, &at);
	}
	who = own_listeners_find(&call->request->broker->own_servers, at.address, at.port, &by);
	if (call->is_here && (by.mark == 0 || by.mark != call->by.mark || who == LISTENS_OTHER)) {
		finish(call, ECONNREFUSED);
		return true;
	}
	switch (who) {
	case LISTENS_OWN:
	case LISTENS_FULL:
		connect_own_server(call, &at);
		return true;
	case LISTENS_NOBODY:
		if (network_covers_private(&call->request->broker->plan->settings.network,
					   at.address))
			return false;
		/* nothing was kept from the command: a server that it waits for may come yet */
		finish(call, ECONNREFUSED);
		return true;
	case LISTENS_OTHER:
		break;
	}
	return false;
}

static void
connect_away(struct socket_call *call, const struct destination *to)
{
	if (network_has_port(&call->request->broker->plan->settings.network, to->port)) {
		redirect_to_proxy(call, to);
		return;
	}
	refuse(call, to, CAUSE_NET_ANY_PORT);
}

/*
 * Questions about names go to our own resolver, whoever they were for. On this machine there is
 * nothing else to be reached but what the session itself serves, unless its addresses are ones that
 * a name may lead to.
 */
static void
connect_domain(struct socket_call *call, const struct destination *to)
{
	const struct network *network = &call->request->broker->plan->settings.network;
	const struct egress *egress = &call->request->broker->egress;
	bool here = is_loopback(to->address) || is_any(to->address);

	if (proxy_client_line(call->request->broker) < 0) {
		refuse(call, to, CAUSE_NET_NO_PROXY);
	} else if (call->is_here && is_idle(call)) {
		connect_here(call, to);
	} else if (call->is_here) {
		redirect_to_proxy(call, to);
	} else if (to->port == DNS_PORT || (here && to->port == egress->stub)) {
		turn_to_stub(call, to);
	} else if (here && to->port == egress->named) {
		set_loopback(call, to, egress->named);
		socket_connect(call, -1);
	} else if (here && !is_idle(call)) {
		redirect_to_proxy(call, to);
	} else if (here && connect_here(call, to)) {
		return;
	} else if (here && !network_covers_private(network, to->address)) {
		refuse(call, to, CAUSE_NET_LOCAL_SERVER);
	} else {
		connect_away(call, to);
	}
}

void
inet_connect(struct socket_call *call)
{
	enum net_mode mode = call->request->broker->plan->settings.network.mode;
	struct destination to;
	int why;

	/* all of it, or a gap that was accepted; without network there are only inherited ones */
	if (!call->request->broker->plan->routes_network && mode != NET_NONE) {
		socket_connect(call, -1);
		return;
	}
	why = mode == NET_NONE ? EACCES : check_socket(call);
	/* no address: it is disconnected */
	if (why == 0 && call->size >= sizeof(sa_family_t) &&
	    call->address.any.sa_family == AF_UNSPEC) {
		socket_connect(call, -1);
		return;
	}
	if (why == 0)
		why = inet_destination(call, &to);
	if (why != 0)
		finish(call, why);
	else if (mode == NET_LOCALHOST)
		connect_local(call, &to);
	else
		connect_domain(call, &to);
}

/* ---- serving ---- */

/* For an address that may not be bound: EADDRNOTAVAIL where the machine does not have it either. */
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

/* A server may have any address of this machine's own, or all: the device lets only loopback in. */
static int
check_bind(struct socket_call *call)
{
	const struct network *network = &call->request->broker->plan->settings.network;
	struct destination to;
	int why = check_socket(call);

	/* AF_INET sockets take the family's absence for their own, as the kernel does */
	if (call->domain == AF_INET && call->address.any.sa_family == AF_UNSPEC &&
	    call->address.v4.sin_addr.s_addr == INADDR_ANY)
		call->address.any.sa_family = AF_INET;
	if (why == 0)
		why = inet_destination(call, &to);
	if (why != 0)
		return why;
	if (!is_loopback(to.address) && !is_any(to.address))
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
	finish(call, why);
}

/* One that was never bound gets a port by this, on all addresses of the device. */
void
inet_listen(struct socket_call *call, int backlog)
{
	struct own_listeners *own = &call->request->broker->own_servers;
	int why = check_socket(call);

	if (why == 0) {
		pthread_mutex_lock(&own->still);
		own_listeners_add(own, call->fd, nest_innermost(call->request));
		why = listen(call->fd, backlog) < 0 ? errno : 0;
		pthread_mutex_unlock(&own->still);
	}
	finish(call, why);
}

/* ---- datagrams ---- */

/* An address of IPv4 is also taken by sockets of IPv6; without a family it is their own, or none. */
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

/* Nothing but address and port: no device, and no label, which may stand for a route. */
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
	int why = check_socket(call);

	if (why == 0 && call->size > 0 && call->size < sizeof(sa_family_t))
		why = EINVAL;
	if (why == 0 && call->size > 0)
		settle_family(call);
	if (why != 0 || call->size == 0)
		return why;
	why = inet_destination(call, &to);
	if (why != 0)
		return why;
	if (socket_is_unreachable(call, false) || !may_reach_local(call, &to))
		return EACCES;
	strip_address(call);
	return 0;
}
