// SPDX-License-Identifier: MIT
/*
 * Recognises addresses of this machine. A public address of this machine is in no table, and a connection
 * to it would reach local services without passing the firewall. An address is local if a socket can be
 * bound to it; for IPv6 also if its route is the loopback device, since an address of a local prefix (AnyIP)
 * cannot be bound. Where bind() accepts any address (ip_nonlocal_bind) or none, a local connection is
 * recognised after connect(), because both ends have the same address.
 */
#include "base/os.h"

#include "proxy/resolve/local_address.h"

#include "base/fd.h"

static bool
can_bind(const struct ip_address *address)
{
	struct sockaddr_storage to;
	socklen_t length = ip_to_socket(address, 0, &to);
	auto_fd int fd = os_socket(to.ss_family, SOCK_DGRAM);

	return fd >= 0 && bind(fd, (struct sockaddr *)&to, length) == 0;
}

/*
 * connect() on a datagram socket only looks up the route. IPv6 only: where no route leads to the device, IPv4
 * takes every address for one that is reached directly.
 */
static bool
leads_to_loopback(const struct ip_address *address)
{
	struct sockaddr_storage to;
	socklen_t length = ip_to_socket(address, 9, &to);
	auto_fd int fd = os_socket(to.ss_family, SOCK_DGRAM);

	return fd >= 0 && os_only_loopback(fd) == 0 &&
	       connect(fd, (struct sockaddr *)&to, length) == 0;
}

static bool
is_bound(const struct ip_address *address)
{
	/* documentation prefixes (RFC 3849, RFC 5737) */
	static const char *const nobodys[2] = {"2001:db8::1", "192.0.2.1"};
	struct ip_address other;

	return can_bind(address) && ip_parse(nobodys[ip_is_v4(address)], &other) &&
	       !can_bind(&other);
}

bool
local_address_is(const struct ip_address *address)
{
	return is_bound(address) || (!ip_is_v4(address) && leads_to_loopback(address));
}

bool
local_address_is_other_end(int fd)
{
	struct sockaddr_storage near_end = {0}, far_end = {0};
	socklen_t near_length = sizeof near_end, far_length = sizeof far_end;
	struct ip_address ends[2];
	unsigned port;

	return getsockname(fd, (struct sockaddr *)&near_end, &near_length) == 0 &&
	       getpeername(fd, (struct sockaddr *)&far_end, &far_length) == 0 &&
	       ip_from_socket((struct sockaddr *)&near_end, &ends[0], &port) &&
	       ip_from_socket((struct sockaddr *)&far_end, &ends[1], &port) &&
	       ip_equal(&ends[0], &ends[1]);
}
