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
	enum cause what;
};

static const struct ip_kind kinds_v4[] = {
	{"0.0.0.0/8", CAUSE_ADDRESS_THIS_MACHINE},
	{"10.0.0.0/8", CAUSE_ADDRESS_PRIVATE},
	{"100.64.0.0/10", CAUSE_ADDRESS_CARRIER},
	{"127.0.0.0/8", CAUSE_ADDRESS_THIS_MACHINE},
	{"168.63.129.16/32", CAUSE_ADDRESS_METADATA}, /* Azure; a public address */
	{"169.254.169.254/32", CAUSE_ADDRESS_METADATA},
	{"169.254.0.0/16", CAUSE_ADDRESS_LINK_LOCAL},
	{"172.16.0.0/12", CAUSE_ADDRESS_PRIVATE},
	{"192.0.0.0/24", CAUSE_ADDRESS_RESERVED},
	{"192.0.2.0/24", CAUSE_ADDRESS_DOCUMENTATION},
	{"192.88.99.0/24", CAUSE_ADDRESS_6TO4},
	{"192.168.0.0/16", CAUSE_ADDRESS_PRIVATE},
	{"198.18.0.0/15", CAUSE_ADDRESS_BENCHMARK},
	{"198.51.100.0/24", CAUSE_ADDRESS_DOCUMENTATION},
	{"203.0.113.0/24", CAUSE_ADDRESS_DOCUMENTATION},
	{"224.0.0.0/4", CAUSE_ADDRESS_MULTICAST},
	{"240.0.0.0/4", CAUSE_ADDRESS_RESERVED},
};

static const struct ip_kind kinds_v6[] = {
	{"::/128", CAUSE_ADDRESS_THIS_MACHINE},
	{"::1/128", CAUSE_ADDRESS_THIS_MACHINE},
	{"64:ff9b:1::/48", CAUSE_ADDRESS_TRANSLATION},
	{"100::/64", CAUSE_ADDRESS_DISCARD},
	{"2001::/23", CAUSE_ADDRESS_RESERVED},
	{"2001:db8::/32", CAUSE_ADDRESS_DOCUMENTATION},
	{"3fff::/20", CAUSE_ADDRESS_DOCUMENTATION},
	{"5f00::/16", CAUSE_ADDRESS_RESERVED},
	{"fc00::/7", CAUSE_ADDRESS_PRIVATE},
	{"fe80::/10", CAUSE_ADDRESS_LINK_LOCAL},
	{"fec0::/10", CAUSE_ADDRESS_PRIVATE},
	{"ff00::/8", CAUSE_ADDRESS_MULTICAST},
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

static enum cause
find_kind(const struct ip_address *address, const struct ip_kind *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (network_range_covers(kinds[i].range, address->bytes))
			return kinds[i].what;
	return CAUSE_NONE;
}

static bool
is_listed(const struct ip_address *address, const struct words *ranges)
{
	for (size_t i = 0; ranges != NULL && i < ranges->count; i++)
		if (network_range_covers(ranges->items[i].text, address->bytes))
			return true;
	return false;
}

static enum cause
vet_v4(const struct ip_address *address, const struct words *ranges)
{
	enum cause what = find_kind(address, kinds_v4, COUNT(kinds_v4));

	return what == CAUSE_NONE || is_listed(address, ranges) ? CAUSE_NONE : what;
}

enum cause
ip_vet(const struct ip_address *address, const struct words *ranges)
{
	enum cause what;

	if (ip_is_v4(address))
		return vet_v4(address, ranges);
	what = find_kind(address, kinds_v6, COUNT(kinds_v6));
	if (is_listed(address, ranges))
		return CAUSE_NONE;
	for (size_t i = 0; what == CAUSE_NONE && i < COUNT(carriers); i++) {
		struct ip_address inner;

		if (!network_range_covers(carriers[i].range, address->bytes))
			continue;
		inner = ip_from_v4(address->bytes + carriers[i].offset);
		return vet_v4(&inner, ranges);
	}
	/* ISATAP is recognised by the interface identifier, under any prefix */
	if (what == CAUSE_NONE && memcmp(address->bytes + 9, "\x00\x5e\xfe", 3) == 0 &&
	    (address->bytes[8] & 0xfd) == 0) {
		struct ip_address inner = ip_from_v4(address->bytes + 12);

		return vet_v4(&inner, ranges);
	}
	return what;
}
