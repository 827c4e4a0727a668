/* SPDX-License-Identifier: MIT */
/*
 * The paths that a line of a profile matches, as a tree of directories, names, regular expressions and
 * operators. Trees are simplified while they are built, and printed once at the end. Every path and
 * expression becomes a parameter, so no file name occurs in the text of the profile.
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
	FILTER_REGEX,	/* value is an expression; it matches only below root */
	FILTER_FOLDER,	/* any directory */
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
	size_t leaf, leaf_end; /* of value: an expression for the last name, without "/"; 0: none */
};

/* Allocates filters. After a failed allocation failed is set; all functions accept and return NULL. */
struct filters {
	struct arena *arena;
	bool failed;
};

extern const struct filter filter_never, filter_always, filter_folder;

/* Values and roots are borrowed. */
const struct filter *path_filter_subpath(struct filters *in, const char *path);
const struct filter *path_filter_literal(struct filters *in, const char *path);
const struct filter *path_filter_regex(struct filters *in, const char *regex, const char *root);
/* The same, where the expression for the last name is the text from leaf to leaf_end. */
const struct filter *path_filter_name_regex(struct filters *in, const char *regex, const char *root,
					    size_t leaf, size_t leaf_end);
const struct filter *path_filter_not(struct filters *in, const struct filter *filter);
/* Combines two filters; chains are flattened. */
const struct filter *path_filter_any(struct filters *in, const struct filter *a,
				     const struct filter *b);
const struct filter *path_filter_all(struct filters *in, const struct filter *a,
				     const struct filter *b);
/* Combines many, in linear time. */
const struct filter *path_filter_any_of(struct filters *in, const struct filter *const *parts,
					size_t count);
/* A growing list, for path_filter_any_of. */
struct filter_list {
	const struct filter **items;
	size_t count;
};
void path_filter_push(struct filters *in, struct filter_list *to, const struct filter *part);
/*
 * Joins the alternatives that differ in the last name only to one expression, "^/a/(b|c)$": the kernel tries
 * every expression of a line at each call.
 */
const struct filter *path_filter_merge(struct filters *in, const struct filter *filter);
/* Simplifies a filter for paths at or below root: parts that cannot match there are dropped. */
const struct filter *path_filter_within(struct filters *in, const struct filter *filter,
					const char *root);

/* Parameters of a profile: one name per value. */
struct parameter {
	const char *name, *value;
};
struct parameters {
	struct arena *arena;
	struct parameter *items;
	size_t count;
	size_t *slots; /* hash table: index + 1, or 0 */
	size_t slot_count;
	bool failed;
};

/* Returns the name of a parameter with this value, which is copied. Never NULL: see failed. */
const char *path_filter_parameter(struct parameters *in, const char *value);
/* Prints SBPL. FILTER_NEVER and FILTER_ALWAYS cannot be expressed and set to->failed. */
void path_filter_print(const struct filter *filter, struct parameters *parameters, struct str *to);
/* Prints a word in quotes. Only for ASCII words without control characters. */
void sbpl_word(const char *word, struct str *to);
