/* SPDX-License-Identifier: MIT */
/* The first message of a TLS client, which says for whom it is. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/name.h"

/* Longer ones are refused: a hello with two post-quantum keys has about 3,000. */
#define TLS_HELLO_MAX 16384

enum tls_verdict {
	TLS_MORE,   /* a beginning */
	TLS_NAMED,  /* with the name */
	TLS_HIDDEN, /* with a name, and beside it perhaps another that nobody can read (ECH) */
	TLS_OTHER,  /* not TLS at all */
	TLS_BAD	    /* TLS, but without a name one could rely on: *ret_reason */
};

/* The message may be split over any number of records. */
enum tls_verdict tls_hello(const uint8_t *bytes, size_t length, char ret_name[NAME_SIZE],
			   const char **ret_reason);
