// SPDX-License-Identifier: MIT
/* The native reader, and the guess at a text's dialect. Any input; see policy.h for what must hold. */
#include "policy.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_all(data, size, DIALECT_NATIVE, NULL);
	try_all(data, size, DIALECT_ANY, NULL);
	return 0;
}
