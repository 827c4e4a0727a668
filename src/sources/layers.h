/* SPDX-License-Identifier: MIT */
/*
 * All texts that speak about one run, read and in order: profiles first, then the system's file, the
 * user's, the project's own where it was approved, and last the command line. What they add up to is policy/settings (what
 * is one value) and the plan (what is decided path by path).
 */
#pragma once

#include "policy/model/model.h"

/* Something given on the command line that is policy text, in the order given. */
struct stack_text {
	const char *value; /* FILE, PROFILE, DIALECT:FILE, DIALECT:FILE#NAME, or the text itself */
	bool inline_text;
};

struct stack_input {
	enum system system;
	enum command command;
	const char *project;	 /* canonical */
	const char *system_file; /* may be missing; NULL: none */
	const char *user_file;	 /* may be missing; NULL: none */
	bool no_project_policy;
	const struct stack_text *texts;
	size_t text_count;
	struct policy *options; /* --read and its like, as a policy; borrowed; may be NULL */
	/* Is this project file, with this content, approved? NULL: nothing is. */
	bool (*trusted)(const void *ctx, const char *path, const char *text, size_t length);
	const void *trusted_ctx;
};

struct stack_entry {
	struct policy *policy;
	enum layer layer;
	bool options; /* single options of the command line, in a policy that is borrowed */
	/* profiles: */
	const char *name;
	enum layer chosen_by;
	bool base; /* says what it stands on, so it replaces the default */
};

struct stack {
	struct arena arena;
	struct stack_entry *entries;
	size_t count;
	const char *const *files; /* every policy file that was read: never writable from inside */
	size_t file_count;
	struct policy *project; /* the project's own policy, or NULL; owned by the stack */
	bool project_trusted;	/* then it is also one of the entries */
};

int layers_load(const struct stack_input *input, struct stack **ret_stack,
		struct cordon_error *err);
struct stack *layers_free(struct stack *stack);
static inline void
auto_stack_fn(struct stack **stack)
{
	layers_free(*stack);
}
#define auto_stack __attribute__((cleanup(auto_stack_fn)))

/* One -p argument, read as a policy of its own: for `check FILE`. */
int layers_read_one(const struct stack_input *input, const struct stack_text *text,
		    struct policy **ret_policy, struct cordon_error *err);
#define PROJECT_POLICY_NAME ".cordon.json"
