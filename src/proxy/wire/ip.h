/* SPDX-License-Identifier: MIT */
/*
 * Addresses, and whether a name may resolve to one: not to this machine, private networks or cloud metadata
 * services, in any notation, unless the policy lists the range. Pure.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "plan/network.h"

#define ADDRESS_TEXT_SIZE 48

/* IPv4 is stored as ::ffff:a.b.c.d. */
struct ip_address {
	uint8_t bytes[16];
};

bool ip_is_v4(const struct ip_address *address);
bool ip_equal(const struct ip_address *a, const struct ip_address *b);
/* Accepts dotted quads and IPv6 without a zone. */
bool ip_parse(const char *text, struct ip_address *ret_address);
/* Accepts "ADDRESS:PORT" and "[ADDRESS]:PORT". */
bool ip_parse_endpoint(const char *text, struct ip_address *ret_address, unsigned *ret_port);
void ip_print(const struct ip_address *address, char to[ADDRESS_TEXT_SIZE]);
struct ip_address ip_from_v4(const uint8_t bytes[4]);
socklen_t ip_to_socket(const struct ip_address *address, unsigned port,
		       struct sockaddr_storage *ret_to);
bool ip_from_socket(const struct sockaddr *from, struct ip_address *ret_address,
		    unsigned *ret_port);
/* Returns CAUSE_NONE if the address is allowed, else what kind of address it is. */
enum cause ip_vet(const struct ip_address *address, const struct words *ranges);
