// SPDX-License-Identifier: MIT
/* Names have one spelling; addresses of this machine and of private networks are known in any form. */
#include "proxy/resolve/answer_cache.h"
#include "proxy/resolve/resolv_conf.h"
#include "proxy/resolve/upstream_proxy.h"
#include "proxy/wire/hostname.h"
#include "proxy/wire/ip.h"
#include "tap.h"

static struct word ranges_items[] = {
	{.text = "10.1.0.0/16"}, {.text = "127.0.0.1"}, {.text = "fd00::/8"}};
static const struct words ranges = {ranges_items, 3}, none = {NULL, 0};

static const char *
vet(const char *text, const struct words *listed)
{
	struct ip_address address;

	check(ip_parse(text, &address));
	return ip_vet(&address, listed) == CAUSE_NONE ? NULL : cause_text(ip_vet(&address, listed));
}

static void
public_addresses_are_allowed(void)
{
	static const char *const open[] = {
		"93.184.216.34",     "1.1.1.1",	     "172.32.0.1",	   "100.128.0.1",
		"11.0.0.0",	     "9.9.9.9",	     "192.169.0.1",	   "223.255.255.255",
		"2606:4700::1111",   "2a00:1450::1", "64:ff9b::5db8:d822", "2002:5db8:d822::1",
		"::ffff:0:5db8:d822"};

	for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
		check_str(vet(open[i], &none), NULL);
}

static void
every_non_public_range_is_refused(void)
{
	static const char *const closed[] = {
		"127.0.0.1",
		"127.255.255.254",
		"0.0.0.0",
		"0.1.2.3",
		"10.0.0.1",
		"100.64.0.1",
		"100.127.255.255",
		"169.254.169.254",
		"169.254.1.1",
		"172.16.0.1",
		"172.31.255.255",
		"192.168.1.1",
		"192.0.0.1",
		"198.18.0.1",
		"198.19.255.255",
		"224.0.0.1",
		"255.255.255.255",
		"::1",
		"::",
		"fe80::1",
		"febf::1",
		"fec0::1",
		"fc00::1",
		"fdff::1",
		"ff02::1",
		"100::1",
		"2001::1",
		"2001:db8::1",
		/* the same in other clothes */
		"::ffff:127.0.0.1",
		"::ffff:10.0.0.1",
		"::127.0.0.1",
		"::10.0.0.1",
		"64:ff9b::7f00:1",
		"64:ff9b::a9fe:a9fe",
		"64:ff9b:1::1",
		"::ffff:0:7f00:1",
		"::ffff:0:a9fe:a9fe",
		"2001:0:7f00:1::1",
		"64:ff9b:1:7f00:0:100::",
		"2002:7f00:1::1",
		"2002:a9fe:a9fe::",
		"2002:c0a8:101::1",
		"2606::5efe:10.0.0.1",
		"2606::200:5efe:7f00:1",
	};

	for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++)
		if (vet(closed[i], &none) == NULL) {
			printf("# %s was let through\n", closed[i]);
			check(false);
		}
	check_str(vet("169.254.169.254", &none), "a cloud's metadata service");
	check_str(vet("168.63.129.16", &none), "a cloud's metadata service");
	check(vet("168.63.129.17", &none) == NULL);
}

static void
only_listed_ranges_are_lifted(void)
{
	check_str(vet("10.1.2.3", &ranges), NULL);
	check(vet("10.2.0.1", &ranges) != NULL);
	check_str(vet("127.0.0.1", &ranges), NULL);
	check(vet("127.0.0.2", &ranges) != NULL);
	check_str(vet("::ffff:10.1.0.1", &ranges), NULL);
	check_str(vet("64:ff9b::10.1.0.1", &ranges), NULL);
	check_str(vet("fd12::1", &ranges), NULL);
	check(vet("fc12::1", &ranges) != NULL);
	check(vet("169.254.169.254", &ranges) != NULL);
}

static void
a_wide_range_of_one_family_is_not_the_other(void)
{
	struct word item = {.text = "::/0"};
	struct words all = {&item, 1};

	check(vet("10.0.0.1", &all) != NULL);
	check_str(vet("fe80::1", &all), NULL);
	item.text = "0.0.0.0/0";
	check_str(vet("10.0.0.1", &all), NULL);
	check(vet("::1", &all) != NULL);
}

/* The broker and the proxy ask by the same ranges. */
static void
ranges_of_the_policy_mean_the_same_everywhere(void)
{
	struct word item = {.text = "::/64"};
	const struct network network = {.private_ranges = {&item, 1}};
	struct ip_address local;

	check(ip_parse("127.0.0.1", &local));
	check(!network_covers_private(&network, local.bytes));
	item.text = "127.0.0.0/8";
	check(network_covers_private(&network, local.bytes));
	item.text = "127.0.0.1";
	check(network_covers_private(&network, local.bytes));
	item.text = "::ffff:127.0.0.0/104";
	check(network_covers_private(&network, local.bytes));
	item.text = "127.0.0.0/33";
	check(!network_covers_private(&network, local.bytes));
	check(ip_parse("::1", &local));
	item.text = "::/64";
	check(network_covers_private(&network, local.bytes));
}

static void
names_have_one_spelling(void)
{
	char name[NAME_SIZE], label[80];
	unsigned port = 7;

	check(hostname_normalise("WWW.Example.ORG.", 16, name));
	check_str(name, "www.example.org");
	check(hostname_normalise("xn--bcher-kva.example", 21, name));
	check(hostname_normalise("_dmarc.a-b.test", 15, name));
	check(!hostname_normalise("", 0, name));
	check(!hostname_normalise(".", 1, name));
	check(!hostname_normalise("a..b", 4, name));
	check(!hostname_normalise(".a", 2, name));
	check(!hostname_normalise("a b", 3, name));
	check(!hostname_normalise("a\0b", 3, name));
	check(!hostname_normalise("b\xc3\xbc"
				  "cher.example",
				  14, name));
	check(!hostname_normalise("a%2e.test", 9, name));
	memset(label, 'a', sizeof label);
	check(hostname_normalise(label, 63, name));
	check(!hostname_normalise(label, 64, name));
	check(hostname_split("a.test:443", 10, name, &port));
	check_int(port, 443);
	check(!hostname_split("a.test:", 7, name, &port));
	check(!hostname_split("a.test:0", 8, name, &port));
	check(!hostname_split("a.test:65536", 12, name, &port));
	check(!hostname_split("a.test:44 3", 11, name, &port));
	check(!hostname_split("[::1]:443", 9, name, &port));
	check(hostname_is_address("127.0.0.1") && hostname_is_address("2130706433"));
	check(hostname_is_address("0x7f000001") && hostname_is_address("127.0.0.0x1"));
	check(!hostname_is_address("1.test") && !hostname_is_address("a.test"));
}

static void
answers_are_cached_for_their_ttl(void)
{
	struct answers answers = {0};
	struct ip_address one, two;
	size_t at = 0;

	ip_parse("93.184.216.34", &one);
	ip_parse("2606::1", &two);
	check(answers_add(&answers, &one, "a.test", 0, 100));
	check(answers_add(&answers, &one, "b.test", 0, 50));
	check_str(answers_next(&answers, &one, 10, &at), "a.test");
	check_str(answers_next(&answers, &one, 10, &at), "b.test");
	check_str(answers_next(&answers, &one, 10, &at), NULL);
	at = 0;
	check_str(answers_next(&answers, &two, 10, &at), NULL);
	at = 0;
	check_str(answers_next(&answers, &one, 60, &at), "a.test");
	check_str(answers_next(&answers, &one, 60, &at), NULL);
	at = 0;
	check_str(answers_next(&answers, &one, 100, &at), NULL);
	/* asked for again: it holds longer */
	check(answers_add(&answers, &one, "a.test", 60, 200));
	at = 0;
	check_str(answers_next(&answers, &one, 150, &at), "a.test");
	check_int(answers.count, 2);
	answers_free(&answers);
}

static void
answers_are_bounded(void)
{
	struct answers answers = {0};
	struct ip_address address = {{0x20}};
	char name[32];
	size_t at = 0;

	for (unsigned i = 0; i < ANSWERS_MAX + 500; i++) {
		snprintf(name, sizeof name, "n%u.test", i);
		address.bytes[14] = (uint8_t)(i >> 8);
		address.bytes[15] = (uint8_t)i;
		check(answers_add(&answers, &address, name, 0, 1000 + i));
	}
	check_int(answers.count, ANSWERS_MAX);
	check_str(answers_next(&answers, &address, 0, &at), name);
	answers_free(&answers);
}

static void
resolver_files_are_read_as_libc_does(void)
{
	struct word domain_items[] = {{.text = "a.test"}, {.text = "*.b.test"}};
	struct network network = {.mode = NET_DOMAINS, .domains = {domain_items, 2}};
	struct resolver resolver = {0};
	char text[ADDRESS_TEXT_SIZE];

	resolv_conf_read_servers(&resolver,
				 "# nameserver 1.1.1.1\n;x\nsearch lan\nnameserver 9.9.9.9\n"
				 "nameserver fe80::1%eth0\nnameserver\n"
				 "nameserver 2606::1 # b\nnameserver 8.8.8.8\nnameserver 7.7.7.7");
	check_int(resolver.count, 3);
	ip_print(&resolver.servers[1], text);
	check_str(text, "2606::1");
	check_int(resolver.ports[0], 53);
	resolv_conf_read_hosts(&resolver,
			       "127.0.0.1 localhost\n10.0.0.1\tother.test A.test # a.test\n"
			       "not an address a.test\n::1 x.b.test b.test\n",
			       &network);
	check_int(resolver.host_count, 2);
	check_str(resolver.hosts[0].name, "a.test");
	check_str(resolver.hosts[1].name, "x.b.test");
	resolv_conf_free(&resolver);
}

static void
the_invokers_proxy_is_found(void)
{
	static const char *const plain[] = {"HTTP_PROXY=http://u%40x:p@proxy.lan:3128/",
					    "NO_PROXY=.lan, direct.test", "https_proxy=[::1]:99",
					    NULL};
	static const char *const socks[] = {"ALL_PROXY=socks5://x:1", NULL};
	static const char *const cgi[] = {"HTTP_PROXY=http://evil:1", "REQUEST_METHOD=GET", NULL};
	static const char *const bad[] = {"http_proxy=http://x:99999", NULL};
	struct upstreams up;
	struct cordon_error err = {0};

	check_int(upstreams_read(plain, &up, &err), 0);
	check_str(up.plain.host, "proxy.lan");
	check_int(up.plain.port, 3128);
	check_str(up.plain.header, "Proxy-Authorization: Basic dUB4OnA=\r\n");
	check_str(up.tunnel.host, "::1");
	check_int(up.tunnel.port, 99);
	check(upstream_for(&up, true, "a.test") == &up.plain);
	check(upstream_for(&up, false, "a.test") == &up.tunnel);
	check(upstream_for(&up, true, "x.lan") == NULL);
	check(upstream_for(&up, true, "direct.test") == NULL);
	check(upstream_for(&up, true, "a.direct.test") == NULL);
	check(upstream_for(&up, true, "indirect.test") == &up.plain);
	check(upstreams_read(socks, &up, &err) < 0);
	check(upstreams_read(bad, &up, &err) < 0);
	check_int(upstreams_read(cgi, &up, &err), 0);
	check(upstream_for(&up, true, "a.test") == NULL);
}

int
main(void)
{
	run(public_addresses_are_allowed);
	run(every_non_public_range_is_refused);
	run(only_listed_ranges_are_lifted);
	run(a_wide_range_of_one_family_is_not_the_other);
	run(ranges_of_the_policy_mean_the_same_everywhere);
	run(names_have_one_spelling);
	run(answers_are_cached_for_their_ttl);
	run(answers_are_bounded);
	run(resolver_files_are_read_as_libc_does);
	run(the_invokers_proxy_is_found);
	return tap_end();
}
