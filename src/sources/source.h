/* SPDX-License-Identifier: MIT */
/* Reads and parses one source of policy: a file, a profile or an argument. For layers.c. */
#pragma once

#include "policy/read/reader.h"
#include "sources/layers.h"

struct profile;

struct loader {
	struct stack *stack;
	const struct stack_input *input;
	struct cordon_error *err;
	bool base_named[LAYER_COUNT]; /* sources that named a base */
};

struct text {
	char *at;
	size_t length;
};

/* A parsed -p argument. */
struct argument {
	struct reading_as as;
	const char *rest; /* file, profile or text */
};

/* Splits "zed:FILE" and "clash:FILE#NAME" into dialect, file and variant. */
int source_split(struct loader *l, const struct stack_text *text, struct argument *ret);
/* Does the argument name a profile rather than a file? */
bool source_is_profile(const struct stack_text *text, const struct argument *argument);
int source_parse(struct loader *l, const struct stack_text *text, const struct argument *argument,
		 struct policy **ret_policy);
int source_parse_profile(struct loader *l, const struct profile *profile,
			 struct policy **ret_policy);

/* Does the path exist, even as a dangling link or unreadable? Such a policy must not be skipped. */
bool source_exists(const char *path);
/* Reads a file and records it in the stack. ret_text (or NULL) is its text, in the stack. */
int source_parse_file(struct loader *l, const char *path, const struct reading_as *as,
		      enum layer layer, struct policy **ret_policy, struct text *ret_text);
