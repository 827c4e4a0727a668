// SPDX-License-Identifier: MIT
/*
 * Connecting Internet sockets with network localhost and domains: by address and port, or by the proxy,
 * which then connects.
 */
#include "linux/broker/socket/inet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>

#include "base/fd.h"
#include "linux/broker/nest.h"
#include "plan/network.h"

#define DNS_PORT 53
#define STATE_CLOSED 7 /* TCP_CLOSE of the kernel */

bool
inet_may_reach(const struct broker *broker, const struct nest_question *question, bool *ret_here)
{
	const struct destination *to = &question->at;
	const struct network *network = &broker->plan->settings.network;
	bool here = inet_is_loopback(to->address) || inet_is_any(to->address);

	*ret_here = network->mode == NET_DOMAINS;
	if (network->mode == NET_ALL)
		return true;
	/* the proxy, whose port no other process has while the session lives, and own servers */
	if (network->mode == NET_DOMAINS)
		return here && (question->is_bind || question->is_own ||
				network_lists_local(network, to->port) ||
				(inet_is_loopback(to->address) && to->port != 0 &&
				 to->port == broker->egress.named));
	if (network->mode != NET_LOCALHOST || question->is_far || !here)
		return false;
	return (question->is_bind && to->port == 0) ||
	       network_decide_local(network, to->port).allowed;
}

static void
report(const struct socket_call *call, const struct destination *to, enum cause why)
{
	char host[INET6_ADDRSTRLEN], subject[INET6_ADDRSTRLEN + 16];
	struct refusal refusal = {.what = call->type == SOCK_DGRAM ? REFUSED_SEND : REFUSED_CONNECT,
				  .cause = (uint16_t)why,
				  .number = (uint32_t)to->port};

	if (inet_is_mapped(to->address))
		inet_ntop(AF_INET, to->address + 12, host, sizeof host);
	else
		inet_ntop(AF_INET6, to->address, host, sizeof host);
	snprintf(subject, sizeof subject, inet_is_mapped(to->address) ? "%s:%u" : "[%s]:%u", host,
		 (unsigned)to->port);
	refuse_event(call->request, &refusal, subject);
}

static void
refuse(struct socket_call *call, const struct destination *to, enum cause why)
{
	bool is_local = call->request->broker->plan->settings.network.mode == NET_LOCALHOST;

	report(call, to, why);
	/* where names decide, the program sees it as no server */
	socket_finish(call, is_local ? EACCES : ECONNREFUSED);
}

bool
inet_may_reach_local(struct socket_call *call, const struct destination *to)
{
	const struct network *network = &call->request->broker->plan->settings.network;
	struct net_answer answer = network_decide_local(network, to->port);

	if (!inet_is_loopback(to->address) && !inet_is_any(to->address)) {
		report(call, to, CAUSE_NET_LOCAL_ONLY);
		return false;
	}
	if (!answer.allowed)
		report(call, to, answer.cause);
	else if (inet_is_any(to->address))
		inet_set_loopback(call, to, to->port);
	return answer.allowed;
}

static void
connect_local(struct socket_call *call, const struct destination *to)
{
	if (inet_may_reach_local(call, to))
		socket_connect(call, -1);
	else
		socket_finish(call, EACCES);
}

static bool
is_idle(const struct socket_call *call)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof info;

	return getsockopt(call->fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
	       info.tcpi_state == STATE_CLOSED;
}

/* Takes the fd of call. kind: the members that say what to connect to. */
static void
start(struct socket_call *call, struct connect_call kind)
{
	kind.request = *call->request;
	kind.fd = fd_take(&call->fd);
	kind.pin = -1;
	kind.address = call->address;
	kind.size = call->size;
	connect_start(&kind);
}

static void
redirect_to_proxy(struct socket_call *call, const struct destination *to)
{
	/* a pending or finished connect only returns its status */
	bool to_proxy = !call->is_here && is_idle(call);

	inet_set_loopback(call, to, call->request->broker->egress.through);
	start(call, (struct connect_call){.to_proxy = to_proxy, .asks = *to});
}

static void
redirect_to_stub(struct socket_call *call, const struct destination *to)
{
	inet_set_loopback(call, to, call->request->broker->egress.stub);
	start(call, (struct connect_call){.is_stub = true});
}

static void
connect_own_server(struct socket_call *call, const struct destination *to)
{
	start(call,
	      (struct connect_call){.to_own_server = true,
				    .asks = *to,
				    .listener_set = call->is_here ? call->by.listener_set : 0});
}

/*
 * On this machine the listening process decides. Returns false if it is not of the session. If a nest
 * allows a single server only, the call fails for any other.
 */
static bool
connect_here(struct socket_call *call, const struct destination *to)
{
	struct destination at = *to;
	struct listening_by by;
	enum listening owner;

	if (inet_is_any(to->address)) {
		inet_set_loopback(call, to, to->port);
		inet_destination(call, &at);
	}
	owner = own_listeners_find(&call->request->broker->own_servers, at.address, at.port, &by);
	if (call->is_here && (by.listener_set == 0 || by.listener_set != call->by.listener_set ||
			      owner == LISTENS_OTHER)) {
		socket_finish(call, ECONNREFUSED);
		return true;
	}
	switch (owner) {
	case LISTENS_OWN:
	case LISTENS_FULL:
		connect_own_server(call, &at);
		return true;
	case LISTENS_NOBODY:
		if (network_covers_private(&call->request->broker->plan->settings.network,
					   at.address))
			return false;
		/* not a refusal: the command may be waiting for its server to start */
		socket_finish(call, ECONNREFUSED);
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

static void
connect_explicit(struct socket_call *call, const struct destination *to)
{
	inet_set_loopback(call, to, call->request->broker->egress.named);
	socket_connect(call, -1);
}

static void
connect_judged(struct socket_call *call, const struct destination *to)
{
	connect_here(call, to);
}

/* Allows own servers only, and addresses that a name may lead to. */
static void
connect_this_machine(struct socket_call *call, const struct destination *to)
{
	if (connect_here(call, to))
		return;
	if (network_covers_private(&call->request->broker->plan->settings.network, to->address))
		connect_away(call, to);
	else
		refuse(call, to, CAUSE_NET_LOCAL_SERVER);
}

enum target {
	TARGET_JUDGED,	 /* the one server that a nest allowed */
	TARGET_RESOLVER, /* port 53 anywhere, and that of the proxy's resolver */
	TARGET_EXPLICIT, /* the proxy by its own port */
	TARGET_LISTED,	 /* a port of this machine that the policy lists */
	TARGET_MACHINE,	 /* any other address of this machine */
	TARGET_AWAY
};

static enum target
find_target(const struct socket_call *call, const struct destination *to)
{
	const struct egress *egress = &call->request->broker->egress;
	const struct network *network = &call->request->broker->plan->settings.network;
	bool here = inet_is_loopback(to->address) || inet_is_any(to->address);

	if (call->is_here)
		return TARGET_JUDGED;
	if (to->port == DNS_PORT || (here && to->port == egress->stub))
		return TARGET_RESOLVER;
	if (!here)
		return TARGET_AWAY;
	if (to->port == egress->named)
		return TARGET_EXPLICIT;
	return network_lists_local(network, to->port) ? TARGET_LISTED : TARGET_MACHINE;
}

static void
connect_domain(struct socket_call *call, const struct destination *to)
{
	/* of a socket that is idle; of one that is connecting or connected */
	static void (*const actions[][2])(struct socket_call *, const struct destination *) = {
		[TARGET_JUDGED] = {connect_judged, redirect_to_proxy},
		[TARGET_RESOLVER] = {redirect_to_stub, redirect_to_stub},
		[TARGET_EXPLICIT] = {connect_explicit, connect_explicit},
		[TARGET_LISTED] = {connect_local, connect_local},
		[TARGET_MACHINE] = {connect_this_machine, redirect_to_proxy},
		[TARGET_AWAY] = {connect_away, connect_away},
	};

	if (proxy_client_line(call->request->broker) < 0)
		refuse(call, to, CAUSE_NET_NO_PROXY);
	else
		actions[find_target(call, to)][is_idle(call) ? 0 : 1](call, to);
}

void
inet_connect(struct socket_call *call)
{
	enum net_mode mode = call->request->broker->plan->settings.network.mode;
	struct destination to;
	int why;

	/* the whole network, or an accepted gap; without network only inherited sockets exist */
	if (!call->request->broker->plan->routes_network && mode != NET_NONE) {
		socket_connect(call, -1);
		return;
	}
	why = mode == NET_NONE ? EACCES : inet_check_socket(call);
	/* AF_UNSPEC: disconnect */
	if (why == 0 && call->size >= sizeof(sa_family_t) &&
	    call->address.any.sa_family == AF_UNSPEC) {
		socket_connect(call, -1);
		return;
	}
	if (why == 0)
		why = inet_destination(call, &to);
	if (why != 0)
		socket_finish(call, why);
	else if (mode == NET_LOCALHOST)
		connect_local(call, &to);
	else
		connect_domain(call, &to);
}
