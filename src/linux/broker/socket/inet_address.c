// SPDX-License-Identifier: MIT
/* Addresses of Internet sockets: reading them, and replacing them by loopback. */
#include "linux/broker/socket/inet.h"

#include <errno.h>
#include <string.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

bool
inet_is_mapped(const uint8_t address[16])
{
	return memcmp(address, mapped, sizeof mapped) == 0;
}

bool
inet_is_loopback(const uint8_t address[16])
{
	static const uint8_t one[16] = {[15] = 1};

	return inet_is_mapped(address) ? address[12] == 127 : memcmp(address, one, sizeof one) == 0;
}

bool
inet_is_any(const uint8_t address[16])
{
	static const uint8_t zero[16];

	return memcmp(address, zero, 16) == 0 ||
	       (inet_is_mapped(address) && memcmp(address + 12, zero, 4) == 0);
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
	/* the old, shorter form has no scope id */
	if (call->size < offsetof(struct sockaddr_in6, sin6_scope_id))
		return EINVAL;
	if (at->any.sa_family != AF_INET6)
		return EAFNOSUPPORT;
	memcpy(to->address, &at->v6.sin6_addr, 16);
	to->port = ntohs(at->v6.sin6_port);
	return 0;
}

void
inet_set_loopback(struct socket_call *call, const struct destination *named, uint16_t port)
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
		if (inet_is_mapped(named->address)) {
			memcpy(&to.v6.sin6_addr, mapped, sizeof mapped);
			to.v6.sin6_addr.s6_addr[12] = 127;
			to.v6.sin6_addr.s6_addr[15] = 1;
		}
		call->size = sizeof to.v6;
	}
	call->address = to;
}
