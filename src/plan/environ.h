/* SPDX-License-Identifier: MIT */
/* Which variables a command gets, and why. Values are never looked at here. */
#pragma once

#include <stdbool.h>

#include "sources/merge.h"

struct env_answer {
	bool passes;
	const char *value;  /* set by the policy instead of taken from the caller; else NULL */
	const char *reason; /* one clause for people */
	const struct place *place; /* the text that decided, or NULL */
};

/* Variables that lead programs to the private tmp: its path stands behind what is in front. */
struct tmp_variable {
	const char *name;
	const char *before, *after;
	bool yields; /* to the caller's own, and given only where the policy names it */
};
extern const struct tmp_variable tmp_variables[]; /* ends with a name that is NULL */
/* Whether cordon itself gives it its value, where the policy does not. */
bool environ_is_tmp(const struct settings *settings, const char *name);
/* Does the policy let it pass by its name? */
bool environ_names(const struct settings *settings, const char *name);

struct env_answer environ_decide(const struct settings *settings, const char *name);
/* The same for NAME=VALUE; name gets the name, cut where it is longer. */
#define ENV_NAME_SIZE 128
struct env_answer environ_decide_pair(const struct settings *settings, const char *pair,
				      char name[ENV_NAME_SIZE]);
/* Variables that make loaders and interpreters run foreign code: they pass only by their own name. */
bool environ_is_loader(const char *name);
