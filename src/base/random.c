// SPDX-License-Identifier: MIT
/* Random ids and tokens, from the kernel only. */
#include "base/os.h"

#include "base/random.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

int
random_hex(char *to, size_t digits, struct cordon_error *err)
{
	unsigned char byte;

	for (size_t i = 0; i < digits; i += 2) {
		if (getentropy(&byte, sizeof byte) < 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno,
					   "the system has no randomness");
		snprintf(to + i, 3, "%02x", byte);
	}
	return 0;
}
