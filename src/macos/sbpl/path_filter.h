/* SPDX-License-Identifier: MIT */
/*
 * Which paths a line of a profile is about, as a tree: folders, names, regular expressions and what
 * joins them. Trees are simplified while they are built and written out once, at the end. Every path
 * and every expression becomes a parameter: no name of anyone's ever stands in the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

enum path_filter_kind {
	FILTER_NEVER,
	FILTER_ALWAYS,
	FILTER_SUBPATH, /* value and everything below it */
	FILTER_LITERAL, /* value itself */
	FILTER_REGEX,	/* value is an expression; it matches nothing outside of root */
	FILTER_FOLDER,	/* whatever is a folder */
	FILTER_ANY,
	FILTER_ALL,
	FILTER_NOT
};

struct filter {
	enum path_filter_kind kind;
	const char *value;
	const char *root;
	const struct filter **parts;
	size_t count;
};

/* Where filters live. A failed allocation is remembered; every function takes and gives NULL then. */
struct filters {
	struct arena *arena;
	bool failed;
};

extern const struct filter filter_never, filter_always, filter_folder;

/* Values and roots are borrowed. */
const struct filter *path_filter_subpath(struct filters *in, const char *path);
const struct filter *path_filter_literal(struct filters *in, const char *path);
const struct filter *path_filter_regex(struct filters *in, const char *regex, const char *root);
const struct filter *path_filter_not(struct filters *in, const struct filter *filter);
/* Of two; chains are flattened. */
const struct filter *path_filter_any(struct filters *in, const struct filter *a,
				     const struct filter *b);
const struct filter *path_filter_all(struct filters *in, const struct filter *a,
				     const struct filter *b);
/* Of many, in time that grows with their number. */
const struct filter *path_filter_any_of(struct filters *in, const struct filter *const *parts,
					size_t count);
/* A list that grows, for path_filter_any_of. */
struct filter_list {
	const struct filter **items;
	size_t count;
};
void path_filter_push(struct filters *in, struct filter_list *to, const struct filter *part);
/* The same filter for paths at or below root: what cannot match there is gone. */
const struct filter *path_filter_within(struct filters *in, const struct filter *filter,
					const char *root);

/* Parameters of a profile: one name for each value. */
struct parameter {
	const char *name, *value;
};
struct parameters {
	struct arena *arena;
	struct parameter *items;
	size_t count;
	size_t *slots; /* by hash of the value: position + 1, or 0 */
	size_t slot_count;
	bool failed;
};

/* The name that stands for value, which is copied. Never NULL: see failed. */
const char *path_filter_parameter(struct parameters *in, const char *value);
/* As SBPL; FILTER_NEVER and FILTER_ALWAYS cannot be said and fail the text. */
void path_filter_print(const struct filter *filter, struct parameters *parameters, struct str *to);
/* A word in quotes, as SBPL reads it. For words of ours: ASCII without control characters. */
void sbpl_word(const char *word, struct str *to);
