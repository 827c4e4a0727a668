/* SPDX-License-Identifier: MIT */
/*
 * Which name an address was returned for, with its expiry. The cache is bounded: a new answer replaces the
 * one that expires first.
 */
#pragma once

#include "proxy/wire/hostname.h"
#include "proxy/wire/ip.h"

#define ANSWERS_MAX 2048
#define ANSWERS_FOREVER UINT64_MAX

struct answer_entry {
	struct ip_address address;
	uint64_t until; /* expiry in ms */
	char *name;
};

struct answers {
	struct answer_entry *items;
	size_t count;
};

/* Returns false if out of memory. */
bool answers_add(struct answers *answers, const struct ip_address *address, const char *name,
		 uint64_t now, uint64_t until);
/* Returns the next unexpired name of this address, starting at *at; NULL at the end. */
const char *answers_next(const struct answers *answers, const struct ip_address *address,
			 uint64_t now, size_t *at);
void answers_free(struct answers *answers);
