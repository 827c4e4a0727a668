/* SPDX-License-Identifier: MIT */
/* Policy texts for tests of their readers; in messages they are the file "f". */
#pragma once

#include "policy/read/reader.h"
#include "tap.h"

/* Never NULL, so that a failed read shows as failed checks and not as a crash. */
static inline struct policy *
policy_as(const struct reading_as *as, const char *text)
{
	struct cordon_error err = {0};
	struct policy *policy = NULL;

	if (policy_read("f", text, strlen(text), as, &policy, &err) == 0)
		return policy;
	printf("# %s\n", err.text);
	tap.failed_checks++;
	return policy_new("failed", &err);
}

/* The message, or "" when it was read after all. Valid until the next call. */
static inline const char *
error_as(const struct reading_as *as, const char *text)
{
	static struct cordon_error err;
	struct policy *policy = NULL;
	int rc;

	err = (struct cordon_error){0};
	rc = policy_read("f", text, strlen(text), as, &policy, &err);
	if ((rc < 0) != (err.code != 0) || (rc < 0) != (policy == NULL))
		return "the error value does not fit the result";
	policy_free(policy);
	return err.text;
}
