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

bool address_is_v4(const struct ip_address *address);
bool address_equal(const struct ip_address *a, const struct ip_address *b);
/* Dotted quads and IPv6 without a zone. */
bool address_parse(const char *text, struct ip_address *ret_address);
/* "ADDRESS:PORT", "[ADDRESS]:PORT". */
bool address_parse_endpoint(const char *text, struct ip_address *ret_address, unsigned *ret_port);
void address_print(const struct ip_address *address, char to[ADDRESS_TEXT_SIZE]);
struct ip_address address_from_v4(const uint8_t bytes[4]);
socklen_t address_to_socket(const struct ip_address *address, unsigned port,
			    struct sockaddr_storage *ret_to);
bool address_from_socket(const struct sockaddr *from, struct ip_address *ret_address,
			 unsigned *ret_port);
/* NULL: it may be reached. Else what it is, to follow "leads to". */
const char *address_vet(const struct ip_address *address, const struct words *ranges);
