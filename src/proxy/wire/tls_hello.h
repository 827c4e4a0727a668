/* SPDX-License-Identifier: MIT */
/* The ClientHello of TLS and the host it names. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/model/cause.h"
#include "proxy/wire/hostname.h"

/* Longer hellos are refused. A hello with two post-quantum keys has about 3,000 bytes. */
#define TLS_HELLO_MAX 16384

enum tls_verdict {
	TLS_MORE,   /* incomplete */
	TLS_NAMED,  /* complete, with a server name */
	TLS_HIDDEN, /* with a server name, and perhaps an encrypted second one (ECH) */
	TLS_OTHER,  /* not TLS */
	TLS_BAD	    /* TLS without a usable name: see *ret_reason */
};

/*
 * The first bytes of a server's answer, enough to tell whether it requests another hello: other records, at
 * most TLS_BEFORE_MAX bytes, and the start of its hello.
 */
#define TLS_ANSWER_SIZE 43
#define TLS_BEFORE_MAX 14
/* Returns the size of a record that may precede the hello, else 0. */
size_t tls_before(const uint8_t *head);
/* Returns true if the server accepted the hello; false if it did not or this cannot be told. */
bool tls_goes_on(const uint8_t answer[TLS_ANSWER_SIZE]);

/* Returns the size of a record with its head, 0 for a handshake record. head has TLS_HEAD_SIZE bytes. */
#define TLS_HEAD_SIZE 5
size_t tls_skip(const uint8_t *head);

/* The message may be split over several records and must end with the last of them. */
enum tls_verdict tls_hello(const uint8_t *bytes, size_t length, char ret_name[NAME_SIZE],
			   enum cause *ret_reason);
/* Returns the size of the records of the hello, after TLS_NAMED or TLS_HIDDEN. */
size_t tls_hello_size(const uint8_t *bytes, size_t length);
