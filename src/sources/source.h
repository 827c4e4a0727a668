/* SPDX-License-Identifier: MIT */
/* One policy text, for the stack of all of them. */
#pragma once

#include "policy/read/reader.h"
#include "sources/layers.h"

struct profile;

struct loader {
	struct stack *stack;
	const struct stack_input *input;
	struct cordon_error *err;
	bool base_named[LAYER_COUNT]; /* by which source */
};

struct text {
	char *at;
	size_t length;
};

/* What -p was given. */
struct argument {
	struct reading_as as;
	const char *rest; /* file, profile or text */
};

/* "zed:FILE", "clash:FILE#NAME": the dialect in front, the variant behind. */
int source_split(struct loader *l, const struct stack_text *text, struct argument *ret);
/* Is it a profile rather than a file? A name without a slash that is one of ours. */
bool source_is_profile(const struct stack_text *text, const struct argument *argument);
int source_parse(struct loader *l, const struct stack_text *text, const struct argument *argument,
		 struct policy **ret_policy);
int source_parse_profile(struct loader *l, const struct profile *profile,
			 struct policy **ret_policy);

/* Is there anything, even if it leads nowhere or cannot be read? Then it must not be passed over. */
bool source_exists(const char *path);
/* The file becomes one of the stack's. ret_text: as it was read, the stack's too; may be NULL. */
int source_parse_file(struct loader *l, const char *path, const struct reading_as *as,
		      enum layer layer, struct policy **ret_policy, struct text *ret_text);
