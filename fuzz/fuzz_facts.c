// SPDX-License-Identifier: MIT
/* Facts from a file. Any input; values are in range, and printing and reading again gives the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

static void
check_facts(const struct facts *facts)
{
	must(facts->system == SYSTEM_LINUX || facts->system == SYSTEM_MACOS);
	must(memchr(facts->kernel, '\0', sizeof facts->kernel) != NULL);
	for (int i = 0; i < FACT_COUNT; i++) {
		int most = i == FACT_LANDLOCK_ABI || i == FACT_YAMA ? 1000 : 1;

		must(facts->values[i] >= 0 && facts->values[i] <= most);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct facts facts = {.kernel = "before"}, again = {0};
	struct cordon_error err = {0};
	auto_str struct str text = {0};
	int rc = facts_read("input", (const char *)data, size, &facts, &err);

	if (rc < 0) {
		must(err.code == -rc && strlen(err.text) > strlen("input: "));
		must(strcmp(facts.kernel, "before") == 0);
		return 0;
	}
	check_facts(&facts);
	facts_print(&facts, &text);
	must(!text.failed && facts_read("input", text.text, text.length, &again, NULL) == 0);
	must(again.system == facts.system && strcmp(again.kernel, facts.kernel) == 0);
	must(memcmp(again.values, facts.values, sizeof again.values) == 0);
	return 0;
}
