/* SPDX-License-Identifier: MIT */
/*
 * Properties of every policy reader, on any input: it accepts the whole text or fails with a message, and
 * what it accepted can be printed in native form, read again and printed the same.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/read/printer.h"
#include "policy/read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

static struct policy *
read_or_fail(const char *text, size_t size, const struct reading_as *as)
{
	struct cordon_error err = {0};
	struct policy *policy = NULL;
	int rc = policy_read("input", text, size, as, &policy, &err);

	must(rc <= 0 && (rc == 0) == (policy != NULL));
	must(rc == 0 ? err.code == 0 : err.code == -rc && strlen(err.text) > strlen("input: "));
	return policy;
}

static void
print_and_read_again(const struct policy *policy, const struct reading_as *as)
{
	const struct reading_as native = {DIALECT_NATIVE, NULL, as->system, as->command};
	auto_policy struct policy *again = NULL;
	auto_str struct str first = {0}, second = {0};

	policy_print(policy, &first);
	must(!first.failed);
	again = read_or_fail(first.text, first.length, &native);
	/* the printed text may exceed the size limit */
	if (again == NULL && first.length > JSON_SIZE_MAX)
		return;
	must(again != NULL);
	policy_print(again, &second);
	must(strcmp(first.text, second.text) == 0);
}

/* For both systems and both commands. */
static void
try_all(const uint8_t *data, size_t size, enum dialect dialect, const char *variant)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct reading_as as = {dialect, variant, (enum system)(i & 1),
					      (enum command)(i >> 1)};
		auto_policy struct policy *policy = read_or_fail((const char *)data, size, &as);

		if (policy != NULL)
			print_and_read_again(policy, &as);
	}
}
