// SPDX-License-Identifier: MIT
/* Network decisions by name and port. */
#include "plan/network.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "policy/model/value.h"

int
network_split(const char *subject, char *ret_host, size_t size, unsigned *ret_port,
	      struct cordon_error *err)
{
	const char *colon = strrchr(subject, ':');
	bool bracket = *subject == '[';
	size_t length;
	uint64_t port;

	if (colon == NULL || !str_number(colon + 1, UINT16_MAX, &port) || port == 0)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "\"%.80s\" is not HOST:PORT, as in example.com:443 or [::1]:80",
				   subject);
	length = (size_t)(colon - subject);
	if (bracket && (length < 3 || subject[length - 1] != ']'))
		return cordon_fail(err, CORDON_E_USAGE, 0, "\"%.80s\" has no closing bracket",
				   subject);
	subject += bracket;
	length -= bracket ? 2 : 0;
	if (length == 0 || length >= size)
		return cordon_fail(err, CORDON_E_USAGE, 0, "\"%.80s\" has no host name that fits",
				   subject);
	memcpy(ret_host, subject, length);
	ret_host[length] = '\0';
	*ret_port = (unsigned)port;
	return 0;
}

/* Connecting to the unspecified address connects to this machine. */
static bool
is_here(const struct in_addr *address)
{
	return ntohl(address->s_addr) >> 24 == 127 || address->s_addr == htonl(INADDR_ANY);
}

bool
network_is_loopback(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;
	size_t length = strlen(host);

	/* also 127.1 and 0, as resolvers parse them */
	if (inet_aton(host, &v4) == 1)
		return is_here(&v4);
	if (inet_pton(AF_INET6, host, &v6) == 1) {
		memcpy(&v4, v6.s6_addr + 12, sizeof v4);
		return IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_UNSPECIFIED(&v6) ||
		       (IN6_IS_ADDR_V4MAPPED(&v6) && is_here(&v4));
	}
	return ascii_same(host, "localhost") ||
	       (length > 10 && ascii_same(host + length - 10, ".localhost"));
}

bool
network_has_port(const struct network *network, unsigned port)
{
	return policy_ports_have(&network->ports, port);
}

/* Parses "ADDRESS" or "ADDRESS/BITS" into 128 bits. */
static bool
read_range(const char *text, uint8_t ret_start[16], uint64_t *ret_bits)
{
	const char *slash = strchr(text, '/');
	size_t length = slash == NULL ? strlen(text) : (size_t)(slash - text);
	uint8_t start[16] = {[10] = 0xff, [11] = 0xff};
	uint64_t bits = 128;
	char address[INET6_ADDRSTRLEN];

	if (length >= sizeof address || (slash != NULL && !str_number(slash + 1, 128, &bits)))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	if (inet_pton(AF_INET, address, start + 12) == 1)
		bits += slash == NULL ? 0 : 96;
	else if (inet_pton(AF_INET6, address, start) != 1)
		return false;
	memcpy(ret_start, start, sizeof start);
	*ret_bits = bits;
	return bits <= 128;
}

bool
network_range_covers(const char *range, const uint8_t address[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	uint8_t start[16];
	uint64_t bits;

	if (!read_range(range, start, &bits))
		return false;
	/* an IPv6 range wider than the mapped prefix does not include IPv4 */
	if (bits < 96 && memcmp(address, mapped, sizeof mapped) == 0)
		return false;
	return memcmp(start, address, bits / 8) == 0 &&
	       (bits % 8 == 0 || ((start[bits / 8] ^ address[bits / 8]) >> (8 - bits % 8)) == 0);
}

bool
network_covers_private(const struct network *network, const uint8_t address[16])
{
	for (size_t i = 0; i < network->private_ranges.count; i++)
		if (network_range_covers(network->private_ranges.items[i].text, address))
			return true;
	return false;
}

/* The local resolver forwards every name to the outside: refused unless its port is listed. */
#define RESOLVER_PORT 53

struct net_answer
network_decide_local(const struct network *network, unsigned port)
{
	if (network->localhost.count > 0 && !policy_ports_have(&network->localhost, port))
		return (struct net_answer){.cause = CAUSE_NET_LOCAL_PORT};
	if (network->localhost.count == 0 && port == RESOLVER_PORT)
		return (struct net_answer){.cause = CAUSE_NET_LOCAL_DNS};
	return (struct net_answer){true, CAUSE_NONE, "this machine may be reached", NULL};
}

static struct net_answer
decide_localhost(const struct network *network, const char *host, unsigned port)
{
	if (!network_is_loopback(host))
		return (struct net_answer){.cause = CAUSE_NET_LOCAL_ONLY};
	return network_decide_local(network, port);
}

/* The default ports of domains. */
static bool
is_usual(unsigned port)
{
	return port == 80 || port == 443;
}

/* Which protocols the proxy accepts depends on the port: proxy/wire/inspect.c. */
static const char *
carried_at(const struct network *network, unsigned port)
{
	if (policy_ports_have(&network->opaque, port))
		return "the domain and the port are listed, for any protocol";
	return is_usual(port) ? "the domain and the port are listed, for TLS and HTTP"
			      : "the domain and the port are listed, for TLS, HTTP and SSH";
}

bool
network_lists_local(const struct network *network, unsigned port)
{
	return network->mode == NET_DOMAINS && policy_ports_have(&network->localhost, port);
}

static struct net_answer
decide_domain(const struct network *network, const char *host, unsigned port)
{
	char name[VALUE_DOMAIN_SIZE];
	const char *bad = value_domain(host, name);

	if (network_is_loopback(host) && network_lists_local(network, port))
		return (struct net_answer){true, CAUSE_NONE, "this port of this machine is listed",
					   NULL};
	if (bad != NULL || *host == '*')
		return (struct net_answer){.cause = CAUSE_NET_ADDRESS};
	for (size_t i = 0; i < network->domains.count; i++) {
		const struct word *word = &network->domains.items[i];

		if (!merge_domain_covers(word->text, name))
			continue;
		if (!policy_ports_have(&network->ports, port))
			return (struct net_answer){.cause = CAUSE_NET_PORT, .domain = word};
		return (struct net_answer){true, CAUSE_NONE, carried_at(network, port), word};
	}
	return (struct net_answer){.cause = CAUSE_NET_DOMAIN};
}

struct net_answer
network_decide(const struct network *network, const char *host, unsigned port)
{
	switch (network->mode) {
	case NET_ALL:
		return (struct net_answer){true, CAUSE_NONE, "the whole network is allowed", NULL};
	case NET_LOCALHOST:
		return decide_localhost(network, host, port);
	case NET_DOMAINS:
		return decide_domain(network, host, port);
	case NET_UNSET:
	case NET_NONE:
		break;
	}
	return (struct net_answer){.cause = CAUSE_NET_NONE};
}

static bool
is_address(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;

	return inet_aton(host, &v4) == 1 || inet_pton(AF_INET6, host, &v6) == 1;
}

/* For domains see linux/broker/socket/inet_connect.c: an unlisted name has no address to connect to. */
struct net_answer
network_decide_socket(const struct network *network, const char *host, unsigned port)
{
	struct net_answer answer = network_decide(network, host, port);
	bool is_local = network_is_loopback(host);

	if (network->mode != NET_DOMAINS)
		return answer;
	if (port == RESOLVER_PORT && (is_local || is_address(host) || answer.domain != NULL))
		return (struct net_answer){
			true, CAUSE_NONE,
			"at this port the session's own resolver answers, for any address",
			answer.domain};
	if (is_local && !answer.allowed)
		answer.cause = CAUSE_NET_OWN_ONLY;
	return answer;
}

/* Writes the present list with this port added. A mode of its own would replace the domains. */
static void
advise_local(const struct network *network, unsigned port, struct str *to)
{
	bool is_listed = network->mode == NET_LOCALHOST || network->mode == NET_DOMAINS;

	str_add(to, network->mode == NET_DOMAINS ? "--net domains " : "");
	str_add(to, "--net localhost:");
	for (size_t i = 0; is_listed && i < network->localhost.count; i++)
		str_printf(to, "%u,", (unsigned)network->localhost.items[i].number);
	str_printf(to, "%u", port);
}

/* A mode on the command line must be replaced explicitly. */
static const char *
typed_first(const struct network *network)
{
	bool is_typed = network->mode != NET_DOMAINS && network->srcpos.file != NULL &&
			strcmp(network->srcpos.file, "--net") == 0;

	return is_typed ? "--net domains " : "";
}

void
network_advise(const struct network *network, const char *host, unsigned port,
	       const struct net_answer *answer, struct str *to)
{
	bool is_listed = network->mode == NET_DOMAINS && answer->domain != NULL;
	char name[VALUE_DOMAIN_SIZE];

	if (network_is_loopback(host)) {
		advise_local(network, port, to);
		return;
	}
	/* an address is no domain */
	if (value_domain(host, name) != NULL || *host == '*') {
		str_add(to, strchr(host, '*') == NULL ? "--net all" : "");
		return;
	}
	str_add(to, typed_first(network));
	if (!is_listed)
		str_printf(to, "--domain %s", name);
	if (!policy_ports_have(&network->ports, port) &&
	    !(network->ports.count == 0 && is_usual(port)))
		str_printf(to, "%s--port %u", is_listed ? "" : " ", port);
}

void
network_advise_unnamed(const struct network *network, char *to, size_t size)
{
	snprintf(to, size,
		 "allow a host with %s--domain NAME, this machine with --net localhost, "
		 "everything with --net all",
		 typed_first(network));
}
