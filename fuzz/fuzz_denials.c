// SPDX-License-Identifier: MIT
/* Lines of the macOS log. Any input; every result is within the line and in range. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "macos/sbpl/denial_parse.h"
#include "policy/model/model.h"

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
	auto_arena struct arena arena = {0};
	struct seatbelt_denial denial = {.pid = -1};
	int rc = denial_parse(&arena, (const char *)data, size, "cordon-0123456789abcdef", &denial,
			      NULL);

	must(rc == 0 || rc == 1);
	if (rc == 0) {
		must(denial.pid == -1);
		return 0;
	}
	must(denial.pid > 0 && denial.right >= -1 && denial.right < RIGHT_KINDS);
	must(strlen(denial.process) + strlen(denial.operation) + strlen(denial.subject) < size);
	must(*denial.operation != '\0' && strchr(denial.operation, ' ') == NULL);
	return 0;
}
