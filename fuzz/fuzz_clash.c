// SPDX-License-Identifier: MIT
/* clash policies, unnamed and by name. Any input; policy.h has the properties. */
#include "policy.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_all(data, size, DIALECT_CLASH, NULL);
	try_all(data, size, DIALECT_CLASH, "a");
	return 0;
}
