/* SPDX-License-Identifier: MIT */
/*
 * DNS messages as a stub resolver needs them: one question, addresses as answers. No bytes of an upstream
 * answer are passed on: answers are written anew. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proxy/wire/hostname.h"
#include "proxy/wire/ip.h"

#define DNS_QUERY_MAX 512
#define DNS_MESSAGE_MAX 4096 /* longer answers are ignored */
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
	char name[NAME_SIZE]; /* "" if it is not a host name */
	unsigned type;
	size_t end; /* offset of the end of the question */
};

struct dns_answer {
	enum dns_code code;
	bool is_cut; /* truncated: ask again over TCP */
	uint32_t ttl;
	size_t count;
	struct ip_address addresses[DNS_ADDRESSES];
};

/* Returns false if the query cannot be answered. */
bool dns_parse_query(const uint8_t *bytes, size_t length, struct dns_question *ret_question);
/*
 * Returns true if the message answers this question. Only addresses that the answer's own chain of CNAMEs
 * leads to are taken.
 */
bool dns_parse_answer(const uint8_t *bytes, size_t length, uint16_t id, const char *name,
		      enum dns_type type, struct dns_answer *ret_answer);
/* Writes a query and returns its length. to has room for DNS_QUERY_MAX. */
size_t dns_write_query(uint16_t id, const char *name, enum dns_type type, uint8_t *to);
/* Writes the answer to query, with its question repeated. Returns the length, at most size. */
size_t dns_write_answer(const uint8_t *query, const struct dns_question *question,
			const struct dns_answer *answer, uint8_t *to, size_t size);
