/* SPDX-License-Identifier: MIT */
/*
 * Which name an address was answered for, and for how long that holds. Bounded: a new answer pushes
 * out the one that would have ended first.
 */
#pragma once

#include "proxy/wire/hostname.h"
#include "proxy/wire/ip.h"

#define ANSWERS_MAX 2048
#define ANSWERS_FOREVER UINT64_MAX

struct answer_entry {
	struct ip_address address;
	uint64_t until; /* in ms */
	char *name;
};

struct answers {
	struct answer_entry *items;
	size_t count;
};

/* False when there is no memory for it. */
bool answers_add(struct answers *answers, const struct ip_address *address, const char *name,
		 uint64_t now, uint64_t until);
/* The next name of this address that holds now, from *at on; NULL: no more. */
const char *answers_next(const struct answers *answers, const struct ip_address *address,
			 uint64_t now, size_t *at);
void answers_free(struct answers *answers);
