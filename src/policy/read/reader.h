/* SPDX-License-Identifier: MIT */
/*
 * Reads policy text into a struct policy. policy_read is the only entry point; the rest is shared
 * by the readers of the dialects.
 */
#pragma once

#include "base/json.h"
#include "policy/model/model.h"

/* How to read a text. */
struct reading_as {
	enum dialect dialect; /* DIALECT_ANY: recognised by its keys */
	const char *variant;  /* name of one of several policies in the text, or NULL */
	enum system system;
	enum command command;
};

int policy_read(const char *file, const char *text, size_t length, const struct reading_as *as,
		struct policy **ret_policy, struct cordon_error *err);

/* ---- for the readers ---- */

struct policy_reading {
	struct policy *policy;
	const struct reading_as *as;
	struct cordon_error *err;
};

typedef int key_reader(struct policy_reading *r, const struct json *value);
struct read_key {
	const char *name;
	key_reader *read; /* NULL: known and ignored */
};

struct srcpos read_srcpos(const struct policy_reading *r, const struct json *value);
int read_fail(const struct policy_reading *r, const struct json *value, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Calls the reader of each member. An unknown key is an error that suggests the nearest one. `what`
 * names the object in messages, such as "the policy".
 */
int read_keys(struct policy_reading *r, const struct json *object, const char *what,
	      const struct read_key *keys, size_t count);
/* The same, but an unknown key for which is_harmless returns true is noted as a hole. */
int read_keys_noting(struct policy_reading *r, const struct json *object, const char *what,
		     const struct read_key *keys, size_t count,
		     bool (*is_harmless)(const struct json *member));
/* Each refuses any other type with a message that names the key and the expected type. */
int read_text(struct policy_reading *r, const struct json *value, const char **ret_text);
int read_bool(struct policy_reading *r, const struct json *value, bool *ret_bool);
int read_whole(struct policy_reading *r, const struct json *value, int64_t low, int64_t high,
	       int64_t *ret_number);
/* names ends with NULL and "" never matches. *ret_index is the index of the value. */
int read_name(struct policy_reading *r, const struct json *value, const char *const *names,
	      int *ret_index);
/* Calls `each` for every element of a list. */
int read_list(struct policy_reading *r, const struct json *value, key_reader *each);
/* Reads a string that `check` accepts, or fails with its reason. */
int read_checked(struct policy_reading *r, const struct json *value,
		 const char *(*check)(const char *), const char **ret_text);
int read_domain(struct policy_reading *r, const struct json *value);
int read_port(struct policy_reading *r, const struct json *value, struct ports *ports);
int read_localhost_port(struct policy_reading *r, const struct json *value);
/*
 * Reads a path of a dialect without tokens: absolute or, with home, starting with "~/". Refuses
 * text that the plan would expand.
 */
int read_plain_path(struct policy_reading *r, const struct json *value, bool home,
		    const char **ret_text);
/* Returns the first token after a "/" in text, or NULL. */
const char *read_inner_token(const char *text);

/* The rule being read, which was added last, and members common to two dialects. */
struct rule *read_last_rule(struct policy_reading *r);
int read_effect(struct policy_reading *r, const struct json *value);
int read_on_refusal(struct policy_reading *r, const struct json *value);
int read_worktrees(struct policy_reading *r, const struct json *value);
int read_why(struct policy_reading *r, const struct json *value);
/* Fails with the name of the first missing member. */
int read_check_members(struct policy_reading *r, const struct json *rule, const char *const *needed,
		       size_t count);

/* Refuses too many regular expressions: each costs time for every path. */
#define REGEX_MAX 1000
int read_check_regexes(struct policy_reading *r);
/* Records that the value is not granted as requested, and why. */
int read_hole(struct policy_reading *r, const struct json *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int native_read(struct policy_reading *r, const struct json *value);
int zed_read(struct policy_reading *r, const struct json *value);
int flow_read(struct policy_reading *r, const struct json *value);
int clash_read(struct policy_reading *r, const struct json *value);
