// SPDX-License-Identifier: MIT
/*
 * The three messages of SOCKS5: no read past the end, and no prefix of a message is accepted as complete.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/wire/socks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

/* A copy of exactly that size, so that sanitizers find reads past the end. */
static uint8_t *
copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + (size == 0));

	must(copy != NULL);
	memcpy(copy, data, size);
	return copy;
}

static int
parse(int which, const uint8_t *data, size_t size)
{
	uint8_t *copy = copy_of(data, size);
	struct socks_request request = {0};
	bool flag = false;
	int length = which == 0	  ? socks_greeting(copy, size, &flag)
		     : which == 1 ? socks_password(copy, size, "cordon", "token", &flag)
				  : socks_request(copy, size, &request);

	must(strlen(request.name) < NAME_SIZE && request.port <= 65535);
	must(length >= -1 && length <= (int)size && length <= SOCKS_MESSAGE_MAX);
	free(copy);
	return length;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int which = 0; which < 3; which++) {
		int length = parse(which, data, size);

		if (length <= 0)
			continue;
		must(parse(which, data, (size_t)length) == length);
		must(parse(which, data, (size_t)length - 1) == 0);
	}
	return 0;
}
