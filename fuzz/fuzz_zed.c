// SPDX-License-Identifier: MIT
/* Zed's settings, sandbox objects and wrapper records. Any input; policy.h has the properties. */
#include "policy.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_all(data, size, DIALECT_ZED, NULL);
	return 0;
}
