/* SPDX-License-Identifier: MIT */
/* The first message of a TLS client, which says for whom it is. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proxy/wire/hostname.h"

/* Longer ones are refused: a hello with two post-quantum keys has about 3,000. */
#define TLS_HELLO_MAX 16384

enum tls_verdict {
	TLS_MORE,   /* a beginning */
	TLS_NAMED,  /* with the name */
	TLS_HIDDEN, /* with a name, and beside it perhaps another that nobody can read (ECH) */
	TLS_OTHER,  /* not TLS at all */
	TLS_BAD	    /* TLS, but without a name one could rely on: *ret_reason */
};

/*
 * What a server's answer begins with, as far as it says whether it asks for another hello: records
 * other than handshakes, of TLS_BEFORE_MAX bytes at most, and the start of its own hello.
 */
#define TLS_ANSWER_SIZE 43
#define TLS_BEFORE_MAX 14
/* The size of a record that a hello may follow; 0: it is none. */
size_t tls_before(const uint8_t *head);
/* False also where it is unclear: the hello is split, or there is none. */
bool tls_goes_on(const uint8_t answer[TLS_ANSWER_SIZE]);

/* Of a record that is no handshake: its size with its head; 0: it is one. head has TLS_HEAD_SIZE. */
#define TLS_HEAD_SIZE 5
size_t tls_skip(const uint8_t *head);

/* The message may be split over any number of records, and must end with the last of them. */
enum tls_verdict tls_hello(const uint8_t *bytes, size_t length, char ret_name[NAME_SIZE],
			   const char **ret_reason);
/* The bytes of those records, for TLS_NAMED and TLS_HIDDEN. */
size_t tls_hello_size(const uint8_t *bytes, size_t length);
