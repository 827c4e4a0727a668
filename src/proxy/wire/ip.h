/* SPDX-License-Identifier: MIT */
/*
 * Addresses, and whether a name may lead to one: nothing of this machine, of private networks or of
 * clouds' own services, in whatever form it is written, unless the policy lists the range. Pure.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "plan/network.h"

#define ADDRESS_TEXT_SIZE 48

/* IPv4 as ::ffff:a.b.c.d. */
struct ip_address {
	uint8_t bytes[16];
};

bool ip_is_v4(const struct ip_address *address);
bool ip_equal(const struct ip_address *a, const struct ip_address *b);
/* Dotted quads and IPv6 without a zone. */
bool ip_parse(const char *text, struct ip_address *ret_address);
/* "ADDRESS:PORT", "[ADDRESS]:PORT". */
bool ip_parse_endpoint(const char *text, struct ip_address *ret_address, unsigned *ret_port);
void ip_print(const struct ip_address *address, char to[ADDRESS_TEXT_SIZE]);
struct ip_address ip_from_v4(const uint8_t bytes[4]);
socklen_t ip_to_socket(const struct ip_address *address, unsigned port,
		       struct sockaddr_storage *ret_to);
bool ip_from_socket(const struct sockaddr *from, struct ip_address *ret_address,
		    unsigned *ret_port);
/* NULL: it may be reached. Else what it is, to follow "leads to". */
const char *ip_vet(const struct ip_address *address, const struct words *ranges);
