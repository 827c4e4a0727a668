// SPDX-License-Identifier: MIT
/* The native reader and the detection of dialects. Any input; policy.h has the properties. */
#include "policy.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_all(data, size, DIALECT_NATIVE, NULL);
	try_all(data, size, DIALECT_ANY, NULL);
	return 0;
}
