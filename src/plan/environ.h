/* SPDX-License-Identifier: MIT */
/* Which variables a command gets, and why. Values are never looked at here. */
#pragma once

#include <stdbool.h>

#include "policy/settings.h"

struct env_answer {
	bool passes;
	const char *value;  /* set by the policy instead of taken from the caller; else NULL */
	const char *reason; /* one clause for people */
	const struct place *place; /* the text that decided, or NULL */
};

struct env_answer environ_decide(const struct settings *settings, const char *name);
/* Variables that make loaders and interpreters run foreign code: they pass only by their own name. */
bool environ_is_loader(const char *name);
