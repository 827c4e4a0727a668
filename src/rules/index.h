/* SPDX-License-Identifier: MIT */
/*
 * The decision engine: which rights has a path, and by whose word. Rules go in once, then any number
 * of questions; a question costs a look into a table per component of the path plus one try per
 * pattern, whatever the number of rules. This is the code that explains and the code that will enforce.
 */
#pragma once

#include <stdint.h>

#include "policy/model/model.h"
#include "rules/protected.h"

/* A rule whose path is resolved. */
struct planned_rule {
	const char *path;    /* canonical; for patterns the pattern */
	const char *written; /* root as written, absolute, when that differs from root; else NULL */
	const char *root; /* the path itself; of a glob its leading plain folders; of a regex "/" */
	enum effect effect;
	unsigned rights;
	enum match match;
	enum layer layer;
	const struct rule *rule; /* where it came from */
	const void *compiled;	 /* patterns: struct glob or pcre2_code */
	bool exists;		 /* the path was there when the plan was made, */
	bool is_folder;		 /* and a folder */
	bool is_left_out; /* a grant of what is missing, which nobody could make: no rule at all */
	bool by_mount;	  /* nobody wrote it: another name that a mount gives */
	/* of such a pattern: what is at or below root is called as if root were this; NULL: it is none */
	const char *behind;
	bool again; /* in an index: its path is that of the one before */
};

struct index {
	struct arena arena; /* and everything the rules point to that the policies do not own */
	struct planned_rule *paths;
	size_t path_count;
	/* made by index_finish: how many before each path are denies; where each path starts */
	size_t *denies;
	struct index_slot *slots;
	size_t slot_count; /* a power of two */
	struct planned_rule *patterns;
	size_t pattern_count;
	unsigned default_rights;
	struct protections protections;
};

/* Who decided about one right. */
struct decision {
	const struct planned_rule *rule;     /* NULL: the default */
	const struct protection *protection; /* a built-in name took the right away */
	bool overridden; /* rule is a deny that is final against an allow of a less trusted layer */
};

struct verdict {
	unsigned rights;
	struct decision by[RIGHT_KINDS];
	/*
	 * a deny below this folder: it may be emptied, not moved, or the deny would be left behind; and no
	 * link takes its place, or the deny would be about another file
	 */
	const struct planned_rule *held;
	const struct protection *vetted; /* changes go through the vetting of this name */
	bool limit_hit; /* a pattern gave up on this path; it was counted as matching deny, not allow */
};

/*
 * Compiles and adds; the rule is copied. A pattern that cannot be compiled is an error. Patterns are
 * applied in the order of adding: the caller adds by layer, most trusted first.
 */
int index_add(struct index *index, const struct planned_rule *rule, struct cordon_error *err);
/* To be called after the last index_add, and again when more were added. */
int index_finish(struct index *index, struct cordon_error *err);
void index_free(struct index *index);
/* path is canonical. */
struct verdict index_decide(const struct index *index, const char *path);
/* Its rights alone, which are found sooner. */
unsigned index_rights(const struct index *index, const char *path);
/* The rights of a path, of a name in it that no rule speaks of, and of one in a folder that is new. */
struct reach {
	unsigned own, below, deep;
};
struct reach index_tree_rights(const struct index *index, const char *path);
/* The same for paths of one folder in a row: what was heard of it is kept. Empty at first. */
struct reach_memo {
	const char *path; /* borrowed: has to stay until the next question */
	size_t length;
	uint64_t hash;
	struct heard {
		unsigned rights;
		/* by layer: its last word is a deny; it has allowed at all */
		unsigned denied[LAYER_COUNT], allowed[LAYER_COUNT];
	} heard[3];
};
struct reach index_tree_rights_cached(const struct index *index, const char *path,
				      struct reach_memo *memo);

/* ---- for who decides ---- */

/* The number of the first rule that is not before the first length bytes of path. */
size_t index_first(const struct index *index, const char *path, size_t length);
/* Of the first rule whose path these are, which have this hash (hash.h); path_count: none. */
size_t index_find(const struct index *index, const char *path, size_t length, uint64_t hash);
/* Is there a rule of that number, and has it the path of the first one? */
bool index_has(const struct index *index, size_t number, size_t first);
/* Does a rule reach what is that many components below its path? */
bool index_match_reaches(enum match match, size_t below);
/* 1 match, 0 none, -1 gave up. */
int index_matches(const struct planned_rule *pattern, const char *path);
