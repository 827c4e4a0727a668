/* SPDX-License-Identifier: MIT */
/*
 * All policies of one run, loaded and ordered: profiles, the system's file, the user's, the
 * project's if it was approved, and the command line. sources/merge.h combines single values, the
 * plan decides paths.
 */
#pragma once

#include "policy/model/model.h"

/* Policy text given on the command line, in the order given. */
struct stack_text {
	const char *value;     /* FILE, PROFILE, DIALECT:FILE, DIALECT:FILE#NAME, or inline text */
	const char *inline_as; /* name of inline text in messages; NULL: not inline */
};

struct stack_input {
	enum system system;
	enum command command;
	const char *project;	 /* canonical path */
	const char *system_file; /* NULL: none; the file may be missing */
	const char *user_file;	 /* NULL: none; the file may be missing */
	bool no_project_policy;
	const struct stack_text *texts;
	size_t text_count;
	struct policy *options; /* options such as --read, as a policy; borrowed, may be NULL */
	/* Is this project file with this content approved? NULL: none is. */
	bool (*trusted)(const void *ctx, const char *path, const char *text, size_t length);
	const void *trusted_ctx;
};

struct stack_entry {
	struct policy *policy;
	enum layer layer;
	bool options; /* options of the command line, in a borrowed policy */
	/* for profiles */
	const char *name;
	enum layer chosen_by;
	bool base; /* has "extends", so it replaces the default base */
};

struct stack {
	struct arena arena;
	struct stack_entry *entries;
	size_t count;
	const char *const
		*files; /* every policy file that was read; never writable inside the sandbox */
	size_t file_count;
	struct policy *project; /* the project's own policy or NULL; owned by the stack */
	bool project_trusted;	/* project is also one of the entries */
};

int layers_load(const struct stack_input *input, struct stack **ret_stack,
		struct cordon_error *err);
struct stack *layers_free(struct stack *stack);
bool layers_have_profile(const struct stack *stack, const char *name);
static inline void
auto_stack_fn(struct stack **stack)
{
	layers_free(*stack);
}
#define auto_stack __attribute__((cleanup(auto_stack_fn)))

/* Reads one -p argument as a policy of its own, for `check FILE`. The caller frees it. */
int layers_read_one(const struct stack_input *input, const struct stack_text *text,
		    struct policy **ret_policy, struct cordon_error *err);
#define PROJECT_POLICY_NAME ".cordon.json"
