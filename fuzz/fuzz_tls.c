// SPDX-License-Identifier: MIT
/* ClientHello: a prefix never gets another verdict than the whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/wire/tls_hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[NAME_SIZE], part_name[NAME_SIZE];
	enum cause reason = CAUSE_NONE;
	enum tls_verdict whole = tls_hello(data, size, name, &reason);

	must(whole != TLS_BAD || reason != CAUSE_NONE);
	if (whole != TLS_NAMED && whole != TLS_HIDDEN)
		return 0;
	must(strlen(name) > 0 && strlen(name) < NAME_SIZE);
	must(tls_hello_size(data, size) <= size);
	must(tls_hello(data, tls_hello_size(data, size), part_name, &reason) == whole);
	for (size_t i = 0; i < size; i += 1 + i / 16) {
		enum tls_verdict part = tls_hello(data, i, part_name, &reason);

		must(part == TLS_MORE || (part == whole && strcmp(part_name, name) == 0));
	}
	return 0;
}
