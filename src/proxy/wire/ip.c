// SPDX-License-Identifier: MIT
/*
 * Addresses. Two tables list the ranges that are not public. An IPv6 address that carries an IPv4 address
 * is decided by the IPv4 address, because packets go there.
 */
#include "proxy/wire/ip.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct ip_kind {
	const char *range;
	const char *what;
};

static const struct ip_kind kinds_v4[] = {
	{"0.0.0.0/8", "this machine"},
	{"10.0.0.0/8", "a private address"},
	{"100.64.0.0/10", "a carrier's private address"},
	{"127.0.0.0/8", "this machine"},
	{"168.63.129.16/32", "a cloud's metadata service"}, /* Azure; a public address */
	{"169.254.169.254/32", "a cloud's metadata service"},
	{"169.254.0.0/16", "a link-local address"},
	{"172.16.0.0/12", "a private address"},
	{"192.0.0.0/24", "a reserved address"},
	{"192.0.2.0/24", "a documentation address"},
	{"192.88.99.0/24", "a relay of 6to4"},
	{"192.168.0.0/16", "a private address"},
	{"198.18.0.0/15", "a benchmark address"},
	{"198.51.100.0/24", "a documentation address"},
	{"203.0.113.0/24", "a documentation address"},
	{"224.0.0.0/4", "a multicast address"},
	{"240.0.0.0/4", "a reserved address"},
};

static const struct ip_kind kinds_v6[] = {
	{"::/128", "this machine"},
	{"::1/128", "this machine"},
	{"64:ff9b:1::/48", "a private translation address"},
	{"100::/64", "a discarding address"},
	{"2001::/23", "a reserved address"},
	{"2001:db8::/32", "a documentation address"},
	{"3fff::/20", "a documentation address"},
	{"5f00::/16", "a reserved address"},
	{"fc00::/7", "a private address"},
	{"fe80::/10", "a link-local address"},
	{"fec0::/10", "a private address"},
	{"ff00::/8", "a multicast address"},
};

/* Offsets of an embedded IPv4 address. */
static const struct {
	const char *range;
	int offset;
} carriers[] = {
	{"::/96", 12},
	{"::ffff:0:0:0/96", 12},
	{"64:ff9b::/96", 12},
	{"2002::/16", 2},
};

bool
ip_is_v4(const struct ip_address *address)
{
	return memcmp(address->bytes, mapped, sizeof mapped) == 0;
}

bool
ip_equal(const struct ip_address *a, const struct ip_address *b)
{
	return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

struct ip_address
ip_from_v4(const uint8_t bytes[4])
{
	struct ip_address address;

	memcpy(address.bytes, mapped, sizeof mapped);
	memcpy(address.bytes + sizeof mapped, bytes, 4);
	return address;
}

bool
ip_parse(const char *text, struct ip_address *ret_address)
{
	uint8_t v4[4];

	if (inet_pton(AF_INET, text, v4) == 1) {
		*ret_address = ip_from_v4(v4);
		return true;
	}
	return inet_pton(AF_INET6, text, ret_address->bytes) == 1;
}

bool
ip_parse_endpoint(const char *text, struct ip_address *ret_address, unsigned *ret_port)
{
	char host[ADDRESS_TEXT_SIZE];
	struct cordon_error err;

	return network_split(text, host, sizeof host, ret_port, &err) == 0 &&
	       ip_parse(host, ret_address);
}

void
ip_print(const struct ip_address *address, char to[ADDRESS_TEXT_SIZE])
{
	bool v4 = ip_is_v4(address);

	if (inet_ntop(v4 ? AF_INET : AF_INET6, address->bytes + (v4 ? sizeof mapped : 0), to,
		      ADDRESS_TEXT_SIZE) == NULL)
		snprintf(to, ADDRESS_TEXT_SIZE, "?");
}

socklen_t
ip_to_socket(const struct ip_address *address, unsigned port, struct sockaddr_storage *ret_to)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)ret_to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)ret_to;

	memset(ret_to, 0, sizeof *ret_to);
	if (ip_is_v4(address)) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		memcpy(&v4->sin_addr, address->bytes + sizeof mapped, 4);
		return sizeof *v4;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons((uint16_t)port);
	memcpy(&v6->sin6_addr, address->bytes, sizeof address->bytes);
	return sizeof *v6;
}

bool
ip_from_socket(const struct sockaddr *from, struct ip_address *ret_address, unsigned *ret_port)
{
	if (from->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)from;

		*ret_address = ip_from_v4((const uint8_t *)&v4->sin_addr);
		*ret_port = ntohs(v4->sin_port);
		return true;
	}
	if (from->sa_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)from;

		memcpy(ret_address->bytes, &v6->sin6_addr, sizeof ret_address->bytes);
		*ret_port = ntohs(v6->sin6_port);
		return true;
	}
	return false;
}

/* ---- vetting ---- */

static const char *
find_kind(const struct ip_address *address, const struct ip_kind *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (network_range_covers(kinds[i].range, address->bytes))
			return kinds[i].what;
	return NULL;
}

static bool
is_listed(const struct ip_address *address, const struct words *ranges)
{
	for (size_t i = 0; ranges != NULL && i < ranges->count; i++)
		if (network_range_covers(ranges->items[i].text, address->bytes))
			return true;
	return false;
}

static const char *
vet_v4(const struct ip_address *address, const struct words *ranges)
{
	const char *what = find_kind(address, kinds_v4, COUNT(kinds_v4));

	return what == NULL || is_listed(address, ranges) ? NULL : what;
}

const char *
ip_vet(const struct ip_address *address, const struct words *ranges)
{
	const char *what;

	if (ip_is_v4(address))
		return vet_v4(address, ranges);
	what = find_kind(address, kinds_v6, COUNT(kinds_v6));
	if (is_listed(address, ranges))
		return NULL;
	for (size_t i = 0; what == NULL && i < COUNT(carriers); i++) {
		struct ip_address inner;

		if (!network_range_covers(carriers[i].range, address->bytes))
			continue;
		inner = ip_from_v4(address->bytes + carriers[i].offset);
		return vet_v4(&inner, ranges);
	}
	/* ISATAP is recognised by the interface identifier, under any prefix */
	if (what == NULL && memcmp(address->bytes + 9, "\x00\x5e\xfe", 3) == 0 &&
	    (address->bytes[8] & 0xfd) == 0) {
		struct ip_address inner = ip_from_v4(address->bytes + 12);

		return vet_v4(&inner, ranges);
	}
	return what;
}
