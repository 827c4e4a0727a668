// SPDX-License-Identifier: MIT
/* clash's policies, alone and by name. Any input; see policy.h for what must hold. */
#include "policy.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_all(data, size, DIALECT_CLASH, NULL);
	try_all(data, size, DIALECT_CLASH, "a");
	return 0;
}
