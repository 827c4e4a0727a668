/* SPDX-License-Identifier: MIT */
/*
 * DNS messages, as far as a stub needs them: one question, addresses as answers. Nothing of what an
 * upstream said is passed on as it came: answers are written anew. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proxy/wire/hostname.h"
#include "proxy/wire/ip.h"

#define DNS_QUERY_MAX 512
#define DNS_MESSAGE_MAX 4096 /* longer answers are not believed */
#define DNS_ADDRESSES 16

enum dns_type {
	DNS_A = 1,
	DNS_CNAME = 5,
	DNS_PTR = 12,
	DNS_AAAA = 28,
	DNS_OPT = 41,
	DNS_SVCB = 64,
	DNS_HTTPS = 65
};
enum dns_code { DNS_OK = 0, DNS_MALFORMED = 1, DNS_FAILED = 2, DNS_NO_NAME = 3, DNS_REFUSED = 5 };

struct dns_question {
	uint16_t id;
	bool wants_recursion, has_edns;
	char name[NAME_SIZE]; /* "" for what is no host name */
	unsigned type;
	size_t end; /* where the question ends in the message */
};

struct dns_answer {
	enum dns_code code;
	bool is_cut; /* to be asked for over TCP */
	uint32_t ttl;
	size_t count;
	struct ip_address addresses[DNS_ADDRESSES];
};

/* False: nothing that could be answered. */
bool dns_parse_query(const uint8_t *bytes, size_t length, struct dns_question *ret_question);
/* Is it the answer to this question? Only addresses that its own chain of names leads to count. */
bool dns_parse_answer(const uint8_t *bytes, size_t length, uint16_t id, const char *name,
		      enum dns_type type, struct dns_answer *ret_answer);
/* A question; its length. to has room for DNS_QUERY_MAX. */
size_t dns_write_query(uint16_t id, const char *name, enum dns_type type, uint8_t *to);
/* The answer to a query, which is repeated in it; its length, at most size. */
size_t dns_write_answer(const uint8_t *query, const struct dns_question *question,
			const struct dns_answer *answer, uint8_t *to, size_t size);
