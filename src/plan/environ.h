/* SPDX-License-Identifier: MIT */
/* Decides which variables a command gets, and why. Values are not examined here. */
#pragma once

#include <stdbool.h>

#include "sources/merge.h"

struct env_answer {
	bool passes;
	const char *value;	     /* set by the policy; NULL: taken from the caller */
	const char *reason;	     /* one clause for users */
	const struct srcpos *srcpos; /* position of the text that decided, or NULL */
};

/* Variables that lead programs to the private tmp; the value is before, its path, after. */
struct tmp_variable {
	const char *name;
	const char *before, *after;
	bool yields; /* the caller's own value has priority, and it is set only if the policy names it */
};
extern const struct tmp_variable tmp_variables[]; /* ends with a NULL name */
/* Does cordon set the value, unless the policy does? */
bool environ_is_tmp(const struct settings *settings, const char *name);
/* By these a command can tell that it is in a session, and which: cordon(1), ENVIRONMENT. */
#define ENV_INSIDE "CORDON"
#define ENV_SESSION "CORDON_SESSION"
#define ENV_NETWORK "CORDON_NETWORK"
bool environ_is_session(const char *name);
/* Does the policy let it pass by name? */
bool environ_names(const struct settings *settings, const char *name);

struct env_answer environ_decide(const struct settings *settings, const char *name);
/* The same for NAME=VALUE; name receives the name, possibly truncated. */
#define ENV_NAME_SIZE 128
struct env_answer environ_decide_pair(const struct settings *settings, const char *pair,
				      char name[ENV_NAME_SIZE]);
/* Does the variable make programs run foreign code? Then it passes only by its exact name. */
bool environ_is_loader(const char *name);
