/* SPDX-License-Identifier: MIT */
/*
 * From policy text to struct policy. policy_read is the only way in; what follows it is shared by
 * the readers of the dialects: tables of keys, and one helper per kind of value.
 */
#pragma once

#include "base/json.h"
#include "policy/model/model.h"

/* How a text is to be read. */
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

struct place read_place(const struct policy_reading *r, const struct json *value);
int read_fail(const struct policy_reading *r, const struct json *value, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Calls the reader of each member. An unknown key is an error that suggests the nearest one. `what`
 * names the object in messages ("the policy", "\"files\"").
 */
int read_keys(struct policy_reading *r, const struct json *object, const char *what,
	      const struct read_key *keys, size_t count);
/* Each refuses another type, naming the key and what was expected. */
int read_text(struct policy_reading *r, const struct json *value, const char **ret_text);
int read_bool(struct policy_reading *r, const struct json *value, bool *ret_bool);
int read_whole(struct policy_reading *r, const struct json *value, int64_t low, int64_t high,
	       int64_t *ret_number);
/* names ends with NULL; gives the index of the value among them. "" entries never match. */
int read_name(struct policy_reading *r, const struct json *value, const char *const *names,
	      int *ret_index);
/* A list of strings, each given to `each`. */
int read_list(struct policy_reading *r, const struct json *value, key_reader *each);
/* A string that `check` accepts, or a message with the reason. */
int read_checked(struct policy_reading *r, const struct json *value,
		 const char *(*check)(const char *), const char **ret_text);
int read_domain(struct policy_reading *r, const struct json *value);
int read_port(struct policy_reading *r, const struct json *value, struct ports *ports);
int read_localhost_port(struct policy_reading *r, const struct json *value);
/*
 * A path of a dialect that knows no tokens: absolute or, with home, "~/" in front. What the plan
 * would expand and the dialect would not is refused.
 */
int read_plain_path(struct policy_reading *r, const struct json *value, bool home,
		    const char **ret_text);
/* What stands after a "/" in text and is a token to the plan, or NULL. */
const char *read_inner_token(const char *text);

/* The rule that is being read: the last one added. Members that two dialects have alike. */
struct rule *read_last_rule(struct policy_reading *r);
int read_effect(struct policy_reading *r, const struct json *value);
int read_worktrees(struct policy_reading *r, const struct json *value);
int read_why(struct policy_reading *r, const struct json *value);
/* All of these members, or a message that names one that is missing. */
int read_check_members(struct policy_reading *r, const struct json *rule, const char *const *needed,
		       size_t count);

/* Refuses one regular expression too many: each costs time for every path asked about. */
#define REGEX_MAX 1000
int read_check_regexes(struct policy_reading *r);
/* Says that what stands at a value is not granted as it was asked for, and why. */
int read_hole(struct policy_reading *r, const struct json *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int native_read(struct policy_reading *r, const struct json *value);
int zed_read(struct policy_reading *r, const struct json *value);
int flow_read(struct policy_reading *r, const struct json *value);
int clash_read(struct policy_reading *r, const struct json *value);
