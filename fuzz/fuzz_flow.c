// SPDX-License-Identifier: MIT
/* flow's capability records. Any input; policy.h has the properties. */
#include "policy.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_all(data, size, DIALECT_FLOW, NULL);
	return 0;
}
